"""A pod asks the wrong name server."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, STRONG, VIRTUALIZATION, Finding, patch, undo

USUAL = "ClusterFirst"

_UNKNOWN_HOST = re.compile(
    r"no such host|could not resolve|name or service not known|server misbehaving", re.IGNORECASE
)


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or ask the cluster's."""
    for component, deployment in facts.deployments.items():
        policy = deployment.spec.get("dnsPolicy", USUAL)
        odd = policy != USUAL and not deployment.spec.get("hostNetwork")
        if odd or deployment.spec.get("dnsConfig"):
            op = {"op": "add", "path": "/spec/template/spec/dnsPolicy", "value": USUAL}
            fails = _UNKNOWN_HOST.search(facts.lines(component))
            repairs = (*undo(facts, component), patch(facts, "deployment", component, op))
            yield Finding(component, CERTAIN if fails else STRONG, VIRTUALIZATION, MISCONFIGURATION, repairs)
