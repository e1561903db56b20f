"""A container is told an address that no Service has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts, parse_list
from aiops_gym.agents.runbook.findings import APPLICATION, CERTAIN, MISCONFIGURATION, STRONG, Finding, patch, undo

_ADDRESS = re.compile(r"(?:[a-z]+://)?([a-z][a-z0-9-]*)(\.[a-z0-9.-]+)?:(\d{2,5})(?:/.*)?")

NEAR = 9
"""By how much one may mistype a port: its last digit."""


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or take the nearest name or the Service's own port."""
    for name, deployment in facts.deployments.items():
        for at, container in enumerate(deployment.containers):
            for number, variable in enumerate(parse_list(container.get("env"))):
                value = str(variable.get("value", ""))
                right = _right(facts, value)
                if right and right != value:
                    path = f"/spec/template/spec/containers/{at}/env/{number}/value"
                    mend = patch(facts, "deployment", name, {"op": "replace", "path": path, "value": right})
                    strength = CERTAIN if undo(facts, name) else STRONG
                    yield Finding(name, strength, APPLICATION, MISCONFIGURATION, (*undo(facts, name), mend))


def _right(facts: Facts, value: str) -> str:
    """The address that is meant; "" when it is none or nothing is near."""
    found = _ADDRESS.fullmatch(value)
    if not found or not facts.services:
        return ""
    host, port = found[1], int(found[3])
    if host not in facts.services:
        near = difflib.get_close_matches(host, facts.services, n=1, cutoff=0.7)
        return value.replace(host, near[0], 1) if near else ""
    ports = [each["port"] for each in facts.services[host].ports if isinstance(each.get("port"), int)]
    near_by = [each for each in ports if len(ports) == 1 or abs(each - port) <= NEAR]
    return value if port in ports or len(near_by) != 1 else value.replace(f":{port}", f":{near_by[0]}", 1)
