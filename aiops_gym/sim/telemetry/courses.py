"""What processes did over time: from the timeline and their own appetite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.caches import ByValue, Cache, Entry
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.machine.program import Program
from aiops_gym.sim.telemetry.lives import Life
from aiops_gym.sim.traffic.leaks import read_leak
from aiops_gym.sim.traffic.timeline import Interval

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

UNLIMITED = 1e18
"""More per second than anything uses."""

COLUMNS = ("cpu", "received", "sent", "dropped", "periods", "throttled")
"""What is summed up over time; memory and threads, in the columns after these, are levels."""

MINUTES = 64
"""Minutes of which an appetite is drawn at once."""


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

_appetites: Cache[Floats] = Cache(
    Entry(
        f"{__name__}.appetites",
        "drawing how much a process uses from minute to minute",
        key="seed, id of the process, how many minutes",
        bound=4_000_000,
        unit="bytes",
    ),
    lambda factors: 100 + 8 * len(factors),
)
_rates: Cache[dict[Row, list[float]]] = Cache(
    Entry(
        f"{__name__}.rates",
        "asking a program what it uses under the load of an outcome",
        key="process, program, parameters and state, cores; then what reaches it",
        bound=4_000,
        unit="processes",
    )
)
_mets: Cache[Mapping[str, Row]] = Cache(
    Entry(f"{__name__}.mets", "gathering what reaches each process", key="digest of the outcome", bound=100)
)


class Course(NamedTuple):
    """A life that is asked for.

    Attributes:
        life: from its start.
        program: that it runs.
        end: ms up to which it is known, after its start.
        cores: that it may use, None for any number.
        times: ms, from its start to its end.
    """

    life: Life
    program: Program
    end: int
    cores: float | None
    times: Sequence[int]


def read(seed: int, asked: Sequence[Course], stretches: Sequence[Interval]) -> Floats:
    """What each life used since its start up to each of its times.

    All are worked out together: between two edges, which are the same for all, each uses the same at any moment.

    Args:
        seed: of the world.
        asked: the lives.
        stretches: of the timeline, that meet them.

    Returns:
        A row per life and time, a column per name in `COLUMNS`; then memory and threads.
    """
    if not asked:
        return np.empty((0, len(COLUMNS) + 2))
    started = np.array([each.life.started for each in asked], dtype=np.float64)
    ended = np.array([each.end for each in asked], dtype=np.float64)
    borders = np.array([float(s.start) for s in stretches])
    edges = _edges(started, ended, borders)
    middles = (edges[:-1] + edges[1:]) / 2.0
    rates, within = _between(asked, stretches), np.maximum(np.searchsorted(borders, middles, side="right") - 1, 0)
    lows, highs = np.maximum(edges[:-1], started[:, None]), np.minimum(edges[1:], ended[:, None])
    seconds = np.maximum(highs - lows, 0.0) / 1000.0
    sums = np.take(rates[: len(COLUMNS)], within, axis=2)
    sums *= _factors(seed, asked, middles) * seconds
    _hold_back(sums, asked, seconds)
    np.cumsum(sums, axis=2, out=sums)  # in place: these are the largest arrays
    which = np.repeat(np.arange(len(asked)), [len(each.times) for each in asked])
    times = np.array([time for each in asked for time in each.times], dtype=np.float64)
    last = np.searchsorted(edges, ended) - 1
    at = np.minimum(np.searchsorted(edges, times, side="right") - 1, last[which])
    low, high = lows[which, at], highs[which, at]
    before, after = np.where(at > 0, sums[:, which, at - 1], 0.0), sums[:, which, at]
    slopes = (after - before) / (high - low)
    found = np.where(times >= high, after, slopes * (times - low) + before)
    levels = rates[len(COLUMNS) :, which, within[at]]
    kept = np.array([read_leak(each.life.record) for each in asked])
    if kept.any():
        levels[0] += kept[which] * (times - started[which]) / 1000.0
    # Where the edges lie must not show in the last digits.
    return np.ascontiguousarray(np.concatenate([np.round(found, 6), levels]).T)


def _hold_back(used: Floats, asked: Sequence[Course], seconds: Floats) -> None:
    """Cut what lives with a quota use, in place: they have no more processor, and no more periods than there are."""
    bound = [number for number, each in enumerate(asked) if each.cores]
    if bound:
        most = np.full((len(COLUMNS), len(bound)), UNLIMITED)
        most[COLUMNS.index("cpu")] = [asked[number].cores for number in bound]
        most[[COLUMNS.index("periods"), COLUMNS.index("throttled")]] = PERIODS
        used[:, bound] = np.minimum(used[:, bound], most[..., None] * seconds[bound])


def _edges(started: Floats, ended: Floats, borders: Floats) -> Floats:
    """Between two of these (ms) everything is constant, as long as a process lives."""
    low, high = started.min(), ended.max()
    minutes = np.arange(low // WINDOW + 1, high // WINDOW + 1) * WINDOW
    every = np.sort(np.concatenate([[low], ended, minutes, borders[(borders > low) & (borders < high)]]))
    found: Floats = every[np.append(True, every[1:] != every[:-1])]  # `np.unique` would load numpy's masked arrays
    return found


def _factors(seed: int, asked: Sequence[Course], middles: Floats) -> Floats:
    """The appetite of each life in the minute of each of `middles`; it has one from its first minute on."""
    minutes = (middles // WINDOW).astype(np.int64)
    firsts = np.array([each.life.started // WINDOW for each in asked])
    many = -(-int(minutes[-1] - firsts.min() + 1) // MINUTES) * MINUTES
    drawn = np.array([_appetite(seed, each.life.id, many) for each in asked])
    found: Floats = drawn[np.arange(len(asked))[:, None], np.maximum(minutes - firsts[:, None], 0)]
    return found


def _appetite(seed: int, identity: str, many: int) -> Floats:
    """The factors of the first minutes of a life."""
    return _appetites.get((seed, identity, many), lambda: 0.9 + 0.2 * draws.uniforms(many, seed, "appetite", identity))


def _between(asked: Sequence[Course], stretches: Sequence[Interval]) -> Floats:
    """What each process uses per second in each interval: by column, life and interval."""
    outcomes = {s.digest: _gather(s) for s in stretches}
    several = [*outcomes.values()] or [{}]
    known: dict[tuple[str, ByValue], int] = {}
    rows: list[list[list[float]]] = []
    which: list[int] = []
    for each in asked:  # a process by itself and with its pod's past is one process
        one = (each.life.key, ByValue(each.life.record))
        if one not in known:
            known[one] = len(rows)
            rows.append(_of_process(each, several))
        which.append(known[one])
    number = {digest: i for i, digest in enumerate(outcomes)}
    intervals = [number[s.digest] for s in stretches] or [0]
    found: Floats = np.array(rows).transpose(2, 0, 1)[:, np.array(which)[:, None], intervals]
    return found


def _of_process(asked: Course, outcomes: Sequence[Mapping[str, Row]]) -> list[list[float]]:
    life = asked.life
    record = life.record
    key = (life.key, record["program"], asked.cores, ByValue((record["params"], record.get("state"))))
    known = _rates.get(key, dict)
    found = []
    for outcome in outcomes:
        met = outcome.get(life.key, NOTHING)  # most outcomes differ elsewhere
        used = known.get(met)
        if used is None:
            used = known[met] = _worked_out(asked.program, life, Met(*met), asked.cores)
        found.append(used)
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
