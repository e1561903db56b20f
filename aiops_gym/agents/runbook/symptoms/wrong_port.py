"""A Service sends its calls to a port on which nobody listens."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, STRONG, VIRTUALIZATION, Finding, patch


def find(facts: Facts) -> Iterator[Finding]:
    """Send them to the container's port: the one with the Service's own number, or the only one.

    What a container declares is a note and binds nobody, so it takes more: somebody complains, or no container at all
    declares such a port.
    """
    declared = {port for deployment in facts.deployments.values() for port in deployment.ports}
    complaints = facts.complaints()
    for service in facts.services.values():
        own = facts.deployments.get(service.name)
        if own is None or not own.ports:
            continue
        for at, port in enumerate(service.ports):
            target = port.get("targetPort", port.get("port"))
            if target in own.ports:
                continue
            right = port.get("port") if port.get("port") in own.ports else own.ports[0]
            op = {"op": "replace", "path": f"/spec/ports/{at}/targetPort", "value": right}
            repair = patch(facts, "service", service.name, op)
            strength = CERTAIN if service.name in complaints else STRONG if target not in declared else 0.0
            if strength:
                yield Finding(service.name, strength, VIRTUALIZATION, MISCONFIGURATION, (repair,))
