"""A pod never gets beyond its first containers."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import DEPENDENCY, STRONG, VIRTUALIZATION, Finding, patch, undo


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or leave them out."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and pod.phase == "Pending" and "false" in pod.init_ready:
            remove = patch(
                facts, "deployment", component, {"op": "remove", "path": "/spec/template/spec/initContainers"}
            )
            yield Finding(component, STRONG, VIRTUALIZATION, DEPENDENCY, (*undo(facts, component), remove))
