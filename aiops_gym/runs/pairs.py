"""Agents against each other over the same episodes: what separates them is known better than how each of them does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from aiops_gym.runs.intervals import compute_interval


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two agents in one split.

    Attributes:
        split: `train`, `test`, or "" for the fixed problems.
        episodes: that both have finished.
        difference, low, high: mean of the agent's reward less the other's in the same episode, and its 95 % interval.
    """

    agent: str
    other: str
    split: str
    episodes: int
    difference: float
    low: float
    high: float


class Reward(NamedTuple):
    """Of an episode, and which incident that belongs to."""

    reward: float
    incident: Hashable


def pair(split: str, agent: str, other: str, rewards: Mapping[str, Mapping[Hashable, Reward]]) -> Pair:
    """Compare two agents.

    Args:
        rewards: of each agent, by episode.

    >>> rewards = {"a": {1: Reward(1.0, "x"), 2: Reward(1.0, "y")}, "b": {1: Reward(0.5, "x")}}
    >>> found = pair("test", "a", "b", rewards)
    >>> found.episodes, found.difference
    (1, 0.5)
    """
    ours, theirs = rewards[agent], rewards[other]
    groups: dict[Hashable, list[float]] = {}
    for key in [key for key in ours if key in theirs]:
        groups.setdefault(ours[key].incident, []).append((ours[key].reward - theirs[key].reward + 1) / 2)
    values = [value for group in groups.values() for value in group]
    low, high = compute_interval(list(groups.values()), bounded=False)
    mean = sum(values) / len(values) if values else 0.5
    return Pair(
        agent=agent,
        other=other,
        split=split,
        episodes=len(values),
        difference=_unfolded(mean),
        low=_unfolded(low),
        high=_unfolded(high),
    )


def _unfolded(value: float) -> float:
    """From 0 ... 1 to -1 ... 1."""
    return round(2 * value - 1, 4) + 0.0  # no -0.0
