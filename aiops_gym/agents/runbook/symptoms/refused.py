"""Others say in their logs that they do not reach a component."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import LIKELY, NETWORK, VIRTUALIZATION, Finding

MANY = 5
"""Lines that are no accident."""


def find(facts: Facts) -> Iterator[Finding]:
    """Start it anew; the one that most complain of first."""
    for host, count in facts.complaints().items():
        if count >= MANY:
            restart = f"kubectl rollout restart deployment/{host} -n {facts.namespace}"
            yield Finding(host, LIKELY + 0.2 * count / (count + 100), VIRTUALIZATION, NETWORK, (restart,))
