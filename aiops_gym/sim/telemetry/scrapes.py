"""What the scrapes of a namespace saw in a stretch of time, for all metrics at once: whose processes, when, how far."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.caches import ByValue, Cache, Entry
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.telemetry.courses import Course, Floats, Read, read
from aiops_gym.sim.telemetry.lives import Life, collect_lives, find_births
from aiops_gym.sim.traffic import quotas, timeline

SCRAPE = 60_000
"""Milliseconds between two scrapes of a node."""


class Scraped(NamedTuple):
    """One scrape of one process a row, by process and time.

    Attributes:
        times: ms.
        started: when the process began, ms.
        used: by a name in `courses.COLUMNS`, what was used of it till each scrape.
        memory, threads: levels.
        wobble: gives the factor of the memory, which few ask for.
        quotas: cores (0 without a limit), requested cores, bytes of memory.
        limited: whether there is a limit of the cores.
    """

    times: Floats
    started: Floats
    used: Callable[[str], Floats]
    memory: Floats
    threads: Floats
    wobble: Callable[[], Floats]
    quotas: Floats
    limited: NDArray[np.bool_]


class Points(NamedTuple):
    """The points of an answer, by time and series: each repeats a scrape.

    Attributes:
        times: Unix seconds.
        series: `node.pod`.
        rows: which scrape.
    """

    times: list[int]
    series: list[str]
    rows: NDArray[np.intp]


class Scrapes(NamedTuple):
    """The scrapes of a namespace that answer a range query.

    Attributes:
        own: of each process by itself.
        pods: with all that its pod lived through before, as the network's counters are.
        points: of all processes.
        limited: of those with a limit of their cores.
    """

    own: Scraped
    pods: Scraped
    points: Points
    limited: Points


class Seen(NamedTuple):
    """The scrapes of processes at given times.

    Attributes:
        own, pods: as of `Scrapes`.
        lives: each with the times at which it was there; its rows come in this order.
        limits: of each.
    """

    own: Scraped
    pods: Scraped
    lives: list[tuple[Life, range]]
    limits: list[quotas.Quota]

    def columns(self, values: Floats, many: int) -> list[Floats]:
        """Values that stand in rows, as a column of so many times for each life; NaN where it was not there."""
        found, row = np.full((len(self.lives), many), np.nan), 0
        for column, (_, there) in zip(found, self.lives, strict=True):
            column[there.start : there.stop] = values[row : row + len(there)]
            row += len(there)
        return list(found)


class _Stay(NamedTuple):
    """A life within the scrapes: its points, and the distinct scrapes that they repeat."""

    life: Life
    points: range
    scrapes: list[int]


_kept: Cache[Scrapes] = Cache(
    Entry(
        f"{__name__}.scrapes",
        "scraping a namespace again for each of the metrics",
        key="seed, namespace, times, the timeline, and the rows of all tables that are read, by value",
        bound=12,
    )
)

_seen: Cache[Seen] = Cache(
    Entry(
        f"{__name__}.seen",
        "scraping the same processes again for each of the metrics",
        key="seed, node, namespace, times, the timeline, and the rows of all tables that are read, by value",
        bound=8,
    )
)

TABLES = ("processes", "previous", "ended", "quotas", "objects/pods", "journal")


def collect_scrapes(world: World, namespace: str, start: int, end: int, step: int) -> Scrapes | None:
    """What was scraped for the points from `start` to `end` ms, `step` ms apart; None where there is nothing."""
    found = _kept.get(_key(world, namespace, start, end, step), lambda: _scrapes(world, namespace, start, end, step))
    return found if len(found.own.times) else None


def scrape_processes(world: World, node: str, namespace: str, times: Sequence[int]) -> Seen:
    """The processes of a node (in one namespace; "" for all) at times in ms, which increase."""
    key = _key(world, node, namespace, *times)
    return _seen.get(key, lambda: _processes(world, node, namespace, times))


def find_offset(world: World, node: str) -> int:
    """Milliseconds after a full minute at which a node's containers are scraped."""
    return draws.pick(SCRAPE, world.seed, "scrape", node)


def _key(world: World, *asked: Hashable) -> Hashable:
    world.settle()
    held = [row for name in TABLES for row in world.table(name).values()]
    names = [tuple(world.table(name)) for name in (*TABLES, "timeline")]
    return (world.seed, *asked, *names, tuple(world.table("timeline").values()), ByValue(held))


def _processes(world: World, node: str, namespace: str, times: Sequence[int]) -> Seen:
    everyone = collect_lives(world, namespace, node)
    stays = [stay for stay in (_stay(life, list(times)) for life in everyone) if stay.points]
    own, pods, limits = _measured(world, everyone, stays, times[-1] if times else 0)
    return Seen(own, pods, [(stay.life, stay.points) for stay in stays], limits)


def _scrapes(world: World, namespace: str, start: int, end: int, step: int) -> Scrapes:
    everyone = collect_lives(world, namespace)
    points = np.arange(start, end + 1, step, dtype=np.int64)
    of_node: dict[str, list[int]] = {}
    for node in dict.fromkeys(life.node for life in everyone):
        offset = find_offset(world, node)
        of_node[node] = ((points - offset) // SCRAPE * SCRAPE + offset).tolist()
    stays = [_stay(life, of_node[life.node]) for life in everyone]
    there = [stay for stay in stays if stay.points]
    own, pods, _ = _measured(world, everyone, there, end)
    return Scrapes(own, pods, *_points(there, of_node, (points // 1000).tolist(), own.limited))


def _measured(
    world: World, everyone: Sequence[Life], there: Sequence[_Stay], end: int
) -> tuple[Scraped, Scraped, list[quotas.Quota]]:
    """What the scrapes of some of the lives saw: of each by itself, and with its pod's past; and their limits."""
    born = find_births(world, everyone)
    limits = [quotas.find_quota(world, stay.life.key) for stay in there]
    courses = [_course(world, stay, born[stay.life.id], quota, end) for stay, quota in zip(there, limits, strict=True)]
    begin, until = min((c.born for c in courses), default=end), max((c.end for c in courses), default=end)
    found = read(world.seed, courses, timeline.list_intervals(world, begin, until))
    own = _scraped(world, there, limits, found)
    return own, own._replace(used=lambda column: found.used(column)[1]), limits


def _stay(life: Life, of_node: list[int]) -> _Stay:
    first = bisect_left(of_node, life.started)
    last = bisect_left(of_node, life.ended) if life.ended else len(of_node)
    return _Stay(life, range(first, last), list(dict.fromkeys(of_node[first:last])))


def _course(world: World, stay: _Stay, born: int, quota: quotas.Quota, end: int) -> Course:
    life = stay.life
    return Course(
        life,
        born,
        program_of(world, life.record),
        max(life.started + 1, min(end, life.ended or end)),
        quota.cpu,
        stay.scrapes,
    )


def _scraped(world: World, stays: Sequence[_Stay], limits: Sequence[quotas.Quota], found: Read) -> Scraped:
    many = [len(stay.scrapes) for stay in stays]
    times = np.array([time for stay in stays for time in stay.scrapes], dtype=np.float64)
    started = np.repeat(np.array([stay.life.started for stay in stays], dtype=np.float64), many)
    scraped = [(stay.life.id, time - stay.life.started) for stay in stays for time in stay.scrapes]
    bounds = np.repeat(np.array([(q.cpu or 0.0, q.request, q.memory) for q in limits]).reshape(-1, 3), many, axis=0)
    limited = np.repeat(np.array([q.cpu is not None for q in limits], dtype=np.bool_), many)
    wobble = _make_wobble(world.seed, scraped)
    return Scraped(
        times, started, lambda column: found.used(column)[0], found.memory, found.threads, wobble, bounds, limited
    )


def _make_wobble(seed: int, scraped: Sequence[tuple[str, int]]) -> Callable[[], Floats]:
    """The factors at scrapes: of which container, and how many ms after its start."""
    known = list[Floats]()

    def draw() -> Floats:
        if not known:
            found = [draws.between(0.99, 1.01, seed, "memory", id_, age // SCRAPE) for id_, age in scraped]
            known.append(np.array(found))
        return known[0]

    return draw


def _points(
    stays: Sequence[_Stay], of_node: dict[str, list[int]], seconds: Sequence[int], limited: NDArray[np.bool_]
) -> tuple[Points, Points]:
    """All points of the answer, and those of processes with a limit of their cores."""
    found: list[tuple[int, str, int]] = []
    row = -1
    for stay in stays:
        title, scraped, last = f"{stay.life.node}.{stay.life.pod}", of_node[stay.life.node], -1
        for i in stay.points:
            row, last = row + (scraped[i] != last), scraped[i]
            found.append((seconds[i], title, row))
    found.sort()
    return _columns(found), _columns([each for each in found if limited[each[2]]])


def _columns(points: Sequence[tuple[int, str, int]]) -> Points:
    times, series, rows = zip(*points, strict=True) if points else ((), (), ())
    return Points(list(times), list(series), np.array(rows, dtype=np.intp))
