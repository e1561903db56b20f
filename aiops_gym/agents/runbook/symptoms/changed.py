"""A deployment's template was changed, and it is not well since, or others are not well with it."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import (
    APPLICATION,
    LIKELY,
    MISCONFIGURATION,
    STRONG,
    VIRTUALIZATION,
    WEAK,
    Finding,
    undo,
)


def find(facts: Facts) -> Iterator[Finding]:
    """Go back."""
    for component, deployment in facts.deployments.items():
        repairs = undo(facts, component)
        if repairs:
            unwell = deployment.ready < deployment.replicas or any(not pod.well for pod in facts.pods_of(component))
            layer = APPLICATION if _program_changed(facts, component) else VIRTUALIZATION
            # People change things every day: what changed and hurts nobody is not what is wrong.
            strength = STRONG + 0.5 if unwell else LIKELY + 0.5 if _hurts(facts, component) else WEAK + 0.9
            yield Finding(component, strength, layer, MISCONFIGURATION, repairs)


def _hurts(facts: Facts, component: str) -> bool:
    """Whether it or those who call it complain, or calls that have its name in them fail."""
    word = component.split("-", maxsplit=1)[0]
    failing = (f"{span.service} {span.operation}".lower() for span in facts.spans if span.errors)
    return bool(facts.lines(component)) or component in facts.complaints() or any(word in each for each in failing)


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
