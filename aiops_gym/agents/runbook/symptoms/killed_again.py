"""A container that does its work is killed from outside, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import OPERATION, STRONG, Finding

OPERATING_SYSTEM = "Operating System"

KILLED = "137"
LIVED = (20.0, 300.0)
"""Seconds that it ran before it was killed: once is an accident, and twice within seconds the same accident."""

RECENT = 180.0
"""Seconds ago at most."""


def find(facts: Facts) -> Iterator[Finding]:
    """Nothing in the cluster is to be repaired: whoever kills it must stop."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        again = pod.restarts.isdigit() and len(pod.restarts) < 9 and int(pod.restarts) >= 2
        if component and again and pod.last_code == KILLED and pod.last_reason == "Error":
            lived, ago = _seconds(pod.last_started, pod.last_finished), _seconds(pod.last_finished, facts.now)
            if LIVED[0] <= lived <= LIVED[1] and ago <= RECENT:
                yield Finding(component, STRONG, OPERATING_SYSTEM, OPERATION)


def _seconds(begin: str, end: str) -> float:
    """Between two times; negative when one is unknown."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
    except (ValueError, TypeError):
        return -1.0
