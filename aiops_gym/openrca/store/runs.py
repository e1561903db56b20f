"""Sorted pieces of a file, called runs, on disk between the two passes of a conversion.

Each batch of a CSV file is sorted on its own and appended. Reading and writing goes through ordinary calls, not
through mapped memory, so that a conversion's memory stays small by every measure.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow

from aiops_gym.openrca.store.csvfile import Batch
from aiops_gym.openrca.store.files import read_at, write_all
from aiops_gym.openrca.store.order import sort_within

TIME, SERIES = "#time", "#series"
"""Columns that runs have beside those of the table."""

SAMPLE = 512
"""Every so many rows of a run are remembered, to divide the file into equal shares later."""


class Runs:
    """What the first pass wrote.

    Attributes:
        starts: first row of each run, and the number of rows at the end.
        samples: (series, time) of every SAMPLE-th row of each run.
        first, last: times of the file.
        narrowest: the smallest type that holds all numbers of a column without loss.
        whole: columns of integers; they are floats where the file has other numbers in them, or none.
    """

    def __init__(self, folder: Path, texts: tuple[str, ...] = (), whole: frozenset[str] = frozenset()) -> None:
        self.folder, self.texts, self.whole = folder, texts, whole
        self.types: dict[str, np.dtype[Any]] = {}
        self.files: dict[str, int] = {}
        self.starts = [0]
        self.samples: list[tuple[np.ndarray | None, np.ndarray]] = []
        self.first, self.last = 0, 0
        self.narrowest: dict[str, np.dtype[Any]] = {}
        self._text_ends = dict.fromkeys(texts, 0)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.starts[-1]

    @property
    def text_bytes(self) -> int:
        """Bytes of all texts."""
        return sum(self._text_ends.values())

    def add(self, batch: Batch, series: np.ndarray | None) -> None:
        """Sort a batch and append it."""
        count = len(batch.times)
        if not count:
            return
        self._bounds(batch.times)
        order = sort_within(series, batch.times)
        columns = {TIME: batch.times, **batch.codes, **batch.numbers}
        if series is not None:
            columns[SERIES] = series
        for name, values in columns.items():
            self._narrow(name, values)
            columns[name] = values if order is None else values[order]
            self._append(name, columns[name])
        for name in self.texts:
            values = batch.texts[name]
            self._append_texts(name, values if order is None else values.take(pyarrow.array(order)))
        self.starts.append(self.rows + count)
        sampled = columns[SERIES][::SAMPLE].copy() if series is not None else None
        self.samples.append((sampled, columns[TIME][::SAMPLE].copy()))

    def _bounds(self, times: np.ndarray) -> None:
        first, last = int(times.min()), int(times.max())
        self.first = min(self.first, first) if self.rows else first
        self.last = max(self.last, last) if self.rows else last

    def _narrow(self, name: str, values: np.ndarray) -> None:
        if name in self.whole and values.dtype == np.float64:
            found = _narrowest(values.astype(np.int64)) if (values == np.rint(values)).all() else values.dtype
        else:
            found = _narrowest(values)
        self.narrowest[name] = max(
            found, self.narrowest.get(name, found), key=lambda each: (each.itemsize, each.kind == "f")
        )

    def _append(self, name: str, values: np.ndarray) -> None:
        handle = self._file(name)
        self.types.setdefault(name, values.dtype)
        write_all(handle, np.ascontiguousarray(values).data.cast("B"))

    def _append_texts(self, name: str, values: Any) -> None:
        """Bytes of the texts, and where each ends counted from the start of the file."""
        blob, lengths = flatten(values)
        ends = np.cumsum(lengths, dtype=np.int64) + self._text_ends[name]
        self._append(f"{name}#ends", ends)
        write_all(self._file(f"{name}#blob"), blob)
        self._text_ends[name] = int(ends[-1])

    def _file(self, name: str) -> int:
        if name not in self.files:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self.files[name] = os.open(self.folder / f"run{len(self.files)}", flags, 0o600)
        return self.files[name]

    def read(self, name: str, start: int, stop: int) -> np.ndarray:
        """Rows of a column."""
        dtype = self.types[name]
        made = np.empty(stop - start, dtype)
        read_at(self.files[name], made.data.cast("B"), start * dtype.itemsize)
        return made

    def read_texts(self, name: str, start: int, stop: int) -> tuple[np.ndarray, bytearray]:
        """Lengths and bytes of texts."""
        ends = self.read(f"{name}#ends", start, stop)
        begin = int(self.read(f"{name}#ends", start - 1, start)[0]) if start else 0
        blob = bytearray(int(ends[-1]) - begin)
        read_at(self.files[f"{name}#blob"], memoryview(blob), begin)
        return np.diff(ends, prepend=begin), blob

    def close(self) -> None:
        """Forget the files and give their room back."""
        for handle in self.files.values():
            os.close(handle)
        for number in range(len(self.files)):
            (self.folder / f"run{number}").unlink()
        self.files.clear()


def _narrowest(values: np.ndarray) -> np.dtype[Any]:
    """The smallest type that holds the numbers without loss."""
    if values.dtype == np.float64:
        with np.errstate(over="ignore"):
            exact = bool(((values.astype(np.float32) == values) | np.isnan(values)).all())
        return np.dtype(np.float32 if exact else np.float64)
    fits = int(values.min()) >= -(1 << 31) and int(values.max()) < 1 << 31
    return np.dtype(np.int32 if fits else np.int64)


def flatten(values: Any) -> tuple[memoryview, np.ndarray]:
    """Bytes of all texts of an Arrow array, one after the other, and the length of each."""
    _, offsets, data = values.buffers()
    width = np.int64 if values.type == pyarrow.large_string() else np.int32
    ends = np.frombuffer(offsets, width, len(values) + 1 + values.offset)[values.offset :]
    blob = memoryview(data)[int(ends[0]) : int(ends[-1])] if data is not None else memoryview(b"")
    return blob, np.diff(ends)
