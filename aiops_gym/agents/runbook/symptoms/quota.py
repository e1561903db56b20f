"""Pods cannot be created because the namespace has used up what it may."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, VIRTUALIZATION, Finding

_EXCEEDED = re.compile(r"exceeded quota: ([\w.-]+)|failed quota: ([\w.-]+)")


def find(facts: Facts) -> Iterator[Finding]:
    """Remove the quota, and let what waits be created now."""
    for component, event in facts.said("FailedCreate"):
        found = _EXCEEDED.search(event.message)
        deployment = facts.deployments[component]
        if found and deployment.ready < deployment.replicas:
            again = f"kubectl rollout restart deployment/{component} -n {facts.namespace}"
            repair = f"kubectl delete resourcequota {found[1] or found[2]} -n {facts.namespace}; {again}"
            yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, (repair,))
