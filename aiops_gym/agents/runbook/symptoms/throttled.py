"""A container may use far less of a processor than all others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Deployment, Facts, parse_object
from aiops_gym.agents.runbook.findings import MISCONFIGURATION, STRONG, VIRTUALIZATION, Finding, patch, undo

SHARE = 0.2
"""Of the usual limit; whoever has less is throttled."""

LITTLE = 0.15
"""Processors, where others have no limit at all."""

LIMITS = "/spec/template/spec/containers/0/resources/limits"


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or give it what the others have."""
    found = {name: _limit(each) for name, each in facts.deployments.items()}
    limits = sorted(limit for limit in found.values() if limit)
    free = len(found) - len(limits) > len(limits)
    usual = limits[len(limits) // 2] if limits else 0.0
    for name, limit in found.items():
        if 0 < limit < (LITTLE if free else SHARE * usual):
            op = {"op": "replace", "path": f"{LIMITS}/cpu", "value": f"{round(1000 * usual)}m"}
            more = patch(facts, "deployment", name, {"op": "remove", "path": f"{LIMITS}/cpu"} if free else op)
            yield Finding(name, STRONG, VIRTUALIZATION, MISCONFIGURATION, (*undo(facts, name), more))


def _limit(deployment: Deployment) -> float:
    """Processors that its first container may use; 0 where nothing is said."""
    for container in deployment.containers[:1]:
        text = str(parse_object(parse_object(container.get("resources")).get("limits")).get("cpu", ""))
        found = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(m?)", text)
        if found:
            return float(found[1]) / (1000 if found[2] else 1)
    return 0.0
