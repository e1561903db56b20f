"""Conditions of a HorizontalPodAutoscaler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.writes import kept_since


class Condition(NamedTuple):
    """What a condition says."""

    type: str
    status: str
    reason: str
    message: str


def merge_conditions(
    world: World, old: Iterable[Mapping[str, Any]], news: Iterable[Condition]
) -> list[Mapping[str, Any]]:
    """Conditions with news: in their old places, with their old times where the status is the same."""
    found = list(old)
    for one in news:
        index = next((i for i, c in enumerate(found) if c["type"] == one.type), len(found))
        before = found[index] if index < len(found) else None
        since = kept_since(world, before, one.status)
        found[index : index + 1] = [{"lastTransitionTime": since, **one._asdict()}]
    return found
