"""What was recorded of one domain: its telemetry, asked for by time. No labels in it, and no pandas but for frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from aiops_gym.errors import CatalogError
from aiops_gym.folders import cache_folder
from aiops_gym.openrca import clock, layout
from aiops_gym.openrca.model import Column, Domain, Table, names
from aiops_gym.openrca.rows import Rows
from aiops_gym.openrca.store import shelf
from aiops_gym.openrca.store.layout import is_series_major
from aiops_gym.openrca.store.oddities import explain
from aiops_gym.openrca.store.opened import Store
from aiops_gym.openrca.store.parts import Part, Samples, Spans

LARGEST = 20_000_000
"""Rows that are given, or searched through, at once."""

SPILL = 300_000
"""Milliseconds by which a day's files may hold rows of the days beside it."""

_MISSING = "the file is not there"

__all__ = ["Recording", "Rows", "WindowError"]


class WindowError(CatalogError, ValueError):
    """A window that ends before it starts."""


class Recording:
    """The telemetry of a domain's folder. Files are converted when a question first touches them.

    Args:
        folder: holds `telemetry`.
        days: those that may be read; None for all there are.
        cache: where conversions lie; see `folders.cache_folder`.
        progress: told of conversions: file, bytes read, all its bytes.
        strict: refuse a file that is missing, or not all that its table says. Else what can be read is, and the rest
            counted, see `oddities`.

    Raises:
        CatalogError: a day is not there.
    """

    def __init__(
        self,
        domain: Domain,
        folder: Path,
        days: Sequence[date] | None = None,
        cache: str | os.PathLike[str] | None = None,
        progress: shelf.Progress | None = None,
        strict: bool = False,
    ) -> None:
        self.domain, self.folder, self.progress, self.strict = domain, Path(folder), progress, strict
        there = layout.list_days(self.folder)
        for day in days or ():
            if day not in there:
                known = ", ".join(map(str, there)) or "none"
                raise CatalogError(f"{self.folder} has no telemetry of {day}; there are: {known}")
        self.days: tuple[date, ...] = there if days is None else tuple(sorted(set(days)))
        self.cache = cache_folder(self.folder, cache)

    def span(self) -> tuple[int, int]:
        """First and last millisecond of the days, as the domain's hours say.

        Raises:
            CatalogError: there are no days.
        """
        if not self.days:
            raise CatalogError(f"{self.folder / 'telemetry'} has no days")
        first, last = (hour * 3_600_000 for hour in self.domain.hours)
        return clock.parse(self.days[0]) + first, clock.parse(self.days[-1]) + last - 1

    def oddities(self, table: Table) -> dict[date, list[str]]:
        """What could not be read as it should be of a table's files, by day; days without any are left out."""
        found = {}
        for day in self.days:
            path = layout.table_file(self.folder, day, table)
            there = path.is_file()
            said = explain(shelf.open_store(path, table, self.cache, self.progress).meta.odd) if there else [_MISSING]
            if said:
                found[day] = said
        return found

    def values(self, table: Table, column: str, start: int | None = None, end: int | None = None) -> list[str]:
        """The different values of a code column, sorted: of all days, or of the days that a window meets."""
        _column(table, column, ("code",))
        found: set[str] = set()
        for store in self._stores(table, start, end):
            found.update(store.names(column))
        return sorted(found)

    def rows(
        self,
        table: Table,
        start: int | None = None,
        end: int | None = None,
        *,
        component: str | None = None,
        kpi: str | None = None,
        trace_id: str | None = None,
        contains: str | None = None,
        exclude: Sequence[str] = (),
    ) -> Rows:
        """The rows between two times, both ends inclusive.

        Args:
            start, end: Unix milliseconds; None leaves that side open.
            component: an id, a part of one between dots, or the service of a pod: see `model.names`.
            kpi: exact name, of tables that have a column for it (for logs, the name of the log).
            trace_id: exact, of traces.
            contains: a piece of the line, of logs.
            exclude: components that are left out, named likewise.

        Raises:
            WindowError: the start is after the end.
            CatalogError: the table has no such filter, or a file is missing or broken.
            BackendError: the cache cannot be written.
        """
        if start is not None and end is not None and start > end:
            raise WindowError(f"the start {clock.show(start)} is after the end {clock.show(end)}")
        asked = _Filter(table, component, kpi, trace_id, contains, exclude)
        parts = [_part(store, start, end, asked) for store in self._stores(table, start, end)]
        return Rows(table, [part for part in parts if part.count])

    def _stores(self, table: Table, start: int | None, end: int | None) -> Iterable[Store]:
        for day in self.days:
            first = clock.parse(day) - SPILL
            last = clock.parse(day + timedelta(days=1)) + SPILL
            if (end is None or end >= first) and (start is None or start <= last):
                path = layout.table_file(self.folder, day, table)
                if self.strict or path.is_file():
                    yield shelf.open_store(path, table, self.cache, self.progress, self.strict)


class _Filter:
    """What rows are asked for, by the table's own columns."""

    def __init__(
        self,
        table: Table,
        component: str | None,
        kpi: str | None,
        trace_id: str | None,
        contains: str | None,
        exclude: Sequence[str],
    ) -> None:
        self.table, self.component, self.kpi, self.exclude = table, component, kpi, exclude
        if kpi is not None and not table.kpi:
            raise CatalogError(f"{table.name} has no KPI to filter by: its columns are {', '.join(table.names)}")
        self.texts: list[tuple[str, str, bool]] = []
        if trace_id is not None:
            self.texts.append((_text_column(table, "traceid", "trace id"), trace_id, True))
        if contains is not None:
            self.texts.append((_text_column(table, "value", "text"), contains, False))

    def codes(self, store: Store) -> list[tuple[str, np.ndarray]]:
        """Code columns with, for each of their values, whether it is asked for."""
        made = []
        if self.component is not None:
            known = store.names(self.table.component)
            made.append((self.table.component, np.array([names(each, self.component) for each in known], bool)))
        if self.exclude:
            kept = [not any(names(each, name) for name in self.exclude) for each in store.names(self.table.component)]
            made.append((self.table.component, np.array(kept, bool)))
        if self.kpi is not None:
            made.append((self.table.kpi, np.array([each == self.kpi for each in store.names(self.table.kpi)], bool)))
        return made


def _text_column(table: Table, wanted: str, title: str) -> str:
    for column in table.columns:
        if column.kind == "text" and column.name.lower().replace("_", "") == wanted:
            return column.name
    raise CatalogError(f"{table.name} has no {title} to filter by: its columns are {', '.join(table.names)}")


def _part(store: Store, start: int | None, end: int | None, asked: _Filter) -> Part:
    """The rows of one file; times are counted as in its keys from here on."""
    step = store.meta.step
    first = None if start is None else -((store.base - start) // step)
    last = None if end is None else (end - store.base) // step
    return (_samples if is_series_major(store.table) else _spans)(store, first, last, asked)


def _samples(store: Store, first: int | None, last: int | None, asked: _Filter) -> Samples:
    series = store.series
    chosen = np.ones(len(series.ids), bool)
    for column, wanted in asked.codes(store):
        chosen &= wanted[series.components if column == store.table.component else series.kpis]
    which = np.flatnonzero(chosen)
    starts, stops = series.window(which, first, last)
    some = starts < stops
    return Samples(store, which[some], starts[some], stops[some])


def _spans(store: Store, first: int | None, last: int | None, asked: _Filter) -> Spans:
    span = (store.meta.last - store.base) // store.meta.step
    start = 0 if first is None or first <= 0 else store.rows if first > span else store.place(first, "left")
    stop = store.rows if last is None or last >= span else 0 if last < 0 else store.place(last, "right")
    part = Spans(store, start, max(start, stop))
    for column, wanted in asked.codes(store):
        if not part.count or not wanted.any():
            return Spans(store, start, start)
        if not wanted.all():
            part = part.keep(wanted[part.codes(column, part.all())])
    for column, needle, whole in asked.texts:
        at = part.all()
        hits = store.texts.matching(column, at, needle, whole)
        part = Spans(store, part.start, part.stop, hits + part.start if isinstance(at, slice) else at[hits])
    return part


def _column(table: Table, name: str, kinds: Sequence[str]) -> Column:
    for column in table.columns:
        if column.name == name and column.kind in kinds:
            return column
    known = ", ".join(column.name for column in table.columns if column.kind in kinds)
    raise CatalogError(f"{table.name} has no such column {name!r}; there are: {known}")
