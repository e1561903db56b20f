"""Requests as they happen to fall: drawn from the timeline alone, so that traces and error lines agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from aiops_gym.sim.traffic.arrivals import BUCKET, Arrivals, Floats, arrivals, ordered, uniform
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.traffic.clients.client import lines
from aiops_gym.sim.traffic.queueing import PATIENCE
from aiops_gym.sim.traffic.risks import assess
from aiops_gym.sim.traffic.timeline import Interval, intervals
from aiops_gym.sim.traffic.walk import Walk
from aiops_gym.sim.world import World

Json = Any

LONGEST = int(2 * PATIENCE)
"""Milliseconds after its arrival until a request can no longer write a line."""

Noisy = Sequence[tuple[int, int, str]]

USER, USERS = 11, 962
"""Column of the draw of who makes a request, and how many users there are."""

AGAIN = 500
"""Milliseconds after which a database's client tries again to connect to a server that hung up."""

TURNED_AWAY = "turned away"
"""Level of a line about a client that a server hung up on; `source` is its address, the message what happened."""

MOST_LINES = 16
"""Lines that one failed call may leave."""

DENIED = "denied"
"""Level of the line of a server that refuses a question; the source is then the client's address."""

TURNING_AWAY = ("accepted", "refused", "ended")


class Request(NamedTuple):
    """One request of a user: when it came, what it asked, how long it took and which HTTP status it got (0: none)."""

    ms: int
    operation: str
    latency_ms: float
    status: int


class Failure(NamedTuple):
    """A line that a request leaves in the log of a process, mostly of the caller in a failed call.

    Attributes:
        ms: when the call failed.
        process: key of the caller.
        level, source, message: of the line.
        panic: the error that ends the caller's process; "" where the caller goes on.
        arrived: when the user's request came.
        order: among the lines of its ms, where a failed call leaves several; those stay together.
    """

    ms: int
    process: str
    level: str
    source: str
    message: str
    panic: str
    arrived: int
    order: int = 0


Lines = dict[str, list[Failure]]
"""What requests make processes write, by process."""

Told = tuple[int, str, list[Failure]]
"""The bucket in which requests arrived, a process, and lines that they made it write."""

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
    """Lines that requests make a process write in [start, end) ms, in order; mostly about failed calls."""
    told = _told(world, range((start - LONGEST) // BUCKET, -(-end // BUCKET)), end)
    found = [line for lines_ in told for line in lines_.get(process, ()) if start <= line.ms < end and not line.panic]
    several = any(line.order for line in found)
    return sorted(found, key=_place if several else None)  # the place of a line alone is the order of the tuples


def _place(line: Failure) -> tuple[Json, ...]:
    """In the order of time; what one failed call leaves stays together."""
    return (line.ms, line.arrived if line.order else 0, line.order, *line)


def crashes(world: World, start: int, end: int) -> list[Failure]:
    """Failed calls in [start, end) ms that end their caller's process, in order, as if nothing changed till then."""
    every = range((start - LONGEST) // BUCKET, -(-end // BUCKET))
    told = _told(world, every, every.stop * BUCKET)
    lines_ = [line for by_process in told for some in by_process.values() for line in some]
    return sorted(line for line in lines_ if line.panic and start <= line.ms < end and _lives(world, line))


def _lives(world: World, line: Failure) -> bool:
    """Whether the process that a request made fail is still the one that took it."""
    process = world.table("processes").get(line.process)
    return process is not None and process["running"] and line.arrived >= process["started"]


_cache: Cache[Lines] = Cache(40_000, lambda told: 1 + sum(len(some) for some in told.values()))


_walks: Cache[list[Batch]] = Cache(12_000, lambda batches: 1 + sum(len(batch.arrivals.ms) for batch in batches))


def _told(world: World, every: range, end: int) -> list[Lines]:
    """What requests of some buckets, as far as they arrive before `end`, make processes write."""
    keys: list[Key] = []
    missing: dict[Key, list[Interval]] = {}
    known: dict[Key, Lines] = {}
    for bucket in every:
        stretches = intervals(world, bucket * BUCKET, min(end, (bucket + 1) * BUCKET))
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


def _gather(parts: Sequence[tuple[Key, list[Interval]]]) -> dict[Key, Lines]:
    """The lines of several buckets: requests that met the same outcome are walked together, which changes nothing."""
    found: dict[Key, Lines] = {key: {} for key, _ in parts}
    at = {key[1]: key for key, _ in parts}
    meeting: dict[str, list[tuple[Interval, Arrivals]]] = {}
    for (seed, bucket, _), stretches in parts:
        drawn = arrivals(seed, bucket, [(s.start, s.end, s.outcome["rate"]) for s in stretches])
        for stretch in stretches:
            low, high = np.searchsorted(drawn.ms, [stretch.start, stretch.end])
            meeting.setdefault(stretch.digest, []).append((stretch, Arrivals(drawn.ms[low:high], drawn.keys[low:high])))
    for same in meeting.values():
        ms = np.concatenate([part.ms for _, part in same])
        keys = np.concatenate([part.keys for _, part in same])
        for batch in _walk(same[0][0], Arrivals(ms, keys), risky_only=True):
            for bucket, process, told in chain(_troubles(batch), _sayings(batch), _turned_away(batch), _denied(batch)):
                found[at[bucket]].setdefault(process, []).extend(told)
    return found


def _troubles(batch: Batch) -> Iterator[Told]:
    """What callers log of calls that failed."""
    keys = batch.interval.outcome["processes"]
    for trouble in batch.walk.troubles:
        call, key = trouble.call, keys[trouble.process]
        panics = call["on_error"] == "panic"
        said, shunned = lines(call["log"]) or ([["", "{error}", "error"]] if panics else []), call.get("shunned")
        if not (said or shunned):
            continue
        came = batch.arrivals.ms[trouble.which]
        times, arrivals_ = (came + trouble.end).astype(np.int64).tolist(), came.astype(np.int64).tolist()
        what = list(zip(trouble.errors, trouble.reached.tolist(), strict=True))
        written: dict[tuple[str, bool], list[tuple[str, str, str, str]]] = {}  # few texts, many requests
        for error, reached in set(what):
            several, panic = said if reached or shunned is None else shunned, error if panics else ""
            written[error, reached] = [
                (level, at, text.replace("{error}", error), panic) for at, text, level in several
            ]
        numbers = (batch.arrivals.keys[trouble.which] >> np.uint64(40)).tolist()
        for bucket, those in _stretches(came):
            every = zip(
                times[those], arrivals_[those], numbers[those], [written[each] for each in what[those]], strict=True
            )
            yield (
                bucket,
                key,
                [
                    Failure(ms, key, *line, arrived, MOST_LINES * number + order if len(texts) > 1 else 0)
                    for ms, arrived, number, texts in every
                    for order, line in enumerate(texts, 1)
                ],
            )


def _sayings(batch: Batch) -> Iterator[Told]:
    """What handlers say of each request; `{user}` is who made it."""
    keys = batch.interval.outcome["processes"]
    for saying in batch.walk.sayings:
        key, came = keys[saying.process], batch.arrivals.ms[saying.which]
        times, arrivals_ = (came + saying.at).astype(np.int64).tolist(), came.astype(np.int64).tolist()
        users = (uniform(batch.arrivals.keys[saying.which], USER) * USERS).astype(np.int64).tolist()
        for bucket, those in _stretches(came):
            yield (
                bucket,
                key,
                [
                    Failure(ms, key, level, source, message.replace("{user}", str(user)), "", arrived, order)
                    for ms, arrived, user in zip(times[those], arrivals_[those], users[those], strict=True)
                    for order, (source, message, level) in enumerate(saying.lines, 1)
                ],
            )


def _turned_away(batch: Batch) -> Iterator[Told]:
    """What servers log that hang up on their clients: these try again after some time, however much is asked."""
    keys = batch.interval.outcome["processes"]
    for trouble in batch.walk.troubles:
        for server in trouble.call.get("turned_away", ()):
            key, remote = keys[server], trouble.call["remote"]
            came = batch.arrivals.ms[trouble.which]
            times = (came + trouble.end - trouble.call["after"]).astype(np.int64)
            last = (0, -AGAIN)
            for bucket, ms in sorted(zip((came // BUCKET).astype(np.int64).tolist(), times.tolist(), strict=True)):
                if bucket > last[0] or ms >= last[1] + AGAIN:
                    last = (bucket, ms)
                    lines_ = enumerate(TURNING_AWAY, 1)
                    yield (
                        bucket,
                        key,
                        [Failure(ms, key, TURNED_AWAY, remote, what, "", ms, order) for order, what in lines_],
                    )


def _denied(batch: Batch) -> Iterator[Told]:
    """What databases log of questions that whoever asks them has no right to."""
    keys = batch.interval.outcome["processes"]
    for trouble in batch.walk.troubles:
        refusing = {text: keys[server] for server, text in trouble.call.get("denied", ())}
        if refusing.keys().isdisjoint(trouble.errors):
            continue
        came, remote = batch.arrivals.ms[trouble.which], trouble.call["remote"]
        times, arrivals_ = (came + trouble.end).astype(np.int64).tolist(), came.astype(np.int64).tolist()
        for ms, arrived, error in zip(times, arrivals_, trouble.errors, strict=True):
            if error in refusing:
                key = refusing[error]
                yield arrived // BUCKET, key, [Failure(ms, key, DENIED, remote, error, "", arrived, 1)]


def _stretches(came: Floats) -> Iterator[tuple[int, slice]]:
    """Neighbouring requests of the same bucket, by the times at which they came."""
    buckets = (came // BUCKET).astype(np.int64)
    edges = [0, *(np.flatnonzero(np.diff(buckets)) + 1).tolist(), len(came)]
    for low, high in pairwise(edges):
        if low < high:
            yield int(buckets[low]), slice(low, high)


def _walk_all(drawn: Arrivals, stretches: list[Interval]) -> Iterator[Batch]:
    """Walk arrivals, each through the outcome of the interval in which it falls."""
    for stretch in stretches:
        low, high = np.searchsorted(drawn.ms, [stretch.start, stretch.end])
        yield from _walk(stretch, Arrivals(drawn.ms[low:high], drawn.keys[low:high]))


def _walk(stretch: Interval, part: Arrivals, risky_only: bool = False) -> Iterator[Batch]:
    """Walk arrivals through the outcome of an interval, by operation."""
    loud = assess(stretch.digest, stretch.outcome).operations if risky_only else None
    for name, which in ordered(stretch.outcome, part.keys) if len(part.ms) else ():
        if len(which) and (loud is None or name in loud):
            chosen = Arrivals(part.ms[which], part.keys[which])
            yield Batch(stretch, name, chosen, Walk(stretch.outcome, name, chosen.keys))
