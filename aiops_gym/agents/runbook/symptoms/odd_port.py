"""A Service listens on a port that nobody calls."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import LIKELY, MISCONFIGURATION, STRONG, VIRTUALIZATION, Finding, patch

CUSTOM = 0.8
"""Share of the Services' ports that are their containers' own numbers, for it to be a custom."""


def find(facts: Facts) -> Iterator[Finding]:
    """Listen on the container's own number, as the other Services do."""
    ports = [(service, at, port) for service in facts.services.values() for at, port in enumerate(service.ports)]
    odd = [
        each for each in ports if each[2].get("port") != each[2].get("targetPort") and each[2].get("protocol") == "TCP"
    ]
    if len(odd) > (1 - CUSTOM) * len(ports):
        return
    troubled = any(deployment.ready < deployment.replicas for deployment in facts.deployments.values())
    for service, at, port in odd:
        own = facts.deployments.get(service.name)
        numbers = [each for each in own.ports if isinstance(each, int)] if own else []
        if port.get("targetPort") in numbers and port.get("port") not in numbers:
            op = {"op": "replace", "path": f"/spec/ports/{at}/port", "value": port.get("targetPort")}
            repair = patch(facts, "service", service.name, op)
            strength = STRONG if troubled or service.name in facts.complaints() else LIKELY + 0.4
            yield Finding(service.name, strength, VIRTUALIZATION, MISCONFIGURATION, (repair,))
