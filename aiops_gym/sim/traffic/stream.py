"""Requests as they happen to fall: drawn from the timeline alone, so that traces and error lines agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from aiops_gym.sim.traffic.arrivals import BUCKET, Arrivals, arrivals, ordered
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.traffic.queueing import PATIENCE
from aiops_gym.sim.traffic.risks import assess
from aiops_gym.sim.traffic.timeline import Interval, intervals
from aiops_gym.sim.traffic.walk import Walk
from aiops_gym.sim.world import World

Json = Any

LONGEST = int(2 * PATIENCE)
"""Milliseconds after its arrival until a request can no longer write a line."""

Noisy = Sequence[tuple[int, int, str]]


class Request(NamedTuple):
    """One request of a user: when it came, what it asked, how long it took and which HTTP status it got (0: none)."""

    ms: int
    operation: str
    latency_ms: float
    status: int


class Failure(NamedTuple):
    """A line that a failed call leaves in the log of its caller.

    Attributes:
        ms: when the call failed.
        process: key of the caller.
        level, source, message: of the line.
        panic: the error that ends the caller's process; "" where the caller goes on.
        arrived: when the user's request came.
    """

    ms: int
    process: str
    level: str
    source: str
    message: str
    panic: str
    arrived: int


class Batch(NamedTuple):
    """Requests for one operation within one bucket and interval, walked."""

    interval: Interval
    operation: str
    arrivals: Arrivals
    walk: Walk


def requests(world: World, start: int, end: int) -> list[Request]:
    """All requests that arrive in [start, end) ms, in order."""
    found = []
    for batch in batches(world, start, end):
        connected = bool(batch.interval.outcome["entry"][batch.operation]["to"])
        for ms, took, ok in zip(batch.arrivals.ms, batch.walk.end, batch.walk.ok, strict=True):
            status = 200 if ok else 500 if connected and took < PATIENCE else 0
            found.append(Request(int(ms), batch.operation, float(took), status))
    return sorted(found)


def batches(world: World, start: int, end: int) -> list[Batch]:
    """The requests that arrive in [start, end) ms, walked, by interval and operation."""
    stretches = intervals(world, start, end)
    key = (world.seed, start, end, tuple((s.start, s.end, s.digest) for s in intervals(world, start - BUCKET, end)))
    return _walks.get(key, lambda: list(_walk_all(_drawn(world, start, end), stretches)))


def _drawn(world: World, start: int, end: int) -> Arrivals:
    """All arrivals of [start, end) ms."""
    parts = []
    for bucket in range(start // BUCKET, -(-end // BUCKET)):
        low, high = bucket * BUCKET, min(end, (bucket + 1) * BUCKET)
        parts.append(
            arrivals(world.seed, bucket, [(s.start, s.end, s.outcome["rate"]) for s in intervals(world, low, high)])
        )
    ms = np.concatenate([part.ms for part in parts]) if parts else np.empty(0)
    keys = np.concatenate([part.keys for part in parts]) if parts else np.empty(0, dtype=np.uint64)
    first = int(np.searchsorted(ms, start))
    return Arrivals(ms[first:], keys[first:])


def noisy(world: World, process: str) -> Noisy:
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


def failures(world: World, process: str, start: int, end: int) -> list[Failure]:
    """Lines about failed calls that a process writes in [start, end) ms, in order."""
    found: list[Failure] = []
    for bucket in range((start - LONGEST) // BUCKET, -(-end // BUCKET)):
        low, high = bucket * BUCKET, min(end, (bucket + 1) * BUCKET)
        lines = _failures(world, bucket, intervals(world, low, high)).get(process, ())
        found += [line for line in lines if start <= line.ms < end and not line.panic]
    return sorted(found)


def crashes(world: World, start: int, end: int) -> list[Failure]:
    """Failed calls in [start, end) ms that end their caller's process, in order, as if nothing changed till then."""
    found: list[Failure] = []
    for bucket in range((start - LONGEST) // BUCKET, -(-end // BUCKET)):
        low = bucket * BUCKET
        for lines in _failures(world, bucket, intervals(world, low, low + BUCKET)).values():
            found += [line for line in lines if line.panic and start <= line.ms < end and _lives(world, line)]
    return sorted(found)


def _lives(world: World, line: Failure) -> bool:
    """Whether the process that a request made fail is still the one that took it."""
    process = world.table("processes").get(line.process)
    return process is not None and process["running"] and line.arrived >= process["started"]


_cache: Cache[dict[str, list[Failure]]] = Cache(40_000, lambda lines: 1 + sum(len(some) for some in lines.values()))


_walks: Cache[list[Batch]] = Cache(12_000, lambda batches: 1 + sum(len(batch.arrivals.ms) for batch in batches))


def _failures(world: World, bucket: int, stretches: list[Interval]) -> dict[str, list[Failure]]:
    """All failed calls of the requests of a bucket that are told of, by process."""
    key = (world.seed, bucket, tuple((s.start, s.end, s.digest) for s in stretches))
    return _cache.get(key, lambda: _gather(world.seed, bucket, stretches))


def _gather(seed: int, bucket: int, stretches: list[Interval]) -> dict[str, list[Failure]]:
    found: dict[str, list[Failure]] = {}
    drawn = arrivals(seed, bucket, [(s.start, s.end, s.outcome["rate"]) for s in stretches])
    for batch in _walk_all(drawn, stretches, risky_only=True):
        keys = batch.interval.outcome["processes"]
        for trouble in batch.walk.troubles:
            call = trouble.call
            panics = call["on_error"] == "panic"
            if not (call["log"] or panics):
                continue
            lines = found.setdefault(keys[trouble.process], [])
            times = batch.arrivals.ms[trouble.which] + trouble.end
            came = batch.arrivals.ms[trouble.which]
            for ms, arrived, error in zip(times.astype(np.int64), came, trouble.errors, strict=True):
                source, message = call["log"] or ("", error)
                text = message.replace("{error}", error)
                panic = error if panics else ""
                lines.append(Failure(int(ms), keys[trouble.process], "error", source, text, panic, int(arrived)))
    return found


def _walk_all(drawn: Arrivals, stretches: list[Interval], risky_only: bool = False) -> Iterator[Batch]:
    """Walk arrivals, each through the outcome of the interval in which it falls."""
    for stretch in stretches:
        low, high = np.searchsorted(drawn.ms, [stretch.start, stretch.end])
        if low == high:
            continue
        part = Arrivals(drawn.ms[low:high], drawn.keys[low:high])
        loud = assess(stretch.digest, stretch.outcome).operations if risky_only else None
        for name, which in ordered(stretch.outcome, part.keys):
            if len(which) and (loud is None or name in loud):
                chosen = Arrivals(part.ms[which], part.keys[which])
                yield Batch(stretch, name, chosen, Walk(stretch.outcome, name, chosen.keys))
