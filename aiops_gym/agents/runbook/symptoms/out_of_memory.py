"""The kernel ends a container because it needs more memory than it may have."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, VIRTUALIZATION, Finding, patch, undo


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or lift the limit."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and "OOMKilled" in pod.last_reason:
            lift = [
                patch(facts, "deployment", component, {"op": "remove", "path": f"{path}/memory"})
                for path in ("/spec/template/spec/containers/0/resources/limits",)
            ]
            yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, (*undo(facts, component), *lift))
