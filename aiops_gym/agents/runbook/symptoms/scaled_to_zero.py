"""A deployment is asked to run no pods."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, OPERATION, VIRTUALIZATION, Finding


def find(facts: Facts) -> Iterator[Finding]:
    """Scale it up again."""
    for deployment in facts.deployments.values():
        if deployment.replicas == 0:
            repair = f"kubectl scale deployment {deployment.name} -n {facts.namespace} --replicas=1"
            yield Finding(deployment.name, CERTAIN, VIRTUALIZATION, OPERATION, (repair,))
