"""Requests, errors and times of an incident's operations and components, as the spans that Jaeger has tell them.

A request to a component is a call that somebody makes of it, as its caller saw it where callers report it under the
name that the component gives it (gRPC does); else the component's own span. Libraries that mark no errors leave their
share unknown. Counts are taken up to what was sampled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry.lives import collect_lives
from aiops_gym.sim.telemetry.searches import collect
from aiops_gym.sim.telemetry.spans import make_tags
from aiops_gym.sim.telemetry.traces import Part, arrived, find_tracer, handler_of
from aiops_gym.sim.traffic.walk import Visit

Floats: TypeAlias = NDArray[np.float64]
Measured: TypeAlias = dict[str, Floats]
"""The series of one subject by their names, NaN where nothing is known."""

MUTE = ("plain", "store")
"""Kinds of spans that never say that something failed."""


class Spans(NamedTuple):
    """Spans of one place: when they began (ms), how long they took (ms), whether they failed, and what each counts."""

    began: Floats
    took: Floats
    failed: Floats
    weight: float


def find_component(app: App, pod: str) -> str:
    """The component that a pod is of, by its name; "" for none."""
    return max((name for name in app.components if pod.startswith(f"{name}-")), key=len, default="")


Places = dict[str, list[Spans]]


def measure_spans(
    world: World, app: App, times: NDArray[np.int64], window: int
) -> tuple[dict[str, Measured], dict[str, Measured]]:
    """The series of operations (without rates and errors, which the load balancer counts) and of components.

    Args:
        world: where.
        app: whose components.
        times: ms of the points.
        window: ms that each of them looks back.
    """
    tracer = find_tracer(world)
    if tracer is None:
        return {}, {}
    operations, components = (
        {name: _measure(spans, times, window, tracer.since) for name, spans in found.items()}
        for found in _gather(world, app, int(times[0]) - window)
    )
    return {name: {key: each[key] for key in ("p50", "p99")} for name, each in operations.items()}, components


def _gather(world: World, app: App, start: int) -> tuple[Places, Places]:
    """The spans of operations and of components, from a start on."""
    parts = [part for several in collect(world, start, world.now) for part in several]
    homes = _find_homes(world, app, parts)
    owners = {
        visit.name: homes[service]
        for part in parts
        for visit, service in _each(part)
        if visit.side == "server" and visit.parent
    }
    operations, components = Places(), Places()
    for part in parts:
        inside = {visit.path: visit.process for visit in part.batch.walk.visits}
        for visit, service in _each(part):
            if not visit.parent:
                operations.setdefault(part.batch.operation, []).append(_take(part, visit, world.now))
            if visit.name in owners and visit.parent:  # the callee's own span of it is another view of the same
                home = owners[visit.name] if visit.side == "client" else ""
            else:
                home = "" if inside.get(visit.parent) == visit.process else homes[service]
            if home:
                components.setdefault(home, []).append(_take(part, visit, world.now))
    return operations, components


def _each(part: Part) -> Iterator[tuple[Visit, str]]:
    return zip(part.visits, part.services, strict=True)


def _find_homes(world: World, app: App, parts: Sequence[Part]) -> dict[str, str]:
    """The component that each service is, by a pod that its spans come from; "" for none."""
    pods = {life.key: life.pod for life in collect_lives(world, app.namespace)}
    found: dict[str, str] = {}
    for part in parts:
        keys = part.batch.interval.outcome["processes"]
        for visit, service in _each(part):
            found[service] = found.get(service) or find_component(app, pods.get(keys[visit.process], ""))
    return found


def _take(part: Part, visit: Visit, now: int) -> Spans:
    """What Jaeger has of a place."""
    known = arrived(part, visit, now) & part.sampled[visit.which]
    began = part.batch.arrivals.ms[visit.which] + visit.begin
    if visit.side in MUTE:
        failed = np.full(len(known), np.nan)
    else:
        handler, failed = handler_of(part.batch), np.zeros(len(known))
        for code in set(visit.codes.tolist()):
            failed[visit.codes == code] = make_tags(visit, code, handler)[0]
    outcome = part.batch.interval.outcome
    root = next(each for each in part.batch.walk.visits if not each.parent)
    weight = 1.0 / (outcome["samples"][root.process] or 1.0)
    return Spans(began[known], (visit.end - visit.begin)[known], failed[known], weight)


def _measure(places: list[Spans], times: NDArray[np.int64], window: int, since: int) -> Measured:
    """The series of some places; of a time before the collector began nothing is known."""
    began, took, failed = (np.concatenate([getattr(each, key) for each in places]) for key in Spans._fields[:3])
    weight = np.concatenate([np.full(len(each.began), each.weight) for each in places])
    order = np.argsort(began, kind="stable")
    began, took, failed, weight = began[order], took[order], failed[order], weight[order]
    lows, highs = np.searchsorted(began, times - window, "right"), np.searchsorted(began, times, "right")
    found = {key: np.full(len(times), np.nan) for key in ("rate", "errors", "p50", "p99")}
    for i, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        if times[i] - window < since:
            continue
        found["rate"][i] = weight[low:high].sum() / (window / SECOND)
        if high > low:
            found["errors"][i] = failed[low:high].mean()
            inside = np.sort(took[low:high])
            for key, share in (("p50", 0.5), ("p99", 0.99)):
                found[key][i] = inside[int(np.ceil(share * len(inside))) - 1]
    return found
