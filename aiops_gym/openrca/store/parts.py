"""The rows of one file that a question selects, as positions in its columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from aiops_gym.openrca.store.opened import Store
from aiops_gym.openrca.store.order import sort_stably

Positions = slice | np.ndarray


class Part(Protocol):
    """Selected rows of one file. Their order is that of time, then (measurements) component and KPI, then the file."""

    @property
    def store(self) -> Store:
        """The file."""

    @property
    def count(self) -> int:
        """How many."""

    def first(self, count: int) -> Positions:
        """Positions of the first rows, in order."""

    def last(self, count: int) -> Positions:
        """Positions of the last rows, in order."""

    def all(self) -> Positions:
        """Positions of all rows, in order."""

    def times(self, at: Positions) -> np.ndarray:
        """Unix milliseconds of positions."""

    def codes(self, column: str, at: Positions) -> np.ndarray:
        """Places in `store.names` of a code column."""


@dataclass(frozen=True)
class Spans:
    """Rows of a file that is sorted by time: a stretch of it, or some rows of a stretch.

    Attributes:
        picked: positions, ascending; None when all of the stretch is meant.
    """

    store: Store
    start: int
    stop: int
    picked: np.ndarray | None = None

    @property
    def count(self) -> int:
        """How many."""
        return self.stop - self.start if self.picked is None else len(self.picked)

    def first(self, count: int) -> Positions:
        """Positions of the first rows."""
        if self.picked is not None:
            return self.picked[:count]
        return slice(self.start, min(self.stop, self.start + count))

    def last(self, count: int) -> Positions:
        """Positions of the last rows."""
        if self.picked is not None:
            return self.picked[max(0, len(self.picked) - count) :]
        return slice(max(self.start, self.stop - count), self.stop)

    def all(self) -> Positions:
        """Positions of all rows."""
        return slice(self.start, self.stop) if self.picked is None else self.picked

    def times(self, at: Positions) -> np.ndarray:
        """Unix milliseconds of positions."""
        return _milliseconds(self.store, self.store.keys(at).astype(np.int64))

    def codes(self, column: str, at: Positions) -> np.ndarray:
        """Places in `store.names` of a code column."""
        return self.store.column(column, at)

    def keep(self, mask: np.ndarray) -> Spans:
        """The rows for which a mask is true."""
        hits = np.flatnonzero(mask)
        return Spans(self.store, self.start, self.stop, hits + self.start if self.picked is None else self.picked[hits])


@dataclass(frozen=True)
class Samples:
    """Rows of a file that is sorted by series: a stretch of each selected series.

    Attributes:
        which: the series, as places in `store.series`, ascending: the order of component and KPI.
        starts, stops: of each of them.
    """

    store: Store
    which: np.ndarray
    starts: np.ndarray
    stops: np.ndarray

    @property
    def count(self) -> int:
        """How many."""
        return int((self.stops - self.starts).sum())

    @cached_property
    def grouped(self) -> np.ndarray:
        """Positions of all rows, series by series."""
        lengths = self.stops - self.starts
        if len(lengths) == 1:
            return np.arange(self.starts[0], self.stops[0])
        before = np.cumsum(lengths) - lengths
        return np.repeat(self.starts - before, lengths) + np.arange(lengths.sum())

    @cached_property
    def _offsets(self) -> np.ndarray:
        found: np.ndarray = self.store.keys(self.grouped) & ((1 << self.store.meta.shift) - 1)
        return found

    def first(self, count: int) -> Positions:
        """Positions of the first rows."""
        if count >= self.count:
            return self.all()
        limit = np.partition(self._offsets, count)[count] if count else -1
        chosen = self._sorted(self._offsets <= limit)
        return chosen[:count]

    def last(self, count: int) -> Positions:
        """Positions of the last rows."""
        if count >= self.count:
            return self.all()
        kept = len(self._offsets) - count
        limit = np.partition(self._offsets, kept)[kept] if count else self._offsets.max(initial=0) + 1
        chosen = self._sorted(self._offsets >= limit)
        return chosen[len(chosen) - count :]

    def _sorted(self, mask: np.ndarray) -> np.ndarray:
        at: np.ndarray
        at, offsets = self.grouped[mask], self._offsets[mask]
        order = sort_stably(offsets)
        return at if order is None else at[order]

    def all(self) -> Positions:
        """Positions of all rows."""
        order = sort_stably(self._offsets)
        return self.grouped if order is None else self.grouped[order]

    def times(self, at: Positions) -> np.ndarray:
        """Unix milliseconds of positions."""
        steps = self.store.keys(at) & ((1 << self.store.meta.shift) - 1)
        return _milliseconds(self.store, steps.astype(np.int64))

    def codes(self, column: str, at: Positions) -> np.ndarray:
        """Places in `store.names` of a code column."""
        table, series = self.store.table, self.store.series
        if column not in (table.component, table.kpi):
            return self.store.column(column, at)
        by_id = np.empty(len(series.ids), np.int64)
        by_id[series.ids] = series.components if column == table.component else series.kpis
        found: np.ndarray = by_id[self.store.keys(at) >> self.store.meta.shift]
        return found


def _milliseconds(store: Store, steps: np.ndarray) -> np.ndarray:
    """Unix milliseconds of times as they stand in keys; in place, since windows can be large."""
    steps *= store.meta.step
    steps += store.base
    return steps
