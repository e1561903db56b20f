"""The history of outcomes: which way requests went between two changes of the world.

Table `timeline` maps a time (`%013d` ms) to the digest of what held from then on; table `outcomes` maps a digest to the
outcome itself. A crash loop goes back and forth between a few outcomes, so the history stays small. Nothing in it ever
changes: what is derived from a past interval stays true.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.traffic import inputs, solutions, strain
from aiops_gym.sim.traffic.load import rate
from aiops_gym.types import Json

ENTRIES = 4_096
"""Changes kept; a crash loop makes some hundred in an hour."""


class Interval(NamedTuple):
    """A stretch of time in which nothing changed: [start, end) ms, and the outcome that held."""

    start: int
    end: int
    digest: str
    outcome: Mapping[str, Json]

    @property
    def success(self) -> Mapping[str, float]:
        """Probability of success of each operation."""
        found: Mapping[str, float] = self.outcome["success"]
        return found


def note(world: World) -> None:
    """Write down the present outcome, if it differs from the last one."""
    digest, outcome = _solve(world)
    strain.plan(world, outcome)
    timeline, kept = world.table("timeline"), world.table("outcomes")
    if timeline and timeline[next(reversed(timeline))] == digest:
        return
    key = f"{world.now:013d}"
    timeline.pop(key, None)
    timeline[key] = digest
    if digest not in kept:
        kept[digest] = outcome
    if len(timeline) > ENTRIES:
        _forget(timeline, kept)


def _solve(world: World) -> tuple[str, Json]:
    """Digest and outcome of what holds now; strains that were not known before have a say in it."""
    load = rate(world)
    found = solutions.solve_present(world, inputs.gather(world, load), load)
    return _solve(world) if strain.settle(world, found[1]) else found


def list_intervals(world: World, start: int, end: int) -> list[Interval]:
    """The intervals that meet [start, end) ms, cut to it, in order. What is in the future is taken to stay as it is."""
    world.settle()
    timeline, kept = world.table("timeline"), world.table("outcomes")
    keys = list(timeline)
    first = max(0, bisect_right(keys, f"{start:013d}") - 1)
    found = []
    for i in range(first, len(keys)):
        begin = int(keys[i])
        if begin >= end:
            break
        until = min(end, int(keys[i + 1])) if i + 1 < len(keys) else end
        if until > start:
            digest = timeline[keys[i]]
            found.append(Interval(max(start, begin), until, digest, kept[digest]))
    return found


def read_current(world: World) -> Mapping[str, Json]:
    """The outcome that holds now."""
    world.settle()
    if not world.table("timeline"):
        note(world)
    return read_newest(world)[1]


def read_newest(world: World) -> tuple[str, Mapping[str, Json]]:
    """Digest and outcome of the last entry, whatever changed since it was noted."""
    timeline = world.table("timeline")
    digest = timeline[next(reversed(timeline))]
    return digest, world.table("outcomes")[digest]


def _forget(timeline: dict[str, Json], kept: dict[str, Json]) -> None:
    """Drop the oldest half, and outcomes that no interval refers to."""
    for key in list(timeline)[: ENTRIES // 2]:
        del timeline[key]
    used = set(timeline.values())
    for digest in [d for d in kept if d not in used]:
        del kept[digest]
