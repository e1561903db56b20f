"""What becomes of requests at this moment: rates, queues, and the exact chance and mean time of success.

Works on the data of `graph.survey`. Times are distributions on a coarse grid, because what decides about success are
seconds (retransmissions, delays, queues), not the milliseconds of healthy work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym import caches
from aiops_gym.sim.traffic.queueing import BACKLOG, PATIENCE, Queue, solve_queue
from aiops_gym.types import Json

Grid = NDArray[np.float64]

STEP = 100.0
"""Milliseconds of one cell of the grid."""

CELLS = int(PATIENCE / STEP)
"""Cells until a user gives up; what comes later is lost."""

RESEND = 200.0
"""Milliseconds until TCP sends a lost packet again, doubling each time (Linux' least retransmission timeout)."""

HOP = 0.25
"""Milliseconds of one round trip between two pods."""

ROUNDS = 3
"""Times that rates and outcomes are computed from each other; they move by less than a percent after that."""

Call = dict[str, Json]


class Fate(NamedTuple):
    """How a call or handler ends: masses over the grid, and the mean time of success in ms."""

    ok: Grid
    fail: Grid
    mean: float


NOW = np.ones(1)
NEVER = np.zeros(1)
DONE = Fate(NOW, NEVER, 0.0)


def solve(graph: Json, rate: float, weights: Mapping[str, float]) -> Json:
    """Rates, queues, success and latency of a call graph under a load.

    Args:
        graph: see `graph.survey`.
        rate: requests per second of all operations.
        weights: each operation's share.

    Returns:
        `rps` per node, `queues` per process ([wait, slack, loss]), `cpu` per process (cores used for requests),
        `success` and `latency` (ms) per operation.
    """
    nodes, entry = graph["nodes"], graph["entry"]
    fates, ends = [DONE] * len(nodes), list[list[Fate]]()
    before: list[float] | None = None
    for _ in range(ROUNDS):
        rps = _rates(nodes, entry, fates, ends, rate, weights)
        if rps == before:
            break
        before = rps
        queues = _queues(graph, rps)
        ends = []
        for i, node in enumerate(nodes):
            ends.append([])
            fates[i] = _handle(node, queues[node["process"]], fates, ends[i])
    users = {name: _call(call, fates) for name, call in entry.items()}
    work = [0.0] * len(graph["processes"])
    for node, each in zip(nodes, rps, strict=True):
        work[node["process"]] += each * node["ms"] / 1000.0
    return {
        "rps": rps,
        "queues": [[q.wait, q.slack, q.loss] for q in queues],
        "cpu": [min(used, cores) for used, cores in zip(work, graph["cores"], strict=True)],
        "success": {name: _mass(end.ok) for name, end in users.items()},
        "latency": {name: end.mean for name, end in users.items()},
    }


def _rates(
    nodes: Sequence[Json],
    entry: Json,
    fates: list[Fate],
    ends: Sequence[Sequence[Fate]],
    rate: float,
    weights: Mapping[str, float],
) -> list[float]:
    """Requests per second that reach each node, callers before callees; `ends` of the calls of each, once known."""
    rps = [0.0] * len(nodes)
    for name, call in entry.items():
        _spread(call, rate * weights[name], rps)
    for i in range(len(nodes) - 1, -1, -1):
        reached, known = rps[i], iter(ends[i] if ends else ())
        for item in nodes[i]["calls"]:
            group = item if isinstance(item, list) else [item]
            for call in group:
                _spread(call, reached * call["p"], rps)
            for call in group:
                end = next(known, None) or _call(call, fates)
                reached *= _mass(end.ok)
    return rps


def _spread(call: Call, rate: float, rps: list[float]) -> None:
    for node, share, _, _, error in call["to"]:
        if node >= 0 and not error:
            rps[node] += rate * share


def _queues(graph: Json, rps: list[float]) -> list[Queue]:
    """The queue at each process, over all that is asked of it."""
    count = len(graph["processes"])
    rates, work = [0.0] * count, [0.0] * count
    for node, each in zip(graph["nodes"], rps, strict=True):
        rates[node["process"]] += each
        work[node["process"]] += each * node["ms"]
    return [solve_queue(rates[i], work[i] / rates[i] if rates[i] else 0.0, graph["cores"][i]) for i in range(count)]


def _handle(node: Json, waiting: Queue, fates: list[Fate], ends: list[Fate]) -> Fate:
    """A handler: wait for the processor, work, then its calls in order, whose ends are noted in their order."""
    if node["error"]:
        return Fate(NEVER, NOW, 0.0)
    ok, fail, mean = _waits(waiting), NEVER, waiting.mean + node["ms"]
    for item in node["calls"]:
        group = item if isinstance(item, list) else [item]
        met = [_call(call, fates) for call in group]
        ends += met
        end = _parallel(met) if isinstance(item, list) else met[0]
        fail = _add(fail, _then(ok, end.fail))
        ok = _then(ok, end.ok)
        mean += end.mean
    return Fate(ok, fail, mean)


def _waits(waiting: Queue) -> Grid:
    """Distribution of the wait in a queue; what is missing to 1 is never served."""
    if waiting.mean < 1.0 and waiting.loss < 1e-12:
        return NOW
    edges = np.minimum(np.maximum(0.0, (np.arange(CELLS + 1) - 0.5) * STEP), BACKLOG)
    x = waiting.slack * BACKLOG
    if abs(x) < 1e-6:
        below = edges / BACKLOG
    elif x < -700.0:
        below = np.exp(np.maximum(-700.0, waiting.slack * -1.0 * (edges - BACKLOG)))
    else:
        below = np.expm1(-waiting.slack * edges) / np.expm1(-x)
    masses: Grid = np.diff(below) * waiting.wait
    masses[0] += 1.0 - waiting.wait
    return _trim(masses * (1.0 - waiting.loss))


def _call(call: Call, fates: list[Fate]) -> Fate:
    """A call as its caller sees it: the way there, the callee, the timeout, and whether it was made at all."""
    limit = int(call["timeout"] / STEP)
    if call["to"]:
        ok, fail, mean = NEVER, NEVER, 0.0
        for target in call["to"]:
            end, share = _travel(target, fates), target[1]
            ok, fail = _add(ok, _times(end.ok, share)), _add(fail, _times(end.fail, share))
            mean += end.mean * share
    else:
        ok, fail, mean = NEVER, _point(call["after"]), call["after"]
    if limit < CELLS:
        ok, fail = _cut(ok, limit), _cut(fail, limit)
        late = max(0.0, 1.0 - _mass(ok) - _mass(fail))
        fail = _add(fail, _times(_point(call["timeout"]), late))
    if call["on_error"] == "ignore":
        ok, fail = _add(ok, fail), NEVER
    share = call["p"]
    if share < 1.0:
        ok, fail = _add(NOW * (1.0 - share), ok * share), fail * share
    return Fate(ok, fail, mean * share)


def _travel(target: Sequence[Json], fates: list[Fate]) -> Fate:
    """One target of a call, with the delay and the lost packets on the way."""
    node, _, delay, loss, error = target
    if node < 0:
        return Fate(NEVER, NOW, 0.0)
    end = Fate(NEVER, NOW, 0.0) if error else fates[node]
    if not delay and not loss:
        return Fate(end.ok, end.fail, end.mean + HOP)
    way, mean = _way(delay, loss)
    return Fate(_then(way, end.ok), _then(way, end.fail), end.mean + mean)


def _way(delay: float, loss: float) -> tuple[Grid, float]:
    """Distribution and mean of a round trip: each loss doubles the wait before the next try."""
    way = np.zeros(CELLS)
    mean, chance, wait, within = 0.0, 1.0 - loss, delay + HOP, 0.0
    for tries in range(16):
        time = wait + RESEND * (2.0**tries - 1.0)
        cell = int(time / STEP + 0.5)
        if cell >= CELLS:
            break
        way[cell] += chance
        mean, within = mean + chance * time, within + chance
        chance *= loss
    return _trim(way), mean / within if within > 0.0 else wait


@caches.function(1_024, "making an array with all mass at one time")
def _point(ms: float) -> Grid:
    """All mass at one time; none where that is later than anybody waits."""
    cell = int(ms / STEP + 0.5)
    if cell >= CELLS:
        return NEVER
    found = np.zeros(cell + 1)
    found[cell] = 1.0
    return found


def _parallel(ends: Sequence[Fate]) -> Fate:
    """Calls made at once: all have to end, and all have to succeed."""
    mean = max((e.mean for e in ends), default=0.0)
    if all(e.ok is NOW and not e.fail.any() for e in ends):
        return Fate(NOW, NEVER, mean)
    good, ended = np.ones(CELLS), np.ones(CELLS)
    for end in ends:
        good *= np.cumsum(_pad(end.ok))
        ended *= np.cumsum(_pad(end.ok)) + np.cumsum(_pad(end.fail))
    ok = np.diff(good, prepend=0.0)
    return Fate(_trim(ok), _trim(np.diff(ended, prepend=0.0) - ok), mean)


# What nearly all calls meet is `NOW` and `NEVER`: the shortcuts below give the very same numbers, in as many cells, as
# the sums and products that they leave out.


def _mass(grid: Grid) -> float:
    return float(grid[0]) if len(grid) == 1 else float(grid.sum())


def _times(grid: Grid, share: float) -> Grid:
    return grid if share == 1.0 or grid is NEVER else grid * share


def _cut(grid: Grid, limit: int) -> Grid:
    return grid if len(grid) <= limit else grid[:limit]


def _then(first: Grid, second: Grid) -> Grid:
    """The sum of two independent times; what falls off the grid is lost."""
    found: Grid
    if first is NOW or second is NOW:
        found = second if first is NOW else first
    elif len(first) == 1:
        found = second * first[0]
    elif len(second) == 1:
        found = first * second[0]
    else:
        found = np.convolve(first, second)[:CELLS]
    return found


def _add(one: Grid, other: Grid) -> Grid:
    if one is NEVER and len(other):
        return other
    if other is NEVER and len(one):
        return one
    if len(one) == len(other):
        return one + other
    short, long = (one, other) if len(one) < len(other) else (other, one)
    found = long.copy()
    found[: len(short)] += short
    return found


def _pad(grid: Grid) -> Grid:
    return np.concatenate([grid, np.zeros(CELLS - len(grid))])


def _trim(grid: Grid) -> Grid:
    """Without the empty cells at its end."""
    filled = np.flatnonzero(grid > 1e-15)
    return grid[: filled[-1] + 1] if len(filled) else NEVER
