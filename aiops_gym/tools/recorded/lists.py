"""The tools that say what there is: `list_components` and `list_kpis`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from aiops_gym.openrca import clock
from aiops_gym.openrca.layout import table_file
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.recording import SPILL, Recording
from aiops_gym.openrca.summaries.deviations import list_quantities
from aiops_gym.tools.recorded import arguments, page
from aiops_gym.tools.recorded.factory import Recorded, make, optional
from aiops_gym.tools.registry import Tool

COMPONENTS = (
    "List what has measurements, spans or logs, and in which of the tables: one row a name as the tables have it."
)
KPIS = "List the names of KPIs, with the table and the number of components that have each."


def tools(domain: Domain) -> Iterator[Tool]:
    """Both of them."""
    part = optional("contains", str, "only those with this in their name.")
    yield make("list_components", COMPONENTS, [part], partial(_components, domain), extra=True)
    parameters = [
        optional("component", str, "only KPIs of this component: an id, a node, a pod or a service."),
        optional("contains", str, "only KPIs with this in their name."),
    ]
    yield make("list_kpis", KPIS, parameters, partial(_kpis, domain), extra=True)


def _components(domain: Domain, backend: Recorded, contains: str | None) -> str:
    where = _day(backend)
    there, notes = _there(backend.recording, domain.tables, where)
    found: dict[str, list[str]] = {}
    for table in there:
        for name in backend.recording.values(table, table.component, *where):
            if (contains or "") in name:
                found.setdefault(name, []).append(table.name)
    rows = [(name, " ".join(found[name])) for name in sorted(found)]
    return page.top(("component", "tables"), rows, len(rows), notes, "Narrow by contains=.")


def _kpis(domain: Domain, backend: Recorded, component: str | None, contains: str | None) -> str:
    where, recording = _day(backend), backend.recording
    metrics, notes = _there(recording, [table for table in domain.tables if table.modality == "metric"], where)
    rows = [row for table in metrics for row in _of_table(recording, table, where, component, contains)]
    if not rows:
        arguments.known("list_kpis", recording, metrics, where, component, contains)
    hint = "Narrow by component= or contains=."
    return page.top(("table", "kpi", "components"), rows, len(rows), notes, hint)


def _day(backend: Recorded) -> arguments.Span:
    """A day without its last minutes, in which the next day's files begin: the one asked about, or else the last."""
    asked = clock.parse_day(backend.began - 1)
    known = asked in backend.recording.days
    start = clock.parse(asked if known else clock.parse_day(backend.recording.span()[1]))
    return arguments.Span(start + SPILL + 1, start + clock.DAY - SPILL - 1)


def _there(recording: Recording, tables: Sequence[Table], where: arguments.Span) -> tuple[list[Table], list[str]]:
    """The tables that have a file of the day, and what is said above a list: the day, and the others."""
    day = clock.parse_day(where.start)
    there = [table for table in tables if table_file(recording.folder, day, table).is_file()]
    without = [table.name for table in tables if table not in there]
    return there, [f"On {day.isoformat()}.", *([f"Without a file: {', '.join(without)}."] if without else [])]


def _of_table(
    recording: Recording, table: Table, where: arguments.Span, component: str | None, contains: str | None
) -> list[tuple[str, str, int]]:
    """Table, KPI and number of components."""
    rows = recording.rows(table, *where, component=component)
    codes, components = rows.codes(table.component)
    if table.kpi:
        kpi_codes, kpis = rows.codes(table.kpi)
        seen = np.zeros((len(kpis), len(components)), bool)
        seen[kpi_codes, codes] = True
        counts = dict(zip(kpis, seen.sum(axis=1).tolist(), strict=True))
    else:
        counts = dict.fromkeys(list_quantities(table), len(np.unique(codes)))
    wanted = contains.lower() if contains else ""
    return [(table.name, kpi, counts[kpi]) for kpi in sorted(counts) if counts[kpi] and wanted in kpi.lower()]
