"""Which measurements left their usual range in a window, compared with the hours before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.recording import Recording, Rows
from aiops_gym.openrca.summaries.runs import LEAST, Array, compute_scores, estimate_usual, find_runs
from aiops_gym.openrca.summaries.window import MINUTE, Window


class Deviation(NamedTuple):
    """A run of samples of one series that deviate to the same side.

    Attributes:
        z: its strength: the sum of its samples' robust scores by the square root of their number.
        first: Unix milliseconds of its first sample, a whole minute.
        samples: how many it has.
        before: median of the series before.
        during: mean of the run.
    """

    component: str
    kpi: str
    z: float
    first: int
    samples: int
    before: float
    during: float


@dataclass
class Found:
    """What a comparison gave.

    Attributes:
        deviations: the strongest runs first, `KEPT` of each table at most.
        runs: how many there were.
        series: how many series were compared.
        new: (component, kpi) of series that have samples in the window only.
        stopped: of those that have samples before it only.
    """

    deviations: list[Deviation] = field(default_factory=list)
    runs: int = 0
    series: int = 0
    new: list[tuple[str, str]] = field(default_factory=list)
    stopped: list[tuple[str, str]] = field(default_factory=list)


KEPT = 500
"""Runs of one table that are worked out in full."""


def find_deviations(
    recording: Recording, tables: Sequence[Table], window: Window, component: str | None = None, kpi: str | None = None
) -> Found:
    """Runs of deviating samples in all series of some tables of metrics.

    Args:
        component: only series of it.
        kpi: only series whose KPI has this in its name.
    """
    found = Found()
    for table in tables:
        for names, matrix in _matrices(recording, table, window, component, kpi):
            _compare(names, matrix, window, found)
    found.deviations.sort(key=lambda each: (-abs(each.z), each.first, each.component, each.kpi))
    return found


def list_quantities(table: Table) -> tuple[str, ...]:
    """Columns of a table that are a KPI each; none where a column names the KPI.

    >>> from aiops_gym.openrca.domains import find
    >>> list_quantities(find("bank")[0].table("get_metric_app"))
    ('rr', 'sr', 'cnt', 'mrt')
    """
    return () if table.kpi else tuple(each.name for each in table.columns if each.kind in ("int", "float"))


Names = list[tuple[str, str]]


def _matrices(
    recording: Recording, table: Table, window: Window, component: str | None, kpi: str | None
) -> Iterator[tuple[Names, Array]]:
    """Series of a table by minute, and the component and KPI of each."""
    ends, wanted = (window.origin, window.last), (kpi or "").lower()
    known = recording.values(table, table.kpi, *ends) if table.kpi else list_quantities(table)
    if not any(wanted in name.lower() for name in known):
        return
    rows = recording.rows(table, *ends, component=component)
    if not rows.count:
        return
    if "itemid" in table.names:
        yield _by_item(table, rows, window, wanted)
        return
    series = rows.grouped()
    slots = (series.times - window.origin) // MINUTE
    numbers = np.repeat(np.arange(len(series.components)), np.diff(series.bounds))
    for quantity in list_quantities(table) or ("value",):
        kpis = series.kpis if table.kpi else [quantity] * len(series.components)
        kept = np.flatnonzero([wanted in name.lower() for name in kpis])
        names = [(series.components[row], kpis[row]) for row in kept.tolist()]
        if len(kept):
            yield names, _fill(*_only(kept, numbers, slots, series.numbers(quantity)), len(kept), window.slots)


def _only(kept: Array, numbers: Array, slots: Array, values: Array) -> tuple[Array, Array, Array]:
    """Samples of the kept series, with the series' places among them."""
    place = np.full(int(numbers.max()) + 1, -1)
    place[kept] = np.arange(len(kept))
    series = place[numbers]
    if len(kept) == len(place):
        return series, slots, values
    mine = series >= 0
    return series[mine], slots[mine], values[mine]


def _by_item(table: Table, rows: Rows, window: Window, wanted: str) -> tuple[Names, Array]:
    """Likewise where one KPI of a component may be measured on several items, each a series of its own."""
    codes = np.zeros(rows.count, np.int64)
    found: list[tuple[str, ...]] = [()]
    for column in (table.component, table.kpi, "itemid"):
        more, values = rows.codes(column)
        used, codes = _compress(codes * len(values) + more, len(found) * len(values))
        found = [(*found[key // len(values)], values[key % len(values)]) for key in used.tolist()]
    slots = (rows.times() - window.origin) // MINUTE
    matrix = _fill(codes, slots, rows.numbers("value"), len(found), window.slots)
    keep = [row for row, each in enumerate(found) if wanted in each[1].lower()]
    return [(found[row][0], found[row][1]) for row in keep], matrix[keep]


def _compress(keys: Array, bound: int) -> tuple[Array, Array]:
    """The different keys below a bound, and the place of each key among them."""
    seen = np.zeros(bound, bool)
    seen[keys] = True
    used = np.flatnonzero(seen)
    place = np.zeros(bound, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, place[keys].astype(np.int64)


def _fill(series: Array, slots: Array, values: Array, height: int, width: int) -> Array:
    """Samples as a matrix; the mean of those that share a minute."""
    cells = series * width + slots
    matrix = np.full(height * width, np.nan)
    matrix[cells] = values
    if np.count_nonzero(~np.isnan(matrix)) != len(values):
        known = ~np.isnan(values)
        count = np.bincount(cells[known], minlength=len(matrix))
        total = np.bincount(cells[known], values[known], len(matrix))
        matrix = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return matrix.reshape(height, width)


def _compare(names: Names, matrix: Array, window: Window, found: Found) -> None:
    """Add what a matrix holds to what was found."""
    before, after = matrix[:, window.base], matrix[:, window.own]
    median, deviation = estimate_usual(before)
    strong = find_runs(compute_scores(after, median, deviation))
    for at in np.lexsort((strong.series, strong.first, -np.abs(strong.strength)))[:KEPT].tolist():
        row, column, samples = int(strong.series[at]), int(strong.first[at]), int(strong.samples[at])
        during = _mean(after[row], column, samples)
        first, strength = window.start + column * MINUTE, float(strong.strength[at])
        found.deviations.append(Deviation(*names[row], strength, first, samples, float(median[row]), during))
    enough, now = (~np.isnan(before)).sum(axis=1) >= LEAST, (~np.isnan(after)).any(axis=1)
    found.runs += len(strong.series)
    found.series += len(names)
    found.new.extend(names[row] for row in np.flatnonzero(~enough & now).tolist())
    found.stopped.extend(names[row] for row in np.flatnonzero(enough & ~now).tolist())


def _mean(values: Array, column: int, samples: int) -> float:
    """Of so many samples from a column on."""
    known = values[column:]
    return float(known[~np.isnan(known)][:samples].mean())
