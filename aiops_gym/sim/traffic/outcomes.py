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
from aiops_gym.sim.traffic import strain
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

SELDOM = 1e-9
"""Calls per second that are none."""

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


class Felt:
    """What strains make of the calls of a graph.

    Args:
        levels: strains by name.

    Attributes:
        asked: calls per second that feel each of them, attempts not counted.
        extra: works per second of nodes beyond one for each request.
    """

    def __init__(self, levels: Mapping[str, float]) -> None:
        self.levels = levels
        self.asked: dict[str, float] = {}
        self.extra: dict[int, float] = {}

    def reach(self, call: Call, rate: float) -> float:
        """Attempts per second of a call that a caller may make at a rate; notes what they bring with them."""
        if "strain" not in call:
            return rate * float(call["p"])
        work = strain.weigh(call, self.levels)
        made = rate * work.share * work.attempts
        self.asked[call["strain"]] = self.asked.get(call["strain"], 0.0) + rate * work.share
        for node, share, _, _, error in call["to"] if work.each > 1.0 else ():
            if node >= 0 and not error:
                self.extra[node] = self.extra.get(node, 0.0) + made * share * (work.each - 1.0)
        return made


def count_attempts(call: Call, levels: Mapping[str, float]) -> float:
    """How often a call is made for each request that comes to it."""
    work = strain.weigh(call, levels)
    return work.share * work.attempts


def solve(graph: Json, rate: float, weights: Mapping[str, float], levels: Mapping[str, float] = {}) -> Json:
    """Rates, queues, success and latency of a call graph under a load.

    Args:
        graph: see `graph.survey`.
        rate: requests per second of all operations.
        weights: each operation's share.
        levels: strains by name.

    Returns:
        `rps` per node, `queues` per process ([wait, slack, loss]), `cpu` per process (cores used for requests),
        `success` and `latency` (ms) per operation; where a strain is felt `strains` (see `_tell`), and `each` per node
        (work of a request as a multiple of the usual one) where that is more than one.
    """
    nodes, entry = graph["nodes"], graph["entry"]
    fates, ends = [DONE] * len(nodes), list[list[Fate]]()
    before: list[float] | None = None
    felt = Felt(levels)
    for _ in range(ROUNDS):
        rps = _rates(nodes, entry, fates, ends, rate, weights, felt)
        if rps == before:
            break
        before = rps
        queues = _queues(graph, rps, felt.extra)
        ends = []
        for i, node in enumerate(nodes):
            ends.append([])
            fates[i] = _handle(node, queues[node["process"]], fates, ends[i], felt)
    users = {name: _call(call, fates, felt) for name, call in entry.items()}
    work = [0.0] * len(graph["processes"])
    for i, (node, each) in enumerate(zip(nodes, rps, strict=True)):
        work[node["process"]] += (each + felt.extra.get(i, 0.0)) * node["ms"] / 1000.0
    return {
        "rps": rps,
        "queues": [[q.wait, q.slack, q.loss] for q in queues],
        "cpu": [min(used, cores) for used, cores in zip(work, graph["cores"], strict=True)],
        "success": {name: _mass(end.ok) for name, end in users.items()},
        "latency": {name: end.mean for name, end in users.items()},
        **({"strains": _tell(nodes, rps, fates, felt)} if felt.asked else {}),
        **({"each": [1.0 + felt.extra.get(i, 0.0) / max(r, SELDOM) for i, r in enumerate(rps)]} if felt.extra else {}),
    }


def _tell(nodes: Sequence[Json], rps: list[float], fates: Sequence[Fate], felt: Felt) -> Json:
    """Of each strain: calls and attempts per second, the share `fails` that comes to nothing, and its `tau`."""
    found: dict[str, Json] = {}
    for number, call in strain.list_strained(nodes):
        cold, retry = call.get("cold"), call.get("retry")
        ok = _attempt(call, fates).ok
        fails = 1.0 - _mass(_cut(ok, int(cold["within"] / STEP)) if cold else ok)
        name, weight = call["strain"], rps[number] + 1e-12
        tau = cold["tau"] if cold else retry["attempts"] * (retry["timeout"] + retry["backoff"])
        row = found.setdefault(name, {"fails": 0.0, "weight": 0.0, "tau": tau, "asked": felt.asked.get(name, 0.0)})
        row["attempts"] = row["asked"] * strain.weigh(call, felt.levels).attempts
        row["fails"] += weight * fails
        row["weight"] += weight
        row["rest"] = felt.levels.get(name, 0.0) if cold else 0.0  # a cache that nobody asks stays as it is
    for row in found.values():
        weight, rest = row.pop("weight"), row.pop("rest")
        row["fails"] = row["fails"] / weight if row["asked"] > SELDOM else rest
    return found


def _rates(
    nodes: Sequence[Json],
    entry: Json,
    fates: list[Fate],
    ends: Sequence[Sequence[Fate]],
    rate: float,
    weights: Mapping[str, float],
    felt: Felt,
) -> list[float]:
    """Requests per second that reach each node, callers before callees; `ends` of the calls of each, once known."""
    rps = [0.0] * len(nodes)
    felt.asked, felt.extra = {}, {}
    for name, call in entry.items():
        _spread(call, rate * weights[name], rps)
    for i in range(len(nodes) - 1, -1, -1):
        reached, known = rps[i], iter(ends[i] if ends else ())
        for item in nodes[i]["calls"]:
            group = item if isinstance(item, list) else [item]
            for call in group:
                _spread(call, felt.reach(call, reached), rps)
            for call in group:
                end = next(known, None) or _call(call, fates, felt)
                reached *= 1.0 if call.get("apart") else _mass(end.ok)
    return rps


def _spread(call: Call, rate: float, rps: list[float]) -> None:
    for node, share, _, _, error in call["to"]:
        if node >= 0 and not error:
            rps[node] += rate * share


def _queues(graph: Json, rps: list[float], extra: Mapping[int, float]) -> list[Queue]:
    """The queue at each process, over all that is asked of it."""
    count = len(graph["processes"])
    rates, work = [0.0] * count, [0.0] * count
    for i, (node, each) in enumerate(zip(graph["nodes"], rps, strict=True)):
        rates[node["process"]] += each
        work[node["process"]] += (each + extra.get(i, 0.0)) * node["ms"]
    return [solve_queue(rates[i], work[i] / rates[i] if rates[i] else 0.0, graph["cores"][i]) for i in range(count)]


def _handle(node: Json, waiting: Queue, fates: list[Fate], ends: list[Fate], felt: Felt) -> Fate:
    """A handler: wait for the processor, work, then its calls in order, whose ends are noted in their order."""
    if node["error"]:
        return Fate(NEVER, NOW, 0.0)
    ok, fail, mean = _waits(waiting), NEVER, waiting.mean + node["ms"]
    for item in node["calls"]:
        group = item if isinstance(item, list) else [item]
        met = [_call(call, fates, felt) for call in group]
        ends += met
        end = _parallel(met) if isinstance(item, list) else met[0]
        if group[0].get("apart"):  # nobody waits for it
            continue
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


def _call(call: Call, fates: list[Fate], felt: Felt) -> Fate:
    """A call as its caller sees it: its attempts, and whether it was made at all."""
    ok, fail, mean = _attempt(call, fates)
    if "retry" in call:
        ok, fail, mean = _try_again(call["retry"], ok, fail, mean, felt.levels.get(call["strain"], 0.0))
    if call["on_error"] == "ignore":
        ok, fail = _add(ok, fail), NEVER
    share = call["p"] if "cold" not in call else strain.weigh(call, felt.levels).share
    if share < 1.0:
        ok, fail = _add(NOW * (1.0 - share), ok * share), fail * share
    return Fate(ok, fail, mean * share)


def _try_again(retry: Json, ok: Grid, fail: Grid, mean: float, level: float) -> Fate:
    """Several attempts one after the other, as far as the caller's budget goes."""
    lost, allowed = _mass(fail), strain.find_allowed(retry, level)
    if lost < 1e-15:
        return Fate(ok, fail, mean)
    pause, gone, ended, good = _point(retry["backoff"]), fail, NEVER, ok
    for _ in range(int(retry["attempts"]) - 1):
        ended = _add(ended, gone * (1.0 - allowed))
        again = _then(gone * allowed, pause)
        good, gone = _add(good, _then(again, ok)), _then(again, fail)
    failed = min(retry["attempts"] - 1.0, lost * allowed / max(1e-9, 1.0 - lost * allowed))
    return Fate(_trim(good), _trim(_add(ended, gone)), mean + failed * (retry["timeout"] + retry["backoff"]))


def _attempt(call: Call, fates: Sequence[Fate]) -> Fate:
    """One attempt: the way there, the callee, the timeout."""
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
    return Fate(ok, fail, mean)


def _travel(target: Sequence[Json], fates: Sequence[Fate]) -> Fate:
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
