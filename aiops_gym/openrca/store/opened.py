"""One converted file, mapped into memory. Nothing of it is read before it is asked for."""

from __future__ import annotations

import mmap
import os
from functools import cached_property
from pathlib import Path

import numpy as np
import orjson

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store.layout import ALL, KEY, NUMBERS, ROW, TEXTS, Meta
from aiops_gym.openrca.store.texts import INDEX, Texts


class Damaged(Exception):
    """Files that are not as they were written."""


class Store:
    """The columns of one file.

    Attributes:
        rows: how many there are.
        base: Unix milliseconds from which the times in `key` are counted, in steps of `meta.step`.
        key: of each row, ascending: the time, or `series << shift | time`.
    """

    def __init__(self, folder: Path, table: Table) -> None:
        self.folder, self.table = folder, table
        self.meta = _read(folder)
        self.rows, self.base = self.meta.rows, self.meta.base
        self._map = _mapped(folder / NUMBERS)
        self._columns: dict[str, np.ndarray] = {}
        self._handle = os.open(folder / TEXTS, os.O_RDONLY | os.O_CLOEXEC) if self.meta.texts else -1
        self.key = self.column(KEY)

    def __del__(self) -> None:
        if getattr(self, "_handle", -1) >= 0:
            os.close(self._handle)

    def column(self, name: str) -> np.ndarray:
        """A view of a column of numbers, or of the places of a code column in `names`."""
        found = self._columns.get(name)
        if found is None:
            dtype, offset = self.meta.columns[name]
            found = np.frombuffer(self._map, dtype, self.rows, offset)
            self._columns[name] = found
        return found

    def names(self, column: str) -> list[str]:
        """The values of a code column, sorted."""
        return self.meta.names[column]

    @cached_property
    def texts(self) -> Texts:
        """The text columns."""
        offset, count = self.meta.index
        return Texts(self._handle, np.frombuffer(self._map, INDEX, count, offset), self.meta.texts, self.rows)

    def text_rows(self, at: slice | np.ndarray) -> np.ndarray:
        """Rows of the texts that belong to positions of the numbers."""
        if ROW in self.meta.columns:
            return self.column(ROW)[at].astype(np.int64)
        return np.arange(at.start, at.stop) if isinstance(at, slice) else at

    @cached_property
    def series(self) -> SeriesIndex:
        """Where the series of a series-major file lie."""
        return SeriesIndex(self)


class SeriesIndex:
    """The series of a file, in the order of component and KPI.

    Attributes:
        ids: of each series, as it stands in the keys.
        components, kpis: places in the names of the table's two columns.
    """

    def __init__(self, store: Store) -> None:
        described = store.meta.series or {"components": [], "kpis": [], "starts": [0]}
        components, kpis = np.array(described["components"], np.int64), np.array(described["kpis"], np.int64)
        self.ids = np.lexsort((kpis, components))
        self.components, self.kpis = components[self.ids], kpis[self.ids]
        starts = np.array(described["starts"], np.int64)
        self._whole = starts[:-1][self.ids], starts[1:][self.ids]
        self._store = store

    def window(self, which: np.ndarray, first: int | None, last: int | None) -> tuple[np.ndarray, np.ndarray]:
        """First row and end of series, between two times counted as in the keys, both ends inclusive.

        Args:
            which: places of the series in `ids`.
        """
        store, shift = self._store, self._store.meta.shift
        starts, stops = (each[which] for each in self._whole)
        longest = (1 << shift) - 1
        series = self.ids[which] << shift
        if first is not None and first > 0:
            # The values must have the keys' own type: another would make numpy convert the whole column first.
            wanted = (series | min(first, longest)).astype(store.key.dtype)
            starts = np.searchsorted(store.key, wanted) if first <= longest else stops
        if last is not None and last < longest:
            wanted = (series | max(last, 0)).astype(store.key.dtype)
            stops = np.searchsorted(store.key, wanted, side="right") if last >= 0 else starts
        return starts, np.maximum(starts, stops)


def _read(folder: Path) -> Meta:
    """The description, if the files have the sizes that it says."""
    try:
        meta = Meta.of(orjson.loads((folder / ALL).read_bytes()))
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{folder / ALL}: {error}") from None
    for name, size in meta.sizes.items():
        if (folder / name).stat().st_size != size:
            raise Damaged(f"{folder / name} is not {size} bytes long")
    return meta


def _mapped(path: Path) -> mmap.mmap | bytes:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
