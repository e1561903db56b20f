"""Curves: levels, daily load, noise, missing points, and what failures do to them. All series of a table at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aiops_gym.openrca.synth import order as orders
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.hits import compute_weights, fills, find_metric_hits
from aiops_gym.openrca.synth.model import Day, Kpi, Series

LEFT = 0.04
"""Share of a value that is left at least where failures make it smaller."""

JITTER = 0.15
"""Sigma of what a failure adds, from sample to sample."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Series of one step.

    Attributes:
        times: [series, sample], Unix seconds.
        values: [series, sample], rounded.
        present: [series, sample], false where a point is missing.
    """

    series: list[Series]
    times: np.ndarray
    values: np.ndarray
    present: np.ndarray


@dataclass(frozen=True, slots=True)
class Rows:
    """Points in a file's order.

    Attributes:
        times: Unix seconds.
        which: index into `series`.
    """

    times: np.ndarray
    which: np.ndarray
    values: np.ndarray
    series: list[Series]

    def ids(self) -> Coded:
        """What was measured, for each row."""
        return self._coded(lambda each: each.id)

    def kpis(self) -> Coded:
        """Name of the measurement, for each row."""
        return self._coded(lambda each: each.kpi.name)

    def _coded(self, name: Callable[[Series], str]) -> Coded:
        return Coded(self.which, [name(each) for each in self.series])


@dataclass(frozen=True, slots=True)
class Wide:
    """A table with a column for each measurement.

    Attributes:
        times: [sample], Unix seconds.
        columns: by measurement, [id, sample].
        present: [id, sample].
    """

    ids: list[str]
    times: np.ndarray
    columns: dict[str, np.ndarray]
    present: np.ndarray


def make_grids(day: Day, series: Sequence[Series], purpose: str) -> list[Grid]:
    """The day's curves, one grid for each step; what the scale leaves out is not among them."""
    kept = {name: day.kept(kpi) for name, kpi in {each.kpi.name: each.kpi for each in series}.items()}
    by_step: dict[int, list[Series]] = defaultdict(list)
    for each in series:
        if kept[each.kpi.name]:
            by_step[each.kpi.step].append(each)
    return [_grid(day, some, (purpose, step), step) for step, some in by_step.items()]


def make_rows(
    day: Day, series: Sequence[Series], purpose: str, order: str, *, late: int = 0, block: int = 400_000
) -> Iterator[Rows]:
    """The points of a table, in blocks.

    Args:
        order: `time` (some rows up to `late` seconds late), `sorted` (by time) or `series` (one after the other).
    """
    made = make_grids(day, series, purpose)
    if not made:
        return
    found = [each for grid in made for each in grid.series]
    firsts = np.cumsum([0, *(len(grid.series) for grid in made)])
    times, which, values = (
        np.concatenate(parts)
        for parts in zip(*(_flat(grid, first) for grid, first in zip(made, firsts, strict=False)), strict=True)
    )
    if order != "series":
        take = orders.late(day.chance(purpose, "order"), times, late if order == "time" else 0)
        times, which, values = times[take], which[take], values[take]
    for start in range(0, len(times), block):
        part = slice(start, start + block)
        yield Rows(times[part], which[part], values[part], found)


def make_wide(day: Day, series: Sequence[Series], purpose: str) -> Wide:
    """A table with one row for each id and sample; each id must have the same measurements, of one step."""
    (grid,) = make_grids(day, series, purpose)
    ids = list(dict.fromkeys(each.id for each in grid.series))
    names = list(dict.fromkeys(each.kpi.name for each in grid.series))
    place = {(each.id, each.kpi.name): number for number, each in enumerate(grid.series)}
    take = {name: [place[one, name] for one in ids] for name in names}
    return Wide(ids, grid.times[0], {name: grid.values[take[name]] for name in names}, grid.present[take[names[0]]])


def _flat(grid: Grid, first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    which = np.broadcast_to(np.arange(first, first + len(grid.series), dtype=np.int32)[:, None], grid.times.shape)
    return grid.times[grid.present], which[grid.present], grid.values[grid.present]


def _grid(day: Day, series: list[Series], purpose: tuple[object, ...], step: int) -> Grid:
    phases = _column(series, lambda kpi: kpi.phase % step)
    samples = (day.end - day.start) // step
    times = day.start + phases.astype(np.int64) + step * np.arange(samples, dtype=np.int64)[None, :]
    values = _usual(day, series, times, purpose)
    if day.hard:
        values *= _moving(day, series, times)
    _bursts(day, series, values, purpose)
    _failures(day, series, times, values)
    np.clip(values, _column(series, lambda kpi: kpi.low), _column(series, lambda kpi: kpi.high), out=values)
    totals = [number for number, each in enumerate(series) if each.kpi.total]
    if totals:
        values[totals] = _totals(day, [series[number] for number in totals], values[totals])
    digits = 10.0 ** _column(series, lambda kpi: kpi.decimals)
    values = np.rint(values * digits) / digits
    return Grid(series, times, values, _present(day, series, samples, purpose))


def _column(series: Sequence[Series], field: Callable[[Kpi], float]) -> np.ndarray:
    return np.array([field(each.kpi) for each in series], float)[:, None]


def _usual(day: Day, series: list[Series], times: np.ndarray, purpose: tuple[object, ...]) -> np.ndarray:
    """Level, daily load and noise."""
    level = np.array([_level(day, each) for each in series])[:, None]
    daily = _column(series, lambda kpi: kpi.daily)
    spread = _column(series, lambda kpi: kpi.spread)
    noise = _noise(day.chance(*purpose, "noise"), times.shape, _column(series, lambda kpi: kpi.memory)[:, 0])
    noise *= spread
    noise -= spread * spread / 2
    values: np.ndarray = np.exp(noise, out=noise)
    values *= level
    values *= np.maximum(1 + daily * (day.load(times[0])[None, :] - 1), 0.02)
    counts = [number for number, each in enumerate(series) if each.kpi.counts]
    if counts:
        values[counts] = day.chance(*purpose, "counts").poisson(np.minimum(values[counts], 1e9))
    return values


MOVES = 0.1
"""Sigma of what moves all measurements of a component together on the profile `hard`."""


def _moving(day: Day, series: list[Series], times: np.ndarray) -> np.ndarray:
    """Factors: what a component does moves all of its measurements that follow the load; heaps fill and are cleared."""
    made = np.ones(times.shape)
    minutes = (times - day.start) // 60
    paths: dict[str, np.ndarray] = {}
    for row, each in enumerate(series):
        if each.kpi.daily > 0:
            if each.owner not in paths:
                noise = _noise(day.chance("moves", each.owner), (1, (day.end - day.start) // 60 + 1), np.array([0.93]))
                paths[each.owner] = np.exp(MOVES * noise[0])
            made[row] = paths[each.owner][minutes[row]]
        if each.kpi.saw:
            made[row] *= 0.55 + 0.9 * ((minutes[row] / each.kpi.saw + day.unit("saw", each.owner)) % 1)
    return made


SATURATED, LOST = 0.03, 0.04
"""Shares of the series that are full all day, and silent for an hour, on the profile `hard`."""


def _level(day: Day, series: Series) -> float:
    base = series.kpi.base
    if day.hard and series.kpi.high == 100 and day.unit("full", series.id, series.kpi.name) < SATURATED:
        return 97.0
    if not isinstance(base, tuple):
        return float(base)
    low, high = base
    return float(low * (high / low) ** day.unit("level", series.id, series.kpi.name, series.item))


def _noise(rng: np.random.Generator, shape: tuple[int, int], memory: np.ndarray) -> np.ndarray:
    """Normal noise that remembers: [series, sample], variance 1."""
    noise = rng.standard_normal((shape[1], shape[0]))
    fresh = np.sqrt(1 - memory**2)
    for sample in range(1, shape[1]):
        noise[sample] *= fresh
        noise[sample] += memory * noise[sample - 1]
    return np.ascontiguousarray(noise.T)


def _bursts(day: Day, series: list[Series], values: np.ndarray, purpose: tuple[object, ...]) -> None:
    """Harmless peaks of one to eight samples: an anomaly alone proves nothing."""
    rng = day.chance(*purpose, "bursts")
    share = (day.end - day.start) / 86_400
    numbers = rng.poisson(_column(series, lambda kpi: kpi.bursts)[:, 0] * share)
    for row in np.repeat(np.arange(len(series)), numbers):
        start, lasts = rng.integers(values.shape[1]), rng.integers(1, 9)
        kpi = series[row].kpi
        height = 1 + (kpi.burst - 1) * rng.lognormal(0.0, 0.4)
        part = values[row, start : start + lasts]
        part += (height - 1) * max(_level(day, series[row]), 1.0 if kpi.counts else 0.0)


def _failures(day: Day, series: list[Series], times: np.ndarray, values: np.ndarray) -> None:
    owned: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(series):
        owned[each.owner].append(number)
    step = int(times[0, 1] - times[0, 0]) if times.shape[1] > 1 else 60
    for failure, effect, owners in find_metric_hits(day):
        pattern = re.compile(".*".join(map(re.escape, effect.kpi.split("*"))))
        hit = [row for name in owners for row in owned.get(name, ()) if pattern.fullmatch(series[row].kpi.name)]
        if not hit:
            continue
        weight = compute_weights(effect.shape, times[hit], failure, step)
        noise = day.chance("effect", failure.component, failure.timestamp, effect.kpi).normal(0, JITTER, weight.shape)
        part = weight * failure.intensity * np.exp(noise) / fills(effect.shape, day.world.profile.fills)
        if effect.reach is None:
            values[hit] = values[hit] * np.maximum(1 + (effect.multiply - 1) * part, LEFT) + effect.add * part
        else:
            values[hit] += (effect.reach * np.exp(noise / 3) - values[hit]) * weight


def _totals(day: Day, series: list[Series], values: np.ndarray) -> np.ndarray:
    """Counters that ran long before this day."""
    before = np.array([2e3 + 4e4 * day.unit("total", each.id, each.kpi.name, each.item) for each in series])
    days = (day.midnight // 86_400) % 97
    usual = np.array([_level(day, each) for each in series]) * values.shape[1]
    totals: np.ndarray = np.cumsum(values, axis=1) + (usual * (before / 1e3 + days))[:, None]
    return totals


def _present(day: Day, series: list[Series], samples: int, purpose: tuple[object, ...]) -> np.ndarray:
    rng = day.chance(*purpose, "missing")
    present = rng.random((len(series), samples)) >= _column(series, lambda kpi: kpi.missing)
    for row in np.repeat(np.arange(len(series)), rng.poisson(_column(series, lambda kpi: kpi.gaps)[:, 0])):
        start, lasts = rng.integers(samples), rng.integers(samples // 24, samples // 5 + 1)
        present[row, start : start + lasts] = False
    if day.hard:
        lost = day.chance(*purpose, "lost")
        for row in np.flatnonzero(lost.random(len(series)) < LOST):
            start = lost.integers(samples)
            present[row, start : start + samples * 3600 // (day.end - day.start)] = False
    return present
