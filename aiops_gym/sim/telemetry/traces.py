"""What Jaeger has: the spans of sampled requests, as far as they reached the tracer that runs now.

Jaeger keeps spans in memory: what was sent while it did not run is lost, and so is all that it had before it restarted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel.times import HOUR
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.telemetry.spans import Mask, Wanted, find_fitting, make_tags, measure
from aiops_gym.sim.traffic import stream, timeline
from aiops_gym.sim.traffic.arrivals import Keys, draw_uniform, make_ids, mix
from aiops_gym.sim.traffic.walk import Visit
from aiops_gym.types import Json, Span

SURE = 25.0
"""Expected requests above which a service has certainly sent spans."""

KEPT = 2 * HOUR
"""How far back is looked."""

SAMPLED = 7
"""Column of the draw that decides whether a request is traced."""


class Tracer(NamedTuple):
    """The running collector: key of its process, and since when it runs."""

    process: str
    since: int


class Trace(NamedTuple):
    """The spans that a request sends to a collector, in the order in which they begin, and when each was over (ms).

    Attributes:
        first, last: the earliest and the latest end.
    """

    spans: list[Span]
    ended: list[float]
    first: float
    last: float


class Part(NamedTuple):
    """A batch as a collector sees it.

    Attributes:
        tracer: the collector.
        visits: whose spans reach it, in the order of the tree.
        services: of each.
        own, above: what the ids of their spans, and of those above them, are drawn from.
        sampled: which requests are traced: decided where they enter.
        traces: those that were asked for, by request.
    """

    batch: stream.Batch
    tracer: Tracer
    visits: list[Visit]
    services: list[str]
    own: list[int]
    above: list[int]
    sampled: Mask
    traces: dict[int, Trace]


_windows: Cache[list[Part]] = Cache(
    Entry(
        f"{__name__}.windows",
        "making the spans of a trace again for each service in it",
        key="seed, start, end, its intervals with the digests of their outcomes, the collector",
        bound=40_000,
        unit="requests",
    ),
    lambda parts: 1 + sum(len(part.sampled) for part in parts),
)
_senders: Cache[list[tuple[str, float, float]]] = Cache(
    Entry(
        f"{__name__}.senders",
        "finding who reports to a collector: service, requests per second, sampled share",
        key="digest of the outcome, the collector",
        bound=200,
    )
)


def list_services(world: World) -> list[str]:
    """Names of the services that sent spans to the running tracer, sorted; empty without one."""
    tracer = find_tracer(world)
    if tracer is None:
        return []
    expected: dict[str, float] = {}
    start = max(tracer.since, world.now - KEPT)
    for interval in timeline.list_intervals(world, start, world.now):
        for name, rps, sampled in _sending(interval, tracer):
            share = sampled * (interval.end - interval.start) / 1000.0
            expected[name] = expected.get(name, 0.0) + rps * share
    sent = [name for name, count in expected.items() if count > SURE]
    sent += [
        n for n, count in expected.items() if 0.0 < count <= SURE and find_traces(world, n, start, world.now, 1)[1]
    ]
    return sorted(sent)


def find_traces(world: World, service: str, start_ms: int, end_ms: int, limit: int) -> tuple[list[Span], int]:
    """The newest `limit` traces through a service among those that began in [start_ms, end_ms).

    Returns:
        Their spans, newest trace first, each trace's in the order in which they began; and how many traces there are.
    """
    tracer = find_tracer(world)
    if tracer is None:
        return [], 0
    start, end = max(start_ms, tracer.since, world.now - KEPT), min(end_ms, world.now)
    if end <= start:
        return [], 0
    return pick_newest(read_parts(world, tracer, start, end), Wanted(service), limit, world.now)


def read_parts(world: World, tracer: Tracer, start: int, end: int) -> list[Part]:
    """What the running tracer was sent of the requests that arrived in [start, end) ms, which it ran all the time."""
    key = (stream.key(world, start, end), tracer.process)
    return _windows.get(key, lambda: [_part(each, tracer) for each in stream.walk_batches(world, start, end)])


def pick_newest(parts: list[Part], wanted: Wanted, limit: int, now: int) -> tuple[list[Span], int]:
    """Spans of the newest `limit` traces in some batches with a span that is wanted, and how many there are."""
    if not parts:
        return [], 0
    hits = [_through(part, wanted, now) for part in parts]
    total = sum(len(hit) for hit in hits)
    times = np.concatenate([part.batch.arrivals.ms[hit] for part, hit in zip(parts, hits, strict=True)])
    owner = np.repeat(np.arange(len(hits)), [len(hit) for hit in hits])
    which = np.concatenate(hits)
    newest = np.argsort(-times, kind="stable")[: max(0, limit)]
    return make_traces(parts, list(zip(owner[newest].tolist(), which[newest].tolist(), strict=True)), now), total


def make_traces(parts: list[Part], wanted: list[tuple[int, int]], now: int) -> list[Span]:
    """What was sent of the traces of some requests: number of the part, number in it."""
    _make(parts, wanted)
    spans: list[Span] = []
    for number, one in wanted:
        spans += _sent(parts[number].traces[one], parts[number].tracer, now)
    return spans


def _make(parts: list[Part], wanted: list[tuple[int, int]]) -> None:
    """Make the traces of some requests (number of the part, number in it), if they are not there yet."""
    missing: dict[int, list[int]] = {}
    for number, one in sorted(wanted):
        if one not in parts[number].traces:
            missing.setdefault(number, []).append(one)
    for number, chosen in missing.items():
        parts[number].traces.update(_traces(parts[number], np.array(chosen)))


def _sent(trace: Trace, tracer: Tracer, now: int) -> list[Span]:
    """The spans of a trace that were finished and sent while this tracer ran."""
    if tracer.since <= trace.first and trace.last <= now:
        return trace.spans
    return [span for span, ended in zip(trace.spans, trace.ended, strict=True) if tracer.since <= ended <= now]


def find_tracer(world: World) -> Tracer | None:
    """The running process that spans are sent to; of several, the one that began first."""
    for key, process in world.table("processes").items():
        if process["running"] and program_of(world, process).collector:
            return Tracer(str(key), int(process["started"]))
    return None


def _reporting(outcome: Mapping[str, Json], tracer: Tracer) -> list[int]:
    """Numbers of the processes whose spans reach the tracer."""
    keys = outcome["processes"]
    return [i for i, at in enumerate(outcome["tracers"]) if at >= 0 and keys[at] == tracer.process]


def _sending(interval: timeline.Interval, tracer: Tracer) -> list[tuple[str, float, float]]:
    outcome = interval.outcome
    return _senders.get(
        (interval.digest, tracer.process),
        lambda: [
            (outcome["services"][i], outcome["rps"][i], outcome["samples"][i]) for i in _reporting(outcome, tracer)
        ],
    )


def _part(batch: stream.Batch, tracer: Tracer) -> Part:
    outcome, walked = batch.interval.outcome, batch.walk.visits
    reporting = set(_reporting(outcome, tracer))
    visits = [visit for visit in walked if visit.process in reporting]
    root = next((visit for visit in walked if not visit.parent), None)
    ratio = outcome["samples"][root.process] if root else 0.0
    columns = {visit.path: 0 for visit in walked if not visit.parent}
    return Part(
        batch,
        tracer,
        visits,
        [outcome["services"][visit.process] for visit in visits],
        [columns.get(visit.path, visit.path) for visit in visits],
        [columns.get(visit.parent, visit.parent) for visit in visits],
        draw_uniform(batch.arrivals.keys, SAMPLED) < ratio,
        {},
    )


def _through(part: Part, wanted: Wanted, now: int) -> NDArray[np.intp]:
    """Numbers of the requests in a batch of which the service sent a span that is wanted."""
    seen = np.zeros(len(part.sampled), dtype=bool)
    plain = wanted == Wanted(wanted.service)
    for visit, name in zip(part.visits, part.services, strict=True):
        if name == wanted.service and wanted.operation in ("", visit.name):
            fitting = arrived(part, visit, now)
            if not plain:
                fitting &= find_fitting(visit, part.batch.arrivals.ms[visit.which], handler_of(part.batch), wanted)
            seen[visit.which[fitting]] = True
    return np.flatnonzero(seen & part.sampled)


def handler_of(batch: stream.Batch) -> str:
    """What the users of a batch asked for, as the entry's spans name it."""
    return str(batch.interval.outcome["entry"][batch.operation]["span"])


def arrived(part: Part, visit: Visit, now: int) -> Mask:
    """Which spans of a visit were finished and sent while the tracer ran."""
    ended = part.batch.arrivals.ms[visit.which] + visit.end
    found: Mask = (ended >= part.tracer.since) & (ended <= now)
    return found


def _traces(part: Part, chosen: NDArray[np.intp]) -> dict[int, Trace]:
    """The traces of some requests of a batch, by request; the spans of all visits are made together."""
    keys, ms = part.batch.arrivals.keys, part.batch.arrivals.ms
    wanted = np.zeros(len(ms), dtype=bool)
    wanted[chosen] = True
    inside = [np.flatnonzero(wanted[visit.which]) for visit in part.visits]
    cut = [(v.which[at], v.begin[at], v.end[at], v.codes[at]) for v, at in zip(part.visits, inside, strict=True)]
    traced = dict(zip(chosen.tolist(), make_ids(keys[chosen], 0), strict=True))
    if not cut:
        return {one: Trace([], [], 0.0, 0.0) for one in traced}
    which, begin, end, codes = (np.concatenate(columns) for columns in zip(*cut, strict=True))
    starts, lengths = measure(ms[which], begin, end)
    order = np.lexsort((starts, which))  # of spans that begin at once, first what is further up in the tree
    took = lengths[order].tolist()
    place = np.repeat(np.arange(len(inside)), [len(at) for at in inside])[order]
    which, ended = which[order], (ms[which] + end)[order].tolist()
    numbers, code_list = place.tolist(), codes[order].tolist()
    own, above = _ids(keys[which], part.own, place), _ids(keys[which], part.above, place)
    handler = handler_of(part.batch)
    marks = {
        pair: make_tags(part.visits[pair[0]], pair[1], handler) for pair in set(zip(numbers, code_list, strict=True))
    }
    names, services_ = [visit.name for visit in part.visits], part.services
    rows = zip(which.tolist(), own, above, numbers, starts[order].tolist(), took, code_list, strict=True)
    inner = [bool(visit.parent) for visit in part.visits]
    spans = [
        Span(traced[one], id_, parent if inner[at] else "", services_[at], names[at], start, duration, *marks[at, code])
        for one, id_, parent, at, start, duration, code in rows
    ]
    edges = np.searchsorted(which, [chosen, chosen + 1]).T.tolist()
    return {one: _trace(spans[low:high], ended[low:high]) for one, (low, high) in zip(traced, edges, strict=True)}


def _trace(spans: list[Span], ended: list[float]) -> Trace:
    return Trace(spans, ended, min(ended, default=0.0), max(ended, default=0.0))


def _ids(keys: Keys, columns: list[int], place: NDArray[np.intp]) -> list[str]:
    """Ids of spans, by the request and what is drawn from at the place."""
    return [f"{value or 1:016x}" for value in mix(keys ^ np.array(columns, dtype=np.uint64)[place]).tolist()]
