"""What deployments of one house have in common, as a guide for the one that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from aiops_gym.agents.runbook.facts import Deployment, Facts

HABIT = 3
"""Deployments that must do alike before it is a habit."""


def _same(name: str) -> str:
    return name


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


SPELLINGS: tuple[Callable[[str], str], ...] = (_same, _camel)
"""How a program may be called after its deployment: `user-service`, `UserService`."""


def find_program(deployment: Deployment) -> str:
    """The program that a deployment starts, without its folder; "" where the image decides."""
    command = deployment.containers[0].get("command") if deployment.containers else None
    return str(command[0]).rpartition("/")[2] if isinstance(command, list) and command else ""


def find_spelling(facts: Facts) -> Callable[[str], str] | None:
    """How programs are called after their deployments here; None where they are not."""
    programs = {name: find_program(deployment) for name, deployment in facts.deployments.items()}
    counts = Counter(spell for spell in SPELLINGS for name, found in programs.items() if spell(name) == found)
    best = counts.most_common(1)
    return best[0][0] if best and best[0][1] >= HABIT else None


def make_command_patch(facts: Facts, name: str) -> Mapping[str, Any] | None:
    """A JSON patch operation that gives a deployment the command that its kind has; None where nothing is known."""
    path = "/spec/template/spec/containers/0/command"
    own, spell = facts.deployments[name], find_spelling(facts)
    image = own.containers[0].get("image") if own.containers else None
    alike = [
        find_program(other) == ""
        for other in facts.deployments.values()
        if other.name != name and other.containers and other.containers[0].get("image") == image
    ]
    if alike and all(alike):
        return {"op": "remove", "path": path}
    return {"op": "replace", "path": path, "value": [spell(name)]} if spell else None
