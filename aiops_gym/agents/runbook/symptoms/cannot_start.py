"""The runtime cannot start a container's program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.runbook import custom
from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, VIRTUALIZATION, Finding, patch, undo

_CANNOT = re.compile(
    r"executable file not found|no such file or directory|failed to create|StartError|ContainerCannotRun"
)


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or start what others of its kind start."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and not pod.well and _CANNOT.search(f"{pod.waiting} {pod.message} {pod.last_reason}"):
            op = custom.make_command_patch(facts, component)
            mend = (patch(facts, "deployment", component, dict(op)),) if op else ()
            repairs = (*undo(facts, component), *mend)
            yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, repairs)
