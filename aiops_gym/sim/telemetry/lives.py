"""What each process of a namespace did over time: from the timeline and the processes' own appetite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim import draws, programs
from aiops_gym.sim.objects import get
from aiops_gym.sim.times import millis
from aiops_gym.sim.traffic import quotas, timeline
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.world import World

Json = Any
Floats = NDArray[np.float64]

WINDOW = 60_000
"""Milliseconds over which a process' appetite differs a little from its mean."""

CHATTER = 90.0
"""Bytes per second that any pod receives and sends without requests: DNS, keep-alives."""

PACKET = 1_100.0
"""Mean bytes of a packet."""

RESENDS = 6.0
"""Times that a lost packet is sent again at most before its user has gone."""

PERIODS = 10.0
"""Enforcement periods of the CPU quota per second (100 ms each)."""

COLUMNS = ("cpu", "received", "sent", "dropped", "periods", "throttled")


class Life(NamedTuple):
    """One process from its start to its end (0: it runs), with what it was."""

    key: str
    id: str
    pod: str
    node: str
    container: str
    started: int
    ended: int
    record: Mapping[str, Json]


class Course(NamedTuple):
    """How a life went.

    Attributes:
        edges: ms; between two of them everything is constant.
        sums: what was used from the start to each edge, a row per edge, a column per name in `COLUMNS`.
        memory, threads: levels between the edges.
    """

    edges: Floats
    sums: Floats
    memory: Floats
    threads: Floats

    def total(self, column: str, times: Floats) -> Floats:
        """What was used up to each of `times` (ms)."""
        found: Floats = np.interp(times, self.edges, self.sums[:, COLUMNS.index(column)])
        return np.round(found, 6)  # where the edges lie must not show in the last digits

    def level(self, name: str, times: Floats) -> Floats:
        """`memory` or `threads` at each of `times` (ms)."""
        values: Floats = self.memory if name == "memory" else self.threads
        found: Floats = values[np.clip(np.searchsorted(self.edges, times, side="right") - 1, 0, len(values) - 1)]
        return found


def lives(world: World, namespace: str) -> list[Life]:
    """All processes of a namespace that run or ended within the last hour, by pod and start."""
    found: dict[str, Life] = {}
    prefix = f"{namespace}/"
    for table in ("processes", "past"):
        for key, row in world.table(table).items():
            if row["pod"].startswith(prefix):
                found[row["id"]] = _life(key, row["id"], row)
    for identity, row in world.table("ended").items():
        if identity not in found and row["pod"].startswith(prefix):
            found[identity] = _life(f"{row['uid']}/{row['container']}", identity, row)
    return sorted(found.values(), key=lambda life: (life.pod, life.started, life.id))


def _life(key: str, identity: str, row: Mapping[str, Json]) -> Life:
    return Life(
        key, identity, row["pod"].partition("/")[2], row["node"], row["container"], row["started"], row["ended"], row
    )


def whole_pod(world: World, life: Life, others: list[Life]) -> Life:
    """The life with all that its pod lived through before: network counters belong to the pod's sandbox."""
    pod = world.store.by_key("pods", life.record["pod"])
    own = pod is not None and pod["metadata"]["uid"] == life.record["uid"]
    born = get(pod or {}, "status", "startTime") if own else None
    started = min(other.started for other in others if other.record["uid"] == life.record["uid"])
    return life._replace(id=life.record["uid"], started=min(started, millis(born)) if born else started)


_courses: Cache[Course] = Cache(4_000_000, lambda course: 40 * len(course.edges))


def course(world: World, life: Life, end: int) -> Course:
    """How a life went up to `end` ms."""
    end = max(life.started + 1, min(end, life.ended or end))
    stretches = timeline.intervals(world, life.started, end)
    marks = tuple((s.start, s.digest) for s in stretches)
    cores = quotas.of(world, life.key).cpu
    key = (world.seed, life.id, end, cores, marks)
    return _courses.get(key, lambda: _course(world.seed, life, end, stretches, cores))


def _course(seed: int, life: Life, end: int, stretches: list[timeline.Interval], cores: float | None) -> Course:
    first, last = life.started // WINDOW, end // WINDOW
    windows = np.arange(first + 1, last + 1, dtype=np.float64) * WINDOW
    borders = [float(s.start) for s in stretches]
    edges = np.unique(np.concatenate([[float(life.started)], windows, borders, [float(end)]]))
    middles = (edges[:-1] + edges[1:]) / 2.0
    factors = 0.9 + 0.2 * draws.bulk(seed, "appetite", life.id).random(last - first + 1)
    factor = factors[(middles // WINDOW).astype(np.int64) - first]
    rows = np.array([_rates(life, stretch, cores) for stretch in stretches] or [_rates(life, None, cores)])
    which = np.clip(np.searchsorted(borders, middles, side="right") - 1, 0, len(rows) - 1)
    used = rows[which, : len(COLUMNS)] * factor[:, None] * (np.diff(edges) / 1000.0)[:, None]
    sums = np.concatenate([np.zeros((1, len(COLUMNS))), np.cumsum(used, axis=0)])
    return Course(edges, sums, rows[which, -2], rows[which, -1])


def _rates(life: Life, stretch: timeline.Interval | None, cores: float | None) -> list[float]:
    """What the process uses per second in an interval, in the order of `COLUMNS`; then its memory and threads."""
    rps = busy = received = sent = lost = 0.0
    if stretch is not None and life.key in stretch.outcome["processes"]:
        outcome = stretch.outcome
        i = outcome["processes"].index(life.key)
        rps, busy, lost = outcome["rps"][i], outcome["cpu"][i], outcome["losses"][i]
        received, sent = outcome["received"][i], outcome["sent"][i]
    usage = programs.find(life.record["program"]).usage(life.record, rps, busy)
    cpu = min(usage["cpu"], cores) if cores else usage["cpu"]
    dropped = (sent + CHATTER) / PACKET * min(RESENDS, lost / max(1e-9, 1.0 - lost))
    load = cpu / cores if cores else 0.0
    periods = PERIODS * min(1.0, 0.02 + 3.0 * cpu) if cores else 0.0
    throttled = periods * max(0.0, min(1.0, (load - 0.5) / 0.5)) ** 2
    threads = usage.get("threads", 4.0)
    return [cpu, received + CHATTER, sent + CHATTER, dropped, periods, throttled, usage["memory"], threads]
