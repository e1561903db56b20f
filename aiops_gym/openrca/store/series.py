"""The series of a file of measurements, numbered while it is read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store.csvfile import Batch

_LARGEST = 1 << 22
"""Entries of the table by which series are looked up; with more components and KPIs each batch is sorted instead."""


class Series:
    """Numbers of the combinations of component and KPI, in the order in which they were first seen."""

    def __init__(self, table: Table) -> None:
        self.columns = tuple(name for name in (table.component, table.kpi) if name)
        self.numbers: dict[int, int] = {}
        self.counts = np.zeros(0, np.int64)
        self._table = np.full((16, 16), -1, np.int32)

    def of(self, batch: Batch) -> np.ndarray:
        """Of each row, int32."""
        components = batch.codes[self.columns[0]]
        kpis = batch.codes[self.columns[1]] if len(self.columns) > 1 else np.zeros_like(components)
        found = self._look_up(components, kpis) if len(components) else components
        counts = np.bincount(found, minlength=len(self.numbers))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        return found

    def _look_up(self, components: np.ndarray, kpis: np.ndarray) -> np.ndarray:
        self._grow(int(components.max()) + 1, int(kpis.max()) + 1)
        if not self._table.size:
            return self._number(components, kpis)
        found: np.ndarray = self._table[components, kpis]
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = self._number(components[new], kpis[new])
            self._table[components[new], kpis[new]] = found[new]
        return found

    def _number(self, components: np.ndarray, kpis: np.ndarray) -> np.ndarray:
        distinct, where = np.unique((components.astype(np.int64) << 32) | kpis, return_inverse=True)
        known = self.numbers
        table = np.array([known.setdefault(each, len(known)) for each in distinct.tolist()], np.int32)
        return table[where]

    def _grow(self, components: int, kpis: int) -> None:
        rows, columns = self._table.shape
        if not self._table.size or (components <= rows and kpis <= columns):
            return
        while rows < components:
            rows *= 2
        while columns < kpis:
            columns *= 2
        larger = np.full((rows, columns) if rows * columns <= _LARGEST else (0, 0), -1, np.int32)
        if larger.size:
            larger[: self._table.shape[0], : self._table.shape[1]] = self._table
        self._table = larger

    def described(self, ranks: Mapping[str, np.ndarray]) -> dict[str, list[int]]:
        """Of each series the places of its component and its KPI among the sorted names, and its first row."""
        combined = np.array(list(self.numbers), np.int64)
        components, kpis = combined >> 32, combined & 0xFFFFFFFF
        return {
            "components": ranks[self.columns[0]][components].tolist(),
            "kpis": (ranks[self.columns[1]][kpis] if len(self.columns) > 1 else kpis).tolist(),
            "starts": np.concatenate(([0], np.cumsum(self.counts))).tolist(),
        }
