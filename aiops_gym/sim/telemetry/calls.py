"""What all spans that Jaeger has say together: the operations of a service, and which services call which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry.searches import collect
from aiops_gym.sim.telemetry.spans import make_tags, measure
from aiops_gym.sim.telemetry.traces import KEPT, Part, arrived, handler_of
from aiops_gym.sim.traffic import stream
from aiops_gym.sim.traffic.walk import OK, Visit


class Place(NamedTuple):
    """A place in the tree of calls: whose spans come from there, and of which requests they were kept."""

    visit: Visit
    service: str
    own: int
    above: int
    kept: NDArray[np.intp]


def list_operations(world: World, service: str) -> list[tuple[str, str]]:
    """Name and kind of each operation of which a service sent a span, sorted; the kind is "" where no tag says it."""
    found: set[tuple[str, str]] = set()
    for part in chain.from_iterable(collect(world, world.now - KEPT, world.now)):
        for place in _places(part, world.now):
            if place.service == service and len(place.kept):
                tags = dict(make_tags(place.visit, OK, handler_of(part.batch))[1])
                found.add((place.visit.name, tags.get("span.kind", "")))
    return sorted(found)


def count_calls(world: World, start: int, end: int) -> list[tuple[str, str, int]]:
    """Caller, called service and number of calls, sorted, in the traces with a span that began between two times (ms).

    Every trace is counted: the work is bounded by the requests of the time that Jaeger keeps.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for part in chain.from_iterable(collect(world, start - stream.LONGEST, end)):
        counts.update(_count(part, list(_places(part, world.now)), start * 1000, end * 1000))
    return [(caller, called, number) for (caller, called), number in sorted(counts.items())]


def _places(part: Part, now: int) -> Iterator[Place]:
    for visit, service, own, above in zip(part.visits, part.services, part.own, part.above, strict=True):
        kept = np.flatnonzero(arrived(part, visit, now) & part.sampled[visit.which])
        yield Place(visit, service, own, above, kept)


def _count(part: Part, places: list[Place], start: int, end: int) -> Counter[tuple[str, str]]:
    """Calls in one batch; times in microseconds."""
    ms = part.batch.arrivals.ms
    names = sorted(set(part.services))
    holders = {place.own: np.full(len(ms), -1) for place in places}
    meant = np.zeros(len(ms), dtype=bool)
    for visit, service, own, _, kept in places:
        which = visit.which[kept]
        holders[own][which] = names.index(service)
        began, _ = measure(ms[which], visit.begin[kept], visit.end[kept])
        meant[which[(began > start) & (began < end)]] = True
    counts: Counter[tuple[str, str]] = Counter()
    for visit, service, _, above, kept in places:
        if visit.parent and above in holders:
            which = visit.which[kept]
            callers = holders[above][which[meant[which]]]
            for number, count in zip(*np.unique(callers[callers >= 0], return_counts=True), strict=True):
                if names[number] != service:
                    counts[names[number], service] += int(count)
    return counts
