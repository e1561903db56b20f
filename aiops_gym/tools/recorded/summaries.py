"""The tools that sum up a window: `largest_deviations`, `slowest_spans`, `log_templates`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from aiops_gym.caches import Cache, Entry
from aiops_gym.openrca import clock, layout
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.summaries.deviations import Deviation, Found, find_deviations
from aiops_gym.openrca.summaries.groups import Group
from aiops_gym.openrca.summaries.runs import THRESHOLD
from aiops_gym.openrca.summaries.spans import (
    find_duration_column,
    group_by_call,
    group_by_component,
    group_by_operation,
    group_by_own,
    list_operation_columns,
)
from aiops_gym.openrca.summaries.templates import Lines, Template, collect_templates
from aiops_gym.openrca.summaries.window import Window, make_window
from aiops_gym.tools.recorded import arguments, page
from aiops_gym.tools.recorded.factory import END, START, Recorded, make, optional
from aiops_gym.tools.registry import Tool

LONGEST = 3
"""Hours of a window at most."""

BEFORE = 6
"""Hours before the window that measurements are compared with."""

HOUR = 60
"""Minutes before the window that spans and log lines are compared with."""

ROWS = 1_000
"""That can be asked for at most."""

WHOLE_DAY = (0, 24)
"""Hours of a domain that is recorded round the clock, so that a day borders on the one before."""

KEPT: Cache[str] = Cache(
    Entry(
        f"{__name__}.texts",
        "summing up a window of recorded telemetry",
        key="the tool, its arguments, the folder, its days, and size and time of their files",
        bound=2_048,
    )
)
"""What was printed of a window: many episodes, and many agents from one start, ask the same."""

EXAMPLE = 160
"""Characters of an example at most."""

NAMED = 5
"""Series that a note names at most."""

DEVIATIONS = """List the measurements that left their usual range in a window, the strongest first.

Each series (a component's KPI) is compared with the hours before the window: its median, and its robust standard
deviation from the median absolute deviation. A row is a run of consecutive samples that lie more than 3 of them away to
the same side; `z` is the strength of the run, `first` the minute of its first sample (UTC+8), `samples` how many there
are, `before` the median before, `during` the mean of the run. Without enough time before the window, the time after it
is taken."""

SPANS = """List the components whose spans were slow or failed in a window, the most striking first.

Spans are compared minute by minute with the hour before the window. `count`, `errors`, `mean` and `p95` are those of
the window, and `_before` those of the hour before (counts scaled to as many minutes); `p95` is the least duration that
95 % do not exceed. `z` is the strength of the
strongest run of minutes that were slower, or failed more, than usual, and `first` its first minute (UTC+8), both empty
where there is none. By "call", a row is a call from one component to another, and the durations are what of the
caller's time the called one did not spend: a slow network shows there. By "own", a row is a component, and the
durations are what of its spans' time the calls that they made did not take: what made others wait shows there."""

TEMPLATES = """List what the logs said in a window, by component, log and template, the most striking first.

A template is a line whose numbers and ids are masked as <*>. `count` is the number of lines in the window, `before`
that of the hour before, scaled to as many minutes. `z` is the strength of the strongest run of minutes with more, or if
negative fewer, lines than usual, and `first` its first minute (UTC+8), both empty where there is none; `example` is the
first line in the window."""

NAMES = {
    "component": ("component",),
    "operation": ("component", "operation"),
    "call": ("caller", "called"),
    "own": ("component",),
}
COUNTS, ERRORS = ("count", "count_before"), ("errors", "errors_before")
DURATIONS = ("mean", "mean_before", "p95", "p95_before", "z", "first")
"""Columns of `slowest_spans`."""

COMPONENT = optional("component", str, "only this component: an id, a node, a pod or a service.")
LIMIT = optional("limit", int, "print so many rows at most.")


def tools(domain: Domain) -> Iterator[Tool]:
    """One a modality that the domain has."""
    metrics = [table for table in domain.tables if table.modality == "metric"]
    spans = next(table for table in domain.tables if table.modality == "trace")
    logs = [table for table in domain.tables if table.modality == "log"]
    kpi = optional("kpi", str, "only KPIs with this in their name.")
    hours = optional("hours", int, "how many hours before the window to compare with, 1 to 12.", BEFORE)
    given = [START, END, COMPONENT, kpi, LIMIT, hours]
    yield make("largest_deviations", DEVIATIONS, given, _kept("largest_deviations", metrics, _deviations), extra=True)
    by = optional("by", str, f"rows are a {_either(_groupings(spans))}.", "component")
    about = f"{SPANS} Durations are in {find_duration_column(spans).about}."
    yield make(
        "slowest_spans", about, [START, END, COMPONENT, by, LIMIT], _kept("slowest_spans", [spans], _spans), extra=True
    )
    if logs:
        given = [START, END, COMPONENT, LIMIT]
        if len(logs) > 1:
            given.append(
                optional("source", str, f"log file: {_either([each.source for each in logs])}.", logs[0].source)
            )
        yield make("log_templates", TEMPLATES, given, _kept("log_templates", logs, _templates), extra=True)


def _kept(name: str, tables: list[Table], answer: Callable[..., str]) -> Callable[..., str]:
    """An answer that is worked out once for the same question about the same files."""

    def look(backend: Recorded, **given: object) -> str:
        recording = backend.recording
        asked = tuple(sorted((key, type(value).__name__, value) for key, value in given.items()))
        key = (name, asked, recording.folder, recording.days, recording.strict, _stamps(recording, tables))
        return KEPT.get(key, lambda: answer(tables, backend, **given))

    return look


def _stamps(recording: Recording, tables: list[Table]) -> tuple[tuple[int, int] | None, ...]:
    """Size and time of the tables' files of all days; None for one that is missing."""
    files = [layout.table_file(recording.folder, day, table) for table in tables for day in recording.days]
    found = [file.stat() if file.is_file() else None for file in files]
    return tuple(None if each is None else (each.st_size, each.st_mtime_ns) for each in found)


def _groupings(table: Table) -> list[str]:
    return ["component", *(["operation"] if list_operation_columns(table) else []), "call", "own"]


def _either(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]])


def _deviations(
    tables: list[Table],
    backend: Recorded,
    start_time: object,
    end_time: object,
    component: str | None,
    kpi: str | None,
    limit: int | None,
    hours: int,
) -> str:
    name, recording = "largest_deviations", backend.recording
    where = arguments.span(name, recording, start_time, end_time, LONGEST)
    arguments.whole(name, "limit", limit, 1, ROWS)
    arguments.whole(name, "hours", hours, 1, 12)
    around = _window(recording, where, hours * 60)
    found = find_deviations(recording, tables, around, component, kpi)
    if not found.series:
        arguments.known(name, recording, tables, arguments.Span(around.origin, around.last), component, kpi)
    rows = (_deviation(each) for each in found.deviations[: limit or ROWS])
    columns = ("component", "kpi", "direction", "z", "first", "samples", "before", "during")
    hint = "Narrow by component=, kpi= or a shorter window."
    return page.top(columns, rows, found.runs, _deviation_notes(found, around), hint)


def _deviation(found: Deviation) -> tuple[object, ...]:
    direction = "up" if found.z > 0 else "down"
    numbers = (page.number(abs(found.z)), clock.show(found.first), found.samples)
    return (found.component, found.kpi, direction, *numbers, *page.pair(found.before, found.during))


def _deviation_notes(found: Found, around: Window) -> list[str]:
    compared = f"{found.series:,} series compared with {_compared(around)}"
    notes = [f"{compared}; {found.runs:,} runs of samples beyond {THRESHOLD:g} robust standard deviations."]
    for word, names in (("new in the window", found.new), ("without samples in the window", found.stopped)):
        if names:
            listed = "; ".join(f"{component} {kpi}" for component, kpi in sorted(names)[:NAMED])
            more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
            notes.append(f"{len(names):,} series {word}: {listed}{more}.")
    return notes


def _spans(
    tables: list[Table],
    backend: Recorded,
    start_time: object,
    end_time: object,
    component: str | None,
    by: str,
    limit: int | None,
) -> str:
    name, recording, (table,) = "slowest_spans", backend.recording, tables
    where = arguments.span(name, recording, start_time, end_time, LONGEST)
    arguments.whole(name, "limit", limit, 1, ROWS)
    arguments.one_of(name, "by", by, _groupings(table))
    around = _window(recording, where, HOUR)
    notes = [f"Compared with {_compared(around)}; durations in {find_duration_column(table).about}."]
    if by in ("call", "own"):
        found, seconds = (group_by_call if by == "call" else group_by_own)(recording, table, around, component)
        notes += [f"Calls were looked up in the first {seconds} s of each minute."] if seconds < 60 else []
    else:
        found = (group_by_component if by == "component" else group_by_operation)(recording, table, around, component)
    if not found:
        arguments.known(name, recording, [table], arguments.Span(around.origin, around.last), component)
    errors = any(not math.isnan(each.errors) for each in found)
    columns = (*NAMES[by], *COUNTS, *(ERRORS if errors else ()), *DURATIONS)
    rows = (_group(each, errors) for each in found[: limit or ROWS])
    return page.top(columns, rows, len(found), notes, "Narrow by component= or a shorter window.")


def _group(found: Group, errors: bool) -> tuple[object, ...]:
    failed = (found.errors, found.errors_before) if errors else ()
    numbers = (found.before, *failed, found.mean, found.mean_before, found.p95, found.p95_before)
    run = (page.number(found.z), clock.show(found.first)) if found.z else ("", "")
    return (*found.names, found.count, *map(page.number, numbers), *run)


def _templates(
    tables: list[Table],
    backend: Recorded,
    start_time: object,
    end_time: object,
    component: str | None,
    limit: int | None,
    source: str = "",
) -> str:
    name, recording = "log_templates", backend.recording
    where = arguments.span(name, recording, start_time, end_time, LONGEST)
    arguments.whole(name, "limit", limit, 1, ROWS)
    if len(tables) > 1:
        arguments.one_of(name, "source", source, [each.source for each in tables])
    table = next(each for each in tables if each.source == source)
    around = _window(recording, where, HOUR)
    found = collect_templates(recording, table, around, component)
    if not found.count:
        arguments.known(name, recording, [table], where, component)
    columns = (table.component, table.kpi, "count", "before", "z", "first", "template", "example")
    rows = (_template(each) for each in found.templates[: limit or ROWS])
    notes = _template_notes(found, around)
    return page.top(columns, rows, len(found.templates), notes, "Narrow by component= or a shorter window.")


def _template(found: Template) -> tuple[object, ...]:
    counts = (page.number(found.count), page.number(found.before))
    run = (page.number(found.z), clock.show(found.first)) if found.z else ("", "")
    example = found.example[:EXAMPLE] if found.example != found.template else ""
    return (found.component, found.log, *counts, *run, found.template, example)


def _template_notes(found: Lines, around: Window) -> list[str]:
    read = f" of which one in {found.step} was read" if found.step > 1 else ""
    return [f"{found.count:,} lines{read}, compared with {_compared(around)}."]


def _window(recording: Recording, where: arguments.Span, minutes: int) -> Window:
    """The window and what lies before it, on recorded days without a gap."""
    days = {clock.parse(each) for each in recording.days}
    earliest = clock.parse(clock.parse_day(where.start))
    if earliest not in days:
        return make_window(where.start, where.end, minutes, where.start)
    while recording.domain.hours == WHOLE_DAY and earliest - clock.DAY in days:
        earliest -= clock.DAY
    return make_window(where.start, where.end, minutes, earliest)


def _compared(around: Window) -> str:
    start, end = clock.show(around.base_start), clock.show(around.base_end)
    return f"{start} to {end} (UTC+8)"
