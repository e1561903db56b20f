"""What processes did over time: from the timeline and their own appetite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.machine.program import Program
from aiops_gym.sim.telemetry.lives import Life
from aiops_gym.sim.traffic.leaks import find_leak
from aiops_gym.sim.traffic.timeline import Interval

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

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
"""What is summed up over time; memory and threads, in the columns after these, are levels."""


class Met(NamedTuple):
    """What reaches a process per second: requests, cores of work, bytes in and out; and the share that is lost."""

    rps: float = 0.0
    busy: float = 0.0
    received: float = 0.0
    sent: float = 0.0
    lost: float = 0.0


Row = tuple[float, ...]
"""The same without names, which are given when it is used: there are thousands of them."""

NOTHING: Row = Met()

_mets: Cache[Mapping[str, Row]] = Cache(
    Entry(f"{__name__}.mets", "gathering what reaches each process", key="digest of the outcome", bound=100)
)


class Course(NamedTuple):
    """A life that is asked for.

    Attributes:
        life: from its start.
        born: ms; since when its pod lives, in which containers of that name may have been before.
        program: that it runs.
        end: ms up to which it is known, after its start.
        cores: that it may use, None for any number.
        times: ms, from its start to its end.
    """

    life: Life
    born: int
    program: Program
    end: int
    cores: float | None
    times: Sequence[int]


class Read(NamedTuple):
    """What lives used up to each of their times: a value per life and time.

    Attributes:
        used: by the name of a column, what was used since the start of each, and since its pod was born.
        memory, threads: levels.
    """

    used: Callable[[str], tuple[Floats, Floats]]
    memory: Floats
    threads: Floats


def read(seed: int, asked: Sequence[Course], stretches: Sequence[Interval]) -> Read:
    """What each life used up to each of its times.

    All are worked out together: between two edges, which are the same for all, each uses the same at any moment.

    Args:
        seed: of the world.
        asked: the lives.
        stretches: of the timeline, that meet them.
    """
    if not asked:
        return Read(lambda _: (np.empty(0), np.empty(0)), np.empty(0), np.empty(0))
    born = np.array([each.born for each in asked], dtype=np.float64)
    ended = np.array([each.end for each in asked], dtype=np.float64)
    borders = np.array([float(s.start) for s in stretches])
    edges = _edges(born, ended, borders)
    middles = (edges[:-1] + edges[1:]) / 2.0
    rates, within = _between(asked, stretches), np.maximum(np.searchsorted(borders, middles, side="right") - 1, 0)
    lows, highs = np.maximum(edges[:-1], born[:, None]), np.minimum(edges[1:], ended[:, None])
    seconds = np.maximum(highs - lows, 0.0) / 1000.0
    eaten = _factors(seed, asked, middles) * seconds
    everyone, last = np.arange(len(asked)), np.searchsorted(edges, ended) - 1
    which = np.repeat(everyone, [len(each.times) for each in asked])
    times = np.array([time for each in asked for time in each.times], dtype=np.float64)
    started = np.array([each.life.started for each in asked], dtype=np.float64)
    at = np.minimum(np.searchsorted(edges, times, side="right") - 1, last[which])
    begun = np.minimum(np.searchsorted(edges, started, side="right") - 1, last)

    known: dict[str, tuple[Floats, Floats]] = {}  # few columns are ever asked for

    def use(column: str) -> tuple[Floats, Floats]:
        if column not in known:
            used = rates[COLUMNS.index(column)][:, within] * eaten
            _hold_back(used, column, asked, seconds)
            sums = np.cumsum(used, axis=1)
            found = _reach(sums, lows, highs, which, times, at)
            before = _reach(sums, lows, highs, everyone, started, begun)
            # Where the edges lie must not show in the last digits.
            known[column] = np.round(found - before[which], 6), np.round(found, 6)
        return known[column]

    memory, threads = rates[len(COLUMNS) :, which, within[at]]
    memory += _leaked(asked, which, times)
    return Read(use, memory, threads)


def _reach(sums: Floats, lows: Floats, highs: Floats, which: Indices, times: Floats, at: Indices) -> Floats:
    """What lives had used by some times, each in the stretch `at`, of what they had used by the end of each stretch."""
    low, high = lows[which, at], highs[which, at]
    before, after = np.where(at > 0, sums[which, at - 1], 0.0), sums[which, at]
    slopes = (after - before) / (high - low)
    found: Floats = np.where(times >= high, after, slopes * (times - low) + before)
    return found


def _leaked(asked: Sequence[Course], which: Indices, times: Floats) -> Floats | float:
    """Bytes that were kept up to some times, of lives."""
    leaks = [find_leak(each.life.record) for each in asked]
    if not any(leak.rate for leak in leaks):
        return 0.0
    rate, since, until = np.array(leaks)[which].T
    found: Floats = np.where(times < until, rate * np.maximum(times - since, 0.0) / 1000.0, 0.0)
    return found


def _hold_back(used: Floats, column: str, asked: Sequence[Course], seconds: Floats) -> None:
    """Cut what lives with a quota use, in place: they have no more processor, and no more periods than there are."""
    bound = [number for number, each in enumerate(asked) if each.cores]
    if not bound or column not in ("cpu", "periods", "throttled"):
        return
    most = np.array([asked[number].cores if column == "cpu" else PERIODS for number in bound], dtype=np.float64)
    used[bound] = np.minimum(used[bound], most[:, None] * seconds[bound])


def _edges(born: Floats, ended: Floats, borders: Floats) -> Floats:
    """Between two of these (ms) everything is constant, as long as a process lives."""
    low, high = born.min(), ended.max()
    minutes = np.arange(low // WINDOW + 1, high // WINDOW + 1) * WINDOW
    every = np.sort(np.concatenate([[low], ended, minutes, borders[(borders > low) & (borders < high)]]))
    found: Floats = every[np.append(True, every[1:] != every[:-1])]  # `np.unique` would load numpy's masked arrays
    return found


def _factors(seed: int, asked: Sequence[Course], middles: Floats) -> Floats:
    """The appetite of each life in the minute of each of `middles`: a container keeps it when it starts again."""
    minutes = np.arange(middles[0] // WINDOW, middles[-1] // WINDOW + 1).astype(np.int64)
    keys = np.array([draws.bits(seed, "appetite", each.life.key) for each in asked], np.uint64)
    drawn = 0.9 + 0.2 * draws.grid(keys, minutes)
    found: Floats = np.take(drawn, (middles // WINDOW).astype(np.int64) - minutes[0], axis=1)
    return found


def _between(asked: Sequence[Course], stretches: Sequence[Interval]) -> Floats:
    """What each process uses per second in each interval: by column, life and interval."""
    outcomes = {s.digest: _gather(s) for s in stretches}
    several = [*outcomes.values()] or [{}]
    rates: list[list[float]] = []
    which = np.array([_of_process(each, several, rates) for each in asked])
    number = {digest: i for i, digest in enumerate(outcomes)}
    intervals = [number[s.digest] for s in stretches] or [0]
    found: Floats = np.array(rates).T[:, which[:, intervals]]
    return found


def _of_process(asked: Course, outcomes: Sequence[Mapping[str, Row]], rates: list[list[float]]) -> list[int]:
    """Which of `rates` it has in each outcome; those that are new are added, for most outcomes differ elsewhere."""
    key, numbers = asked.life.key, dict[Row, int]()
    found, last, number = [], None, 0
    for outcome in outcomes:
        met = outcome.get(key, NOTHING)
        if met != last:
            last = met
            if met not in numbers:
                numbers[met] = len(rates)
                rates.append(_worked_out(asked.program, asked.life, Met(*met), asked.cores))
            number = numbers[met]
        found.append(number)
    return found


def _worked_out(program: Program, life: Life, met: Met, cores: float | None) -> list[float]:
    """What the process uses per second, in the order of `COLUMNS`; then its memory and threads."""
    usage = program.usage(life.record, met.rps, met.busy)
    cpu = min(usage["cpu"], cores) if cores else usage["cpu"]
    dropped = (met.sent + CHATTER) / PACKET * min(RESENDS, met.lost / max(1e-9, 1.0 - met.lost))
    load = cpu / cores if cores else 0.0
    periods = PERIODS * min(1.0, 0.02 + 3.0 * cpu) if cores else 0.0
    throttled = periods * max(0.0, min(1.0, (load - 0.5) / 0.5)) ** 2
    threads = usage.get("threads", 4.0)
    return [cpu, met.received + CHATTER, met.sent + CHATTER, dropped, periods, throttled, usage["memory"], threads]


def _gather(stretch: Interval) -> Mapping[str, Row]:
    """What reaches each process in an outcome."""
    keys, *named = (stretch.outcome[name] for name in ("processes", "rps", "cpu", "received", "sent", "losses"))
    return _mets.get(stretch.digest, lambda: dict(zip(keys, zip(*named, strict=True), strict=True)))
