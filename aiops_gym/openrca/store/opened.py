"""One converted file, mapped into memory. Nothing of it is read before it is asked for."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store.checks import BLOCK, compute_sums
from aiops_gym.openrca.store.layout import ALL, KEY, NUMBERS, TEXTS, Damaged, Meta
from aiops_gym.openrca.store.texts import INDEX, Texts


class Store:
    """The columns of one file.

    Attributes:
        rows: how many there are.
        base: Unix milliseconds from which the times in the keys are counted, in steps of `meta.step`.

    Args:
        heal: makes the folder's files anew where they are damaged; the same file gives the same bytes.
    """

    def __init__(self, folder: Path, table: Table, heal: Callable[[], None]) -> None:
        self.folder, self.table, self._heal = folder, table, heal
        self._handle = -1
        self._open()
        self.rows, self.base = self.meta.rows, self.meta.base

    def _open(self) -> None:
        self.meta = read_meta(self.folder)
        self._map = _mapped(self.folder / NUMBERS)
        self._good, self._stamp = np.zeros(len(self.meta.sums), bool), self._changed()
        self._columns: dict[str, np.ndarray] = {}
        old, self._handle = self._handle, -1
        if old >= 0:
            os.close(old)
        if self.meta.texts:
            self._handle = os.open(self.folder / TEXTS, os.O_RDONLY | os.O_CLOEXEC)

    def _changed(self) -> int:
        """When the numbers were changed last."""
        return (self.folder / NUMBERS).stat().st_mtime_ns

    def look_again(self) -> None:
        """Check the blocks anew where somebody changed them since they were checked."""
        try:
            if self._changed() != self._stamp:
                self._healed()
        except FileNotFoundError:
            self._healed()

    def __del__(self) -> None:
        if getattr(self, "_handle", -1) >= 0:
            os.close(self._handle)

    def _healed(self) -> None:
        """Go on with good files: somebody changed those that are open."""
        self._heal()
        self._open()

    def _checked(self, offset: int, length: int) -> None:
        """See that bytes of the numbers are as they were written, and have them made anew where they are not."""
        first, last = offset // BLOCK, -(-(offset + length) // BLOCK)
        for block in np.flatnonzero(~self._good[first:last]) + first:
            if crc32(memoryview(self._map)[block * BLOCK : (block + 1) * BLOCK]) != self.meta.sums[block]:
                self._healed()
                self._checked(offset, length)
                return
            self._good[block] = True

    def column(self, name: str, at: slice | np.ndarray) -> np.ndarray:
        """Numbers of a column, or places of a code column in `names`: a view of a slice, a copy of positions."""
        dtype, offset = self.meta.columns[name]
        size = np.dtype(dtype).itemsize
        if isinstance(at, slice):
            low, high, _ = at.indices(self.rows)
        else:
            low, high = (int(at.min()), int(at.max()) + 1) if len(at) else (0, 0)
        if high > low:
            self._checked(offset + low * size, (high - low) * size)
        found = self._columns.get(name)
        if found is None:
            found = np.frombuffer(self._map, dtype, self.rows, offset)
            self._columns[name] = found
        return found[at]

    def keys(self, at: slice | np.ndarray) -> np.ndarray:
        """Of each row, ascending: the time, or `series << shift | time`."""
        return self.column(KEY, at)

    def place(self, value: int, side: Literal["left", "right"]) -> int:
        """Where a key belongs among those of a file that is sorted by time. Only the blocks on the way are read."""
        low, high = 0, self.rows
        while high - low > _STRIDE:
            middle = (low + high) // 2
            key = int(self.keys(slice(middle, middle + 1))[0])
            low, high = (middle, high) if key < value or (side == "right" and key == value) else (low, middle)
        # The value must have the key's own type: a Python int would make numpy convert the whole column first.
        keys = self.keys(slice(low, high))
        return low + int(np.searchsorted(keys, np.array(value, keys.dtype), side=side))

    def names(self, column: str) -> list[str]:
        """The values of a code column, sorted."""
        return self.meta.names[column]

    def kind(self, column: str) -> np.dtype[Any]:
        """Type of a column of numbers: integers are floats where the file has other numbers in them, or none."""
        return np.dtype(self.meta.columns[column].dtype)

    @cached_property
    def texts(self) -> Texts:
        """The text columns."""
        return Texts(self._packed, self.meta.texts, self.rows)

    def _packed(self, number: int) -> tuple[bytes, int]:
        """A chunk of texts as it is packed, and how long it is unpacked."""
        offset = self.meta.index[0] + number * INDEX.itemsize
        self._checked(offset, INDEX.itemsize)
        at, length, raw, wanted = np.frombuffer(self._map, INDEX, 1, offset)[0].item()
        packed = os.pread(self._handle, length, at)
        if crc32(packed) != wanted:
            self._healed()
            return self._packed(number)
        return packed, raw

    def find_damage(self) -> str:
        """The first of the files that is not as it was written; "" when all are. Reads all of them."""
        if compute_sums(self.folder / NUMBERS) != self.meta.sums:
            return NUMBERS
        offset, count = self.meta.index
        for at, length, _, wanted in np.frombuffer(self._map, INDEX, count, offset).tolist():
            if crc32(os.pread(self._handle, length, at)) != wanted:
                return TEXTS
        return ""

    @cached_property
    def series(self) -> SeriesIndex:
        """Where the series of a series-major file lie."""
        return SeriesIndex(self)


_STRIDE = 1 << 14
"""Rows among which a place is found at once."""


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
        keys = store.keys(slice(0, store.rows))
        starts, stops = (each[which] for each in self._whole)
        longest = (1 << shift) - 1
        series = self.ids[which] << shift
        if first is not None and first > 0:
            # The values must have the keys' own type: another would make numpy convert the whole column first.
            wanted = (series | min(first, longest)).astype(keys.dtype)
            starts = np.searchsorted(keys, wanted) if first <= longest else stops
        if last is not None and last < longest:
            wanted = (series | max(last, 0)).astype(keys.dtype)
            stops = np.searchsorted(keys, wanted, side="right") if last >= 0 else starts
        return starts, np.maximum(starts, stops)


def read_meta(folder: Path) -> Meta:
    """The description of a converted file. Raises Damaged where the others have not the sizes that it says."""
    meta = Meta.unpack((folder / ALL).read_bytes())
    for name, size in meta.sizes.items():
        if (folder / name).stat().st_size != size:
            raise Damaged(f"{folder / name} is not {size} bytes long")
    return meta


def _mapped(path: Path) -> mmap.mmap | bytes:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
