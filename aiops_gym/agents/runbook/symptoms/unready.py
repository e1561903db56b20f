"""A deployment has fewer ready pods than it should, whatever the reason."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import MISCONFIGURATION, VIRTUALIZATION, WEAK, Finding, undo


def find(facts: Facts) -> Iterator[Finding]:
    """Go back where that is possible, else start it anew."""
    for component, deployment in facts.deployments.items():
        if deployment.ready < deployment.replicas:
            restart = f"kubectl rollout restart deployment/{component} -n {facts.namespace}"
            repairs = (*undo(facts, component), restart)
            yield Finding(component, WEAK + 0.5, VIRTUALIZATION, MISCONFIGURATION, repairs)
