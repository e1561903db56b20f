"""Looking through all that Jaeger has, from the newest to the oldest, a window of some minutes at a time.

The work is bounded by the requests of `KEPT`, and a search ends as soon as it has found as many as it wants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry.spans import Wanted
from aiops_gym.sim.telemetry.traces import KEPT, Part, find_tracer, make_traces, pick_newest, read_parts
from aiops_gym.sim.traffic import stream
from aiops_gym.sim.traffic.arrivals import make_ids, mix
from aiops_gym.types import Span

WINDOW = 20 * MINUTE
"""Milliseconds that are looked at together; windows begin at its multiples, so that they are the same later."""

ID = 16
"""Digits of the id of a trace."""


def search(world: World, wanted: Wanted, limit: int) -> list[Span]:
    """The newest `limit` traces in which one span of a service is all that is wanted, the time included.

    The answer is exact: every request is looked at whose spans can lie in the time that is asked for. Spans are
    compared as arrays; only those of the traces that are given back are made.
    """
    found: list[Span] = []
    for parts in collect(world, wanted.since // 1000 - stream.LONGEST, wanted.until // 1000 + 1):
        spans, total = pick_newest(parts, wanted, limit, world.now)
        found, limit = found + spans, limit - total
        if limit <= 0:
            break
    return found


def collect(world: World, start_ms: int, end_ms: int) -> Iterator[list[Part]]:
    """What the running tracer, if there is one, was sent of the requests that arrived in [start_ms, end_ms)."""
    tracer = find_tracer(world)
    if tracer is None:
        return
    start, end = max(start_ms, tracer.since, world.now - KEPT), min(end_ms, world.now)
    for number in range((end - 1) // WINDOW, start // WINDOW - 1, -1):
        low, high = max(start, number * WINDOW), min(end, (number + 1) * WINDOW)
        if low < high:
            yield read_parts(world, tracer, low, high)


def get_traces(world: World, ids: Collection[str]) -> dict[str, list[Span]]:
    """The spans of traces by their ids; those that are not known, or no longer, are left out."""
    found: dict[str, list[Span]] = {}
    wanted = np.array([int(one, 16) for one in ids if len(one) == ID], dtype=np.uint64)
    for parts in collect(world, world.now - KEPT, world.now):
        if len(found) >= len(wanted):
            break
        for part in parts:
            keys = part.batch.arrivals.keys
            numbers = np.flatnonzero(np.isin(mix(keys), wanted) & part.sampled)
            for key, number in zip(make_ids(keys[numbers], 0), numbers.tolist(), strict=True):
                if spans := make_traces([part], [(0, number)], world.now):
                    found[key] = spans
    return found
