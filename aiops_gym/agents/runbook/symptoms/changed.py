"""A deployment's template was changed, and it is not well since, or nothing else explains what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import (
    APPLICATION,
    LIKELY,
    MISCONFIGURATION,
    STRONG,
    VIRTUALIZATION,
    Finding,
    undo,
)

HARMLESS = ("dnsPolicy", "containers")


def find(facts: Facts) -> Iterator[Finding]:
    """Go back."""
    for component, deployment in facts.deployments.items():
        repairs = undo(facts, component)
        if repairs:
            unwell = deployment.ready < deployment.replicas or any(not pod.well for pod in facts.pods_of(component))
            layer = APPLICATION if _program_changed(facts, component) else VIRTUALIZATION
            yield Finding(component, STRONG + 0.5 if unwell else LIKELY + 0.5, layer, MISCONFIGURATION, repairs)


def _program_changed(facts: Facts, component: str) -> bool:
    """Whether it is what the program is or reads that changed, and not how Kubernetes treats it."""
    number = facts.older(component)
    before = next(spec for each, spec in facts.revisions[component] if each == number)
    pairs = zip(before.get("containers") or (), facts.deployments[component].containers, strict=False)
    return any(
        isinstance(old, dict) and old.get(key) != new.get(key)
        for old, new in pairs
        for key in ("image", "env", "command", "args")
    )
