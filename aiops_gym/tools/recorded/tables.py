"""The tools that print rows of a domain's tables, one a kind of table: `get_metric_node`, `get_traces`, `get_logs`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from aiops_gym.errors import ToolError
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.recording import LARGEST, Recording, Rows
from aiops_gym.openrca.store.layout import is_series_major
from aiops_gym.openrca.summaries.quantiles import describe
from aiops_gym.openrca.summaries.spans import find_duration_column
from aiops_gym.tools.recorded import arguments, page
from aiops_gym.tools.recorded.factory import TIME, Parameter, Recorded, make, optional
from aiops_gym.tools.registry import Tool

ROWS = 10_000
"""That can be asked for at most; what is printed has its own limit."""

SHORTER = "a shorter window (start_time=, end_time=)"

OVERVIEW = 3_000_000
"""Spans up to which they are summed up."""

FIRST = optional(
    "start_time", TIME, "first moment, Unix seconds or milliseconds, or text in UTC+8; None: the beginning."
)
LAST = optional("end_time", TIME, "last moment, likewise; None: the end.")
LIMIT = optional("limit", int, "print the first so many rows; without it the first and the last.")
COMPONENT = optional("component", str, "only rows of this component: an id, a node, a pod or a service.")


def tools(domain: Domain) -> Iterator[Tool]:
    """One a method of the domain's data set."""
    for name, tables in domain.methods.items():
        about = " ".join(dict.fromkeys(_about(table) for table in tables))
        manual = f"Print {_what(tables[0])} as CSV. {about}\n\n{_columns(tables[0])}"
        yield make(name, manual, _parameters(tables), partial(_print, name, tables), extra=tables[0].extra)


def _what(table: Table) -> str:
    return {"metric": "measurements", "trace": "spans", "log": "log lines"}[table.modality]


def _about(table: Table) -> str:
    return f"{table.source}: {table.about}" if table.source else table.about


def _columns(table: Table) -> str:
    listed = ", ".join(f"{column.name} ({column.about})" for column in table.columns)
    return f"Columns: {listed}."


def _parameters(tables: tuple[Table, ...]) -> list[Parameter]:
    table = tables[0]
    given = [FIRST, LAST, COMPONENT]
    if table.modality == "log":
        given.append(optional(table.kpi, str, "only lines of the log of this name."))
        given.append(optional("contains", str, "only lines with this text in them."))
    elif table.kpi:
        given.append(optional("kpi", str, "only rows of the KPI of this name."))
    if table.modality == "trace":
        given.append(optional("trace_id", str, "only spans of this trace."))
    given.append(LIMIT)
    if len(tables) > 1:
        words = " or ".join(f'"{each.source}"' for each in tables)
        given.append(optional("source", str, f"which log file: {words}.", tables[0].source))
    return given


def _print(name: str, tables: tuple[Table, ...], backend: Recorded, **given: object) -> str:
    recording = backend.recording
    where = arguments.open_span(name, recording, given.pop("start_time"), given.pop("end_time"))
    limit = given.pop("limit")
    assert limit is None or isinstance(limit, int)
    arguments.whole(name, "limit", limit, 1, ROWS)
    source = str(given.pop("source", ""))
    if len(tables) > 1:
        arguments.one_of(name, "source", source, [each.source for each in tables])
    table = next(each for each in tables if each.source == source)
    filters = {key: str(value) for key, value in given.items() if value is not None}
    if table.modality == "log" and table.kpi in filters:
        filters["kpi"] = filters.pop(table.kpi)
    rows = _rows(name, recording, table, where, filters)
    if not rows.count:
        return _nothing(name, recording, table, where, filters)
    return page.ends(rows, _notes(table, rows, limit), limit, _hint(table, filters))


def _rows(name: str, recording: Recording, table: Table, where: arguments.OpenSpan, filters: dict[str, str]) -> Rows:
    """The rows that are asked for. Raises ToolError where too many would have to be read."""
    # Measurements of one series lie together; spans and lines lie by time, and are searched through.
    found = recording.rows(table, where.start, where.end, **(filters if is_series_major(table) else {}))
    if found.count > LARGEST:
        ways = _ways(table, filters) if is_series_major(table) else [SHORTER]
        many = f"{found.count:,} rows lie in this window, and at most {LARGEST:,} are read at once"
        raise ToolError(f"Error: {name}: {many}: narrow by {', '.join(ways)}.")
    return found if is_series_major(table) or not filters else recording.rows(table, where.start, where.end, **filters)


def _nothing(name: str, recording: Recording, table: Table, where: arguments.OpenSpan, filters: dict[str, str]) -> str:
    """Says that there are no rows. Raises ToolError where a name is wrong."""
    if "component" in filters:
        arguments.known_component(name, recording, [table], where, filters["component"])
    if "kpi" in filters:
        arguments.known_kpi(name, recording, [table], where, filters["kpi"])
    return "\n".join(["# No rows: nothing was recorded that fits.", page.line(table.names)])


def _hint(table: Table, filters: dict[str, str]) -> str:
    return f"To see others, narrow by {', '.join(_ways(table, filters))}."


def _ways(table: Table, filters: dict[str, str]) -> list[str]:
    """How fewer rows can be asked for."""
    kpi = {"metric": "kpi", "trace": "trace_id", "log": "contains"}[table.modality]
    names = ["component", kpi] if table.kpi or kpi == "trace_id" else ["component"]
    return [*(f"{each}=" for each in names if each not in filters), SHORTER]


def _notes(table: Table, rows: Rows, limit: int | None) -> list[str]:
    if table.modality == "trace" and limit is None and rows.count <= OVERVIEW:
        return _overview(table, rows)
    return []


def _overview(table: Table, rows: Rows) -> list[str]:
    """Spans by component."""
    column = find_duration_column(table)
    values, codes, components = rows.pieces(column.name, table.component)
    if values.dtype.kind == "f":  # as where a span has no duration
        known = ~np.isnan(values)
        values, codes = values[known], codes[known]
    count, total, (half, high) = describe(values, codes, len(components), (0.5, 0.95))
    lines = [f"{rows.count:,} spans; durations in {column.about}. By component:", "component,count,mean,p50,p95"]
    for code in sorted(np.flatnonzero(count).tolist(), key=lambda code: components[code]):
        numbers = (total[code] / count[code], half[code], high[code])
        lines.append(page.line([components[code], int(count[code]), *(page.number(float(each)) for each in numbers)]))
    return lines
