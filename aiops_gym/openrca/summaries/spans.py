"""Which spans were slow or failed in a window, compared with the hour before: by component, operation or call."""

from __future__ import annotations

import numpy as np

from aiops_gym.openrca import model
from aiops_gym.openrca.model import Column, Table
from aiops_gym.openrca.recording import Recording, Rows
from aiops_gym.openrca.summaries.groups import Group, Spans, compare
from aiops_gym.openrca.summaries.runs import Array
from aiops_gym.openrca.summaries.window import MINUTE, Window

DURATIONS = ("duration", "elapsedTime")
STATUSES = ("status_code", "success")
OPERATIONS = ("callType", "operation_name", "dsName", "serviceName")
IDS = ("span_id", "id")
PARENTS = ("parent_id", "parent_span", "pid")

FINE = frozenset(("", "0", "ok", "true"))
"""Statuses of spans that did not fail, in lower case; HTTP codes below 400 are others."""

MOST = 120_000
"""Spans among which calls are looked up: of more, only those in the first seconds of each minute."""


def group_by_component(recording: Recording, table: Table, window: Window, component: str | None = None) -> list[Group]:
    """Spans by the component that they name."""
    rows = recording.rows(table, window.origin, window.last, component=component)
    codes, components = rows.codes(table.component)
    return compare(_spans(table, rows, window, codes.astype(np.int64)), [(name,) for name in components], window)


def group_by_operation(recording: Recording, table: Table, window: Window, component: str | None = None) -> list[Group]:
    """Spans by component and operation, which several columns may tell."""
    rows = recording.rows(table, window.origin, window.last, component=component)
    codes, components = rows.codes(table.component)
    groups, names = codes.astype(np.int64), [[name] for name in components]
    for column in list_operation_columns(table):
        codes, values = rows.codes(column)
        used, groups = np.unique(groups * len(values) + codes, return_inverse=True)
        names = [[*names[key // len(values)], values[key % len(values)]] for key in used.tolist()]
    named = [(first, " ".join(filter(None, rest))) for first, *rest in names]
    return compare(_spans(table, rows, window, groups), named, window)


def group_by_call(
    recording: Recording, table: Table, window: Window, component: str | None = None
) -> tuple[list[Group], int]:
    """Calls from one component to another: what of the caller's time the called one did not spend.

    A network between the two that delays or loses shows here, and in no measurement of either. A parent outside of
    what was looked at is unknown, and its calls are left out. A call failed when either side says so.

    Args:
        component: only calls from or to it.

    Returns:
        The calls, and how many seconds of each minute were looked at.
    """
    rows = recording.rows(table, window.origin, window.last)
    seconds, picked = _pick(rows, window)
    called, caller = _edges(table, rows, picked)
    codes, components = rows.codes(table.component)
    codes = codes[picked].astype(np.int64)
    other = codes[called] != codes[caller]
    called, caller = called[other], caller[other]
    keys, groups = np.unique(codes[caller] * len(components) + codes[called], return_inverse=True)
    names = [(components[key // len(components)], components[key % len(components)]) for key in keys.tolist()]
    durations = rows.numbers(find_duration_column(table).name)[picked]
    gaps = np.maximum(durations[caller] - durations[called], 0)
    slots = (rows.times()[picked][called] - window.origin) // MINUTE
    failed = _failed(table, rows)
    if failed is not None:
        failed = failed[picked]
        failed = failed[called] | failed[caller]
    found = compare(_known(Spans(gaps, groups, slots, failed)), names, window)
    if component is not None:
        found = [group for group in found if any(model.names(name, component) for name in group.names)]
    return found, seconds


def group_by_own(
    recording: Recording, table: Table, window: Window, component: str | None = None
) -> tuple[list[Group], int]:
    """Spans by component, with the time that they did not spend on the calls they made: where the time went.

    Returns:
        The components, and how many seconds of each minute were looked at.
    """
    rows = recording.rows(table, window.origin, window.last)
    seconds, picked = _pick(rows, window)
    called, caller = _edges(table, rows, picked)
    codes, components = rows.codes(table.component)
    durations = rows.numbers(find_duration_column(table).name)[picked].astype(float)
    spent = np.bincount(caller, durations[called], len(durations))
    failed = _failed(table, rows)
    slots = (rows.times()[picked] - window.origin) // MINUTE
    own = np.maximum(durations - spent, 0)
    spans = _known(Spans(own, codes[picked].astype(np.int64), slots, None if failed is None else failed[picked]))
    found = compare(spans, [(name,) for name in components], window)
    return [each for each in found if component is None or model.names(each.names[0], component)], seconds


def find_duration_column(table: Table) -> Column:
    """The column that holds how long a span took."""
    return next(column for column in table.columns if column.name in DURATIONS)


def list_operation_columns(table: Table) -> tuple[str, ...]:
    """The columns that tell what was called."""
    return tuple(name for name in OPERATIONS if name in table.names)


def fine(status: str) -> bool:
    """Whether a span of this status did not fail.

    >>> [status for status in ("0", "Ok", "TRUE", "200", "302", "13", "503", "False") if not fine(status)]
    ['13', '503', 'False']
    """
    return status.lower() in FINE or (len(status) == 3 and status.isdecimal() and status < "400")


def _spans(table: Table, rows: Rows, window: Window, groups: Array) -> Spans:
    slots = (rows.times() - window.origin) // MINUTE
    return _known(Spans(rows.numbers(find_duration_column(table).name), groups, slots, _failed(table, rows)))


def _known(spans: Spans) -> Spans:
    """The spans whose duration is recorded."""
    known = ~np.isnan(spans.values)
    if known.all():
        return spans
    failed = None if spans.failed is None else spans.failed[known]
    return Spans(spans.values[known], spans.groups[known], spans.slots[known], failed)


def _pick(rows: Rows, window: Window) -> tuple[int, Array]:
    """Seconds of each minute that are looked at, and the spans in them."""
    seconds = min(60, max(1, 60 * MOST // max(1, rows.count)))
    return seconds, np.flatnonzero((rows.times() - window.origin) % MINUTE < 1000 * seconds)


def _failed(table: Table, rows: Rows) -> Array | None:
    """Which spans failed; None where that is not recorded."""
    column = next((name for name in STATUSES if name in table.names), None)
    if column is None:
        return None
    codes, values = rows.codes(column)
    failed: Array = np.array([not fine(value) for value in values], bool)[codes]
    return failed


def _edges(table: Table, rows: Rows, picked: Array) -> tuple[Array, Array]:
    """Places among the picked rows of each span whose parent is among them, and of its parent."""
    ids, parents = (next(name for name in names if name in table.names) for names in (IDS, PARENTS))
    places = {each: place for place, each in enumerate(rows.texts(ids, picked))}
    caller = np.array([places.get(each, -1) for each in rows.texts(parents, picked)], np.int64)
    called = np.flatnonzero(caller >= 0)
    return called, caller[called]
