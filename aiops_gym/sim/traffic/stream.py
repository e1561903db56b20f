"""Requests as they happen to fall: drawn from the timeline alone, so that traces and error lines agree."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.traffic import failure_lines
from aiops_gym.sim.traffic.arrivals import BUCKET, Arrivals, draw_arrivals, group_by_operation
from aiops_gym.sim.traffic.failure_lines import Failure, Lines
from aiops_gym.sim.traffic.queueing import PATIENCE
from aiops_gym.sim.traffic.risks import assess
from aiops_gym.sim.traffic.timeline import Interval, list_intervals
from aiops_gym.sim.traffic.walk import Walk
from aiops_gym.types import Json

LONGEST = int(2 * PATIENCE)
"""Milliseconds after its arrival until a request can no longer write a line."""

Noisy = Sequence[tuple[int, int, str]]


class Request(NamedTuple):
    """One request of a user: when it came, what it asked, how long it took and which HTTP status it got (0: none)."""

    ms: int
    operation: str
    latency_ms: float
    status: int


Told = dict[str, list[Lines]]
"""What requests make processes write, by process."""

Key = tuple[int, int, tuple[tuple[int, int, str], ...]]
"""Seed, bucket, and its intervals as (start, end, digest)."""

TOGETHER = 60
"""Buckets whose requests are walked together at most."""


class Batch(NamedTuple):
    """Requests for one operation within one bucket and interval, walked."""

    interval: Interval
    operation: str
    arrivals: Arrivals
    walk: Walk


def list_requests(world: World, start: int, end: int) -> list[Request]:
    """All requests that arrive in [start, end) ms, in order."""
    found = []
    for batch in walk_batches(world, start, end):
        connected = bool(batch.interval.outcome["entry"][batch.operation]["to"])
        for ms, took, ok in zip(batch.arrivals.ms, batch.walk.end, batch.walk.ok, strict=True):
            status = 200 if ok else 500 if connected and took < PATIENCE else 0
            found.append(Request(int(ms), batch.operation, float(took), status))
    return sorted(found)


def walk_batches(world: World, start: int, end: int) -> list[Batch]:
    """The requests that arrive in [start, end) ms, walked, by interval and operation."""
    return _walks.get(
        key(world, start, end), lambda: list(_walk_all(_drawn(world, start, end), list_intervals(world, start, end)))
    )


def key(world: World, start: int, end: int) -> Hashable:
    """All that the requests which arrive in [start, end) ms follow from."""
    return world.seed, start, end, tuple((s.start, s.end, s.digest) for s in list_intervals(world, start - BUCKET, end))


def _drawn(world: World, start: int, end: int) -> Arrivals:
    """All arrivals of [start, end) ms."""
    parts = []
    for bucket in range(start // BUCKET, -(-end // BUCKET)):
        low, high = bucket * BUCKET, min(end, (bucket + 1) * BUCKET)
        parts.append(
            draw_arrivals(
                world.seed, bucket, [(s.start, s.end, s.outcome["rate"]) for s in list_intervals(world, low, high)]
            )
        )
    ms = np.concatenate([part.ms for part in parts]) if parts else np.empty(0)
    keys = np.concatenate([part.keys for part in parts]) if parts else np.empty(0, dtype=np.uint64)
    first = int(np.searchsorted(ms, start))
    return Arrivals(ms[first:], keys[first:])


def find_noisy(world: World, process: str) -> Noisy:
    """The intervals (start, end, digest) in which calls of a process may fail."""
    world.settle()
    timeline, kept = world.table("timeline"), world.table("outcomes")
    times = list(timeline)
    found = []
    for i, time in enumerate(times):
        digest = timeline[time]
        if process in assess(digest, kept[digest]).processes:
            until = int(times[i + 1]) if i + 1 < len(times) else 1 << 60
            found.append((int(time), until, digest))
    return found


def list_failures(world: World, process: str, start: int, end: int) -> list[Failure]:
    """Lines that requests make a process write in [start, end) ms, in order; mostly about failed calls."""
    buckets = _told(world, range((start - LONGEST) // BUCKET, -(-end // BUCKET)), end)
    found = [line for by_process in buckets for some in by_process.get(process, ()) for line in some.read(start, end)]
    several = any(line.order for line in found)
    return sorted(found, key=_place if several else None)  # the place of a line alone is the order of the tuples


def _place(line: Failure) -> tuple[Json, ...]:
    """In the order of time; what one failed call leaves stays together."""
    return (line.ms, line.arrived if line.order else 0, line.order, *line)


def list_crashes(world: World, start: int, end: int) -> list[Failure]:
    """Failed calls in [start, end) ms that end their caller's process, in order, as if nothing changed till then."""
    every = range((start - LONGEST) // BUCKET, -(-end // BUCKET))
    buckets = _told(world, every, every.stop * BUCKET)
    told = [some for by_process in buckets for several in by_process.values() for some in several]
    return sorted(line for some in told for line in some.read(start, end, panics=True) if _lives(world, line))


def _lives(world: World, line: Failure) -> bool:
    """Whether the process that a request made fail is still the one that took it."""
    process = world.table("processes").get(line.process)
    return process is not None and process["running"] and line.arrived >= process["started"]


_cache: Cache[Told] = Cache(
    Entry(
        f"{__name__}.told",
        "drawing and walking the requests that may fail",
        key="seed, bucket of time, its intervals with the digests of their outcomes",
        bound=40_000,
        unit="lines of logs",
    ),
    lambda told: 1 + sum(len(some.ms) for several in told.values() for some in several),
)


_walks: Cache[list[Batch]] = Cache(
    Entry(
        f"{__name__}.walks",
        "drawing and walking all requests of some time",
        key="seed, start, end, its intervals with the digests of their outcomes",
        bound=12_000,
        unit="requests",
    ),
    lambda batches: 1 + sum(len(batch.arrivals.ms) for batch in batches),
)


def _told(world: World, every: range, end: int) -> list[Told]:
    """What requests of some buckets, as far as they arrive before `end`, make processes write."""
    keys: list[Key] = []
    missing: dict[Key, list[Interval]] = {}
    known: dict[Key, Told] = {}
    for bucket in every:
        stretches = list_intervals(world, bucket * BUCKET, min(end, (bucket + 1) * BUCKET))
        key = (world.seed, bucket, tuple((s.start, s.end, s.digest) for s in stretches))
        keys.append(key)
        if (found := _cache.seen(key)) is None:
            missing[key] = stretches
        else:
            known[key] = found
    parts = list(missing.items())
    for first in range(0, len(parts), TOGETHER):
        known |= _gather(parts[first : first + TOGETHER])
    for key in missing:
        _cache.put(key, known[key])
    return [known[key] for key in keys]


def _gather(parts: Sequence[tuple[Key, list[Interval]]]) -> dict[Key, Told]:
    """The lines of several buckets: requests that met the same outcome are walked together, which changes nothing."""
    found: dict[Key, Told] = {key: {} for key, _ in parts}
    at = {key[1]: key for key, _ in parts}
    meeting: dict[str, list[tuple[Interval, Arrivals]]] = {}
    for (seed, bucket, _), stretches in parts:
        drawn = draw_arrivals(seed, bucket, [(s.start, s.end, s.outcome["rate"]) for s in stretches])
        for stretch in stretches:
            low, high = np.searchsorted(drawn.ms, [stretch.start, stretch.end])
            meeting.setdefault(stretch.digest, []).append((stretch, Arrivals(drawn.ms[low:high], drawn.keys[low:high])))
    for same in meeting.values():
        ms = np.concatenate([part.ms for _, part in same])
        keys = np.concatenate([part.keys for _, part in same])
        for batch in _walk(same[0][0], Arrivals(ms, keys), risky_only=True):
            for bucket, lines in failure_lines.write_lines(
                batch.interval.outcome["processes"], batch.arrivals, batch.walk
            ):
                found[at[bucket]].setdefault(lines.process, []).append(lines)
    return found


def _walk_all(drawn: Arrivals, stretches: list[Interval]) -> Iterator[Batch]:
    """Walk arrivals, each through the outcome of the interval in which it falls."""
    for stretch in stretches:
        low, high = np.searchsorted(drawn.ms, [stretch.start, stretch.end])
        yield from _walk(stretch, Arrivals(drawn.ms[low:high], drawn.keys[low:high]))


def _walk(stretch: Interval, part: Arrivals, risky_only: bool = False) -> Iterator[Batch]:
    """Walk arrivals through the outcome of an interval, by operation."""
    loud = assess(stretch.digest, stretch.outcome).operations if risky_only else None
    for name, which in group_by_operation(stretch.outcome, part.keys) if len(part.ms) else ():
        if len(which) and (loud is None or name in loud):
            chosen = Arrivals(part.ms[which], part.keys[which])
            yield Batch(stretch, name, chosen, Walk(stretch.outcome, name, chosen.keys))
