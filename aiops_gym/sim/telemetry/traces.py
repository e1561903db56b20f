"""What Jaeger has: the spans of sampled requests, as far as they reached the tracer that runs now.

Jaeger keeps spans in memory: what was sent while it did not run is lost, and so is all that it had before it restarted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.times import HOUR
from aiops_gym.sim.traffic import stream, timeline
from aiops_gym.sim.traffic.arrivals import identity, uniform
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.traffic.walk import CANCELED, OK, UNIMPLEMENTED, UNKNOWN, Visit
from aiops_gym.sim.world import World
from aiops_gym.types import Span

Json = Any
Mask = NDArray[np.bool_]

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
    """The spans that a request sends to a collector, in the order in which they begin, and when each was over (ms)."""

    spans: list[Span]
    ended: list[float]


class Window(NamedTuple):
    """The requests of a stretch of time, and those of their traces that were asked for, by batch and request."""

    batches: list[stream.Batch]
    traces: dict[tuple[int, int], Trace]


_windows: Cache[Window] = Cache(1, lambda window: 1)
"""The last window: whoever asks for the traces of each service in turn meets most of them several times."""


def services(world: World) -> list[str]:
    """Names of the services that sent spans to the running tracer, sorted; empty without one."""
    tracer = _tracer(world)
    if tracer is None:
        return []
    expected: dict[str, float] = {}
    start = max(tracer.since, world.now - KEPT)
    for interval in timeline.intervals(world, start, world.now):
        outcome = interval.outcome
        for i in _reporting(outcome, tracer):
            share = outcome["samples"][i] * (interval.end - interval.start) / 1000.0
            name = outcome["services"][i]
            expected[name] = expected.get(name, 0.0) + outcome["rps"][i] * share
    sent = [name for name, count in expected.items() if count > SURE]
    sent += [n for n, count in expected.items() if 0.0 < count <= SURE and traces(world, n, start, world.now, 1)[1]]
    return sorted(sent)


def traces(world: World, service: str, start_ms: int, end_ms: int, limit: int) -> tuple[list[Span], int]:
    """The newest `limit` traces through a service among those that began in [start_ms, end_ms).

    Returns:
        Their spans, newest trace first, each trace's in the order in which they began; and how many traces there are.
    """
    tracer = _tracer(world)
    if tracer is None:
        return [], 0
    start, end = max(start_ms, tracer.since, world.now - KEPT), min(end_ms, world.now)
    if end <= start:
        return [], 0
    found = stream.batches(world, start, end)
    hits = [_through(batch, service, tracer, world.now) for batch in found]
    total = sum(len(hit) for hit in hits)
    times = np.concatenate([b.arrivals.ms[hit] for b, hit in zip(found, hits, strict=True)]) if found else np.empty(0)
    owner = np.repeat(np.arange(len(hits)), [len(hit) for hit in hits])
    which = np.concatenate(hits) if hits else np.empty(0, dtype=np.intp)
    newest = np.argsort(-times, kind="stable")[: max(0, limit)]
    order = list(zip(owner[newest].tolist(), which[newest].tolist(), strict=True))
    made = _made(found, order, tracer)
    return [span for key in order for span in _sent(made[key], tracer, world.now)], total


def _made(found: list[stream.Batch], wanted: list[tuple[int, int]], tracer: Tracer) -> dict[tuple[int, int], Trace]:
    """The traces of some requests (number of the batch, number in it), and perhaps of more; each is made once."""
    window = _windows.get((id(found), tracer.process), lambda: Window(found, {}))
    missing: dict[int, list[int]] = {}
    for number, one in sorted(wanted):
        if (number, one) not in window.traces:
            missing.setdefault(number, []).append(one)
    for number, chosen in missing.items():
        traces_ = _spans(found[number], np.array(chosen), tracer)
        window.traces.update(((number, one), trace) for one, trace in traces_.items())
    return window.traces


def _sent(trace: Trace, tracer: Tracer, now: int) -> list[Span]:
    """The spans of a trace that were finished and sent while this tracer ran."""
    return [span for span, ended in zip(trace.spans, trace.ended, strict=True) if tracer.since <= ended <= now]


def _tracer(world: World) -> Tracer | None:
    """The running process that spans are sent to; of several, the one that began first."""
    for key, process in world.table("processes").items():
        if process["program"] == "jaeger" and process["running"]:
            return Tracer(str(key), int(process["started"]))
    return None


def _reporting(outcome: Mapping[str, Json], tracer: Tracer) -> list[int]:
    """Numbers of the processes whose spans reach the tracer."""
    keys = outcome["processes"]
    return [i for i, at in enumerate(outcome["tracers"]) if at >= 0 and keys[at] == tracer.process]


def _through(batch: stream.Batch, service: str, tracer: Tracer, now: int) -> NDArray[np.intp]:
    """Numbers of the requests in a batch of which the service sent a span."""
    outcome = batch.interval.outcome
    reporting = set(_reporting(outcome, tracer))
    seen = np.zeros(len(batch.arrivals.ms), dtype=bool)
    for visit in batch.walk.visits:
        if visit.process in reporting and outcome["services"][visit.process] == service:
            seen[visit.which[_arrived(batch, visit, tracer, now)]] = True
    return np.flatnonzero(seen & _sampled(batch))


def _sampled(batch: stream.Batch) -> Mask:
    """Which requests are traced: decided where they enter."""
    root = next((visit for visit in batch.walk.visits if not visit.parent), None)
    ratio = batch.interval.outcome["samples"][root.process] if root else 0.0
    found: Mask = uniform(batch.arrivals.keys, SAMPLED) < ratio
    return found


def _arrived(batch: stream.Batch, visit: Visit, tracer: Tracer, now: int) -> Mask:
    """Which spans of a visit were finished and sent while this tracer ran."""
    ended = batch.arrivals.ms[visit.which] + visit.end
    found: Mask = (ended >= tracer.since) & (ended <= now)
    return found


def _spans(batch: stream.Batch, chosen: NDArray[np.intp], tracer: Tracer) -> dict[int, Trace]:
    """The traces of some requests of a batch, by request."""
    outcome = batch.interval.outcome
    reporting = set(_reporting(outcome, tracer))
    handler = outcome["entry"][batch.operation]["span"]
    traced = dict(zip(chosen.tolist(), identity(batch.arrivals.keys[chosen], 0), strict=True))
    made: dict[int, list[tuple[Span, float]]] = {one: [] for one in traced}
    wanted = np.zeros(len(batch.arrivals.ms), dtype=bool)
    wanted[chosen] = True
    roots = {visit.path for visit in batch.walk.visits if not visit.parent}
    for visit in batch.walk.visits:
        if visit.process not in reporting:
            continue
        inside = np.flatnonzero(wanted[visit.which])
        which = visit.which[inside]
        keys, came, end = batch.arrivals.keys[which], batch.arrivals.ms[which], visit.end[inside]
        own = identity(keys, 0 if visit.path in roots else visit.path)
        above = identity(keys, 0 if visit.parent in roots else visit.parent) if visit.parent else [""] * len(which)
        begin = ((came + visit.begin[inside]) * 1000.0).astype(np.int64).tolist()
        took = np.maximum(1, (end - visit.begin[inside]) * 1000.0).astype(np.int64).tolist()
        service = outcome["services"][visit.process]
        codes = visit.codes[inside].tolist()
        marks = {code: _tags(visit, code, handler) for code in set(codes)}
        rows = zip(which.tolist(), own, above, begin, took, codes, (came + end).tolist(), strict=True)
        for one, id_, parent, start, duration, code, ended in rows:
            span = Span(traced[one], id_, parent, service, visit.name, start, duration, *marks[code])
            made[one].append((span, ended))
    return {one: _trace(spans) for one, spans in made.items()}


def _trace(spans: list[tuple[Span, float]]) -> Trace:
    spans.sort(key=_begin)
    return Trace([span for span, _ in spans], [ended for _, ended in spans])


def _begin(made: tuple[Span, float]) -> int:
    return made[0].start


def _tags(visit: Visit, code: int, handler: str) -> tuple[bool, tuple[tuple[str, str], ...]]:
    """The error mark and tags, as the tracing libraries of the services set them."""
    if visit.side == "store":
        return False, (("span.kind", "client"),)
    if visit.side == "plain":
        return False, ()
    if visit.side == "nginx":
        status = "200 OK" if code == OK else "500 Internal Server Error"
        method = handler.split(" ")[1] if " " in handler else "GET"
        told = (("component", "nginx"), ("http.method", method), ("http.url", visit.name))
        return code != OK, (*told, ("http.status_code", status[:3]), ("http.status_line", status))
    if not visit.parent:
        method, _, url = visit.name.removeprefix("HTTP ").partition(" ")
        status = "200" if code == OK else "500"
        tags = (
            ("span.kind", "server"),
            ("component", "net/http"),
            ("http.method", method),
            ("http.url", url or handler),
        )
        return code != OK, (*tags, ("http.status_code", status))
    kind = "client" if visit.side == "client" else "server"
    response = "2xx" if code in (OK, CANCELED) else "0xx" if code == UNKNOWN else "5xx"
    error = code != OK and (kind == "client" or code >= UNIMPLEMENTED)
    return error, (("span.kind", kind), ("component", "gRPC"), ("response_class", response))


def one(world: World, trace: str) -> list[Span]:
    """The spans of one trace by its id; none if it is not known, or no longer."""
    tracer = _tracer(world)
    if tracer is None:
        return []
    for batch in stream.batches(world, max(tracer.since, world.now - KEPT), world.now):
        known = identity(batch.arrivals.keys, 0)
        if trace in known:
            found = _spans(batch, np.array([known.index(trace)]), tracer)
            return [span for made in found.values() for span in _sent(made, tracer, world.now)]
    return []
