"""The tool `browse`: rows of any table from any place on, or samples put together by minutes instead of cut out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from aiops_gym.openrca import clock
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.recording import Rows
from aiops_gym.openrca.summaries.deviations import list_quantities
from aiops_gym.tools.recorded import arguments, page
from aiops_gym.tools.recorded.factory import END, START, Recorded, make, optional
from aiops_gym.tools.registry import Tool

ABOUT = """Print rows of a table from any place on, each with its time in UTC+8 beside its epoch.

With `every`, measurements are not cut out in the middle but put together: a row is a series (component and KPI) and so
many minutes, with the number of its samples, their mean, their least and their greatest; what has no number is left
out."""

ROWS = 10_000
"""That can be asked for at most, those before the offset included."""


def tools(domain: Domain) -> Iterator[Tool]:
    """The one."""
    names = ", ".join(f'"{table.name}"' for table in domain.tables)
    given = [
        optional("table", str, f"one of {names}.", domain.tables[0].name),
        START,
        END,
        optional("component", str, "only this component: an id, a node, a pod or a service."),
        optional("kpi", str, "only the KPI (of logs, the log) of this name."),
        optional("exclude", str, "not these components, separated by commas."),
        optional("offset", int, "leave out so many rows first.", 0),
        optional("limit", int, "print so many rows at most."),
        optional("every", int, "put the samples of so many minutes together, 1 to 60."),
    ]
    given.sort(key=lambda each: each.name not in ("start_time", "end_time"))
    yield make("browse", ABOUT, given, partial(_browse, domain), extra=True)


def _browse(domain: Domain, backend: Recorded, **given: object) -> str:
    named = {each.name: each for each in domain.tables}
    arguments.one_of("browse", "table", str(given["table"]), list(named))
    table, recording = named[str(given["table"])], backend.recording
    where = arguments.open_span("browse", recording, given["start_time"], given["end_time"])
    offset, limit, every = (given[name] for name in ("offset", "limit", "every"))
    assert isinstance(offset, int) and isinstance(limit, int | None) and isinstance(every, int | None)
    arguments.whole("browse", "offset", offset, 0, ROWS)
    arguments.whole("browse", "limit", limit, 1, ROWS)
    arguments.whole("browse", "every", every, 1, 60)
    component, kpi = (None if given[name] is None else str(given[name]) for name in ("component", "kpi"))
    without = tuple(filter(None, (each.strip() for each in str(given["exclude"] or "").split(","))))
    rows = recording.rows(table, *where, component=component, kpi=kpi, exclude=without)
    if not rows.count:
        arguments.known("browse", recording, [table], where, component, kpi if table.kpi else None)
    if every is not None and table.modality == "metric" and "itemid" not in table.names:
        columns, found = _resampled(table, rows, every)
    else:
        place = table.names.index(table.time)
        unit = 1 if table.unit == "ms" else 1000
        columns = ("time", *table.names)
        found = [(clock.show(row[place] * unit), *row) for row in rows.head(offset + min(limit or ROWS, ROWS))]
    total = len(found) if every is not None else rows.count
    shown = found[offset : offset + limit if limit else None]
    hint = f"Go on with offset={offset + len(shown):,} or less, or narrow the question."
    return page.top(columns, shown, total - offset, [f"{total:,} rows, from row {offset:,} on."], hint)


def _resampled(table: Table, rows: Rows, every: int) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Of each series and so many minutes the samples' number, mean, least and greatest."""
    series, step, made = rows.grouped(), every * 60_000, []
    for quantity in list_quantities(table) or ("value",):
        values = series.numbers(quantity)
        for at, (first, last) in enumerate(zip(series.bounds[:-1], series.bounds[1:], strict=True)):
            known = np.flatnonzero(~np.isnan(values[first:last])) + first
            slots, starts = np.unique(series.times[known] // step, return_index=True)
            for slot, part in zip(slots.tolist(), np.split(values[known], starts[1:]), strict=True):
                name = series.kpis[at] if table.kpi else quantity
                numbers = map(page.number, (float(part.mean()), float(part.min()), float(part.max())))
                made.append(
                    (clock.show(slot * step), slot * step // 1000, series.components[at], name, len(part), *numbers)
                )
    made.sort(key=lambda row: (row[1], row[2], row[3]))
    return ("time", "timestamp", "component", "kpi", "samples", "mean", "min", "max"), made
