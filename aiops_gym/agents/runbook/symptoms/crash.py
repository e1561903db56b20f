"""A container ends again and again, and says little about why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import APPLICATION, LIKELY, MISCONFIGURATION, Finding, undo

_DATABASE = re.compile(r"no reachable servers|connection refused|i/o timeout|no such host", re.IGNORECASE)


def find(facts: Facts) -> Iterator[Finding]:
    """Go back; without an older revision, take what similar deployments have."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and not pod.well and ("CrashLoopBackOff" in pod.waiting or "Error" in pod.last_reason):
            # Who cannot reach another is perhaps only the victim.
            victim = bool(_DATABASE.search(facts.lines(component))) and not facts.older(component)
            strength = LIKELY + (0.2 if victim else 0.6)
            restart = f"kubectl rollout restart deployment/{component} -n {facts.namespace}"
            yield Finding(component, strength, APPLICATION, MISCONFIGURATION, (*undo(facts, component), restart))
