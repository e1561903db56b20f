"""The second pass of a conversion: sorted runs become one file of columns, sorted throughout.

The rows are divided into shares by their key, small enough for memory. Each share collects its slice of each run and
is sorted on its own. A file that was nearly in order has few runs a share, one that was grouped by series has all of
them; the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow

from aiops_gym.openrca.store.files import write_at
from aiops_gym.openrca.store.layout import KEY
from aiops_gym.openrca.store.order import sort_stably
from aiops_gym.openrca.store.runs import SERIES, TIME, Runs, flatten
from aiops_gym.openrca.store.texts import Packer

SHARE = 1 << 20
"""Rows sorted at once."""

TEXT_SHARE = 32 << 20
"""Bytes of text sorted at once."""

ALIGNED = 64


@dataclass(slots=True)
class Target:
    """One column of the result.

    Attributes:
        source: column of the runs.
        offset: its first byte in the file.
        table: new values of a code column, by old value.
    """

    source: str
    dtype: np.dtype[Any]
    offset: int = 0
    table: np.ndarray | None = None


class Merge:
    """Writes sorted columns.

    Args:
        series: how many there are, where the rows are sorted by series first; 0 where they are sorted by time.
        step: milliseconds of which all times are multiples.
    """

    def __init__(self, runs: Runs, series: int, step: int) -> None:
        self.runs, self.series = runs, series
        self.base, self.step = runs.first, step
        span = (runs.last - runs.first) // step
        self.shift = max(1, span.bit_length())
        largest = ((max(1, series) - 1) << self.shift) | span
        self.key_type = np.dtype(np.int32 if largest < 1 << 31 else np.int64)

    def write(self, handle: int, targets: Sequence[Target], packer: Packer | None) -> None:
        """Write all columns, and the texts of the runs when there is a packer."""
        done = 0
        for slices in self._shares(packer is not None):
            done += self._share(handle, targets, packer, slices, done)

    def _keys(self, series: np.ndarray | None, times: np.ndarray) -> np.ndarray:
        offsets = times - self.base
        if self.step > 1:
            offsets //= self.step
        return offsets if series is None else (series.astype(np.int64) << self.shift) | offsets

    def _run_keys(self, start: int, stop: int) -> np.ndarray:
        series = self.runs.read(SERIES, start, stop) if self.series else None
        return self._keys(series, self.runs.read(TIME, start, stop))

    def _shares(self, with_texts: bool) -> Iterator[list[tuple[int, int]]]:
        """For each share the slices of the runs that belong to it."""
        runs = self.runs
        if not runs.rows:
            return
        rows = SHARE
        if with_texts:
            rows = min(SHARE, max(4096, TEXT_SHARE * runs.rows // max(1, runs.text_bytes)))
        samples = np.sort(np.concatenate([self._keys(*sample) for sample in runs.samples]))
        shares = -(-runs.rows // rows)
        limits = np.unique(samples[[number * len(samples) // shares for number in range(1, shares)]])
        edges = np.array(
            [
                [start, *(start + np.searchsorted(self._run_keys(start, stop), limits)), stop]
                for start, stop in zip(runs.starts, runs.starts[1:], strict=False)
            ]
        )
        for number in range(len(limits) + 1):
            parts = edges[:, number : number + 2]
            yield [(start, stop) for start, stop in parts[parts[:, 0] < parts[:, 1]].tolist()]

    def _share(
        self,
        handle: int,
        targets: Sequence[Target],
        packer: Packer | None,
        slices: list[tuple[int, int]],
        done: int,
    ) -> int:
        if not slices:
            return 0
        keys = np.concatenate([self._run_keys(start, stop) for start, stop in slices])
        order = sort_stably(keys)
        for target in targets:
            values = keys if target.source == KEY else self._column(target, slices)
            made = np.ascontiguousarray((values if order is None else values[order]).astype(target.dtype, copy=False))
            write_at(handle, made.data.cast("B"), target.offset + done * target.dtype.itemsize)
        if packer is not None:
            packer.add([self._texts(name, slices, order) for name in self.runs.texts])
        return len(keys)

    def _column(self, target: Target, slices: list[tuple[int, int]]) -> np.ndarray:
        values = np.concatenate([self.runs.read(target.source, start, stop) for start, stop in slices])
        return values if target.table is None else target.table[values]

    def _texts(
        self, name: str, slices: list[tuple[int, int]], order: np.ndarray | None
    ) -> tuple[memoryview, np.ndarray]:
        pieces = [self.runs.read_texts(name, start, stop) for start, stop in slices]
        lengths = np.concatenate([piece[0] for piece in pieces])
        blob = b"".join(piece[1] for piece in pieces)
        if order is None:
            return memoryview(blob), lengths
        ends = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=ends[1:])
        buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(blob)]
        whole = pyarrow.Array.from_buffers(pyarrow.large_string(), len(lengths), buffers)
        return flatten(whole.take(pyarrow.array(order)))


def place(targets: Sequence[Target], rows: int) -> int:
    """Give each column its place in the file; the size of all of them."""
    offset = 0
    for target in targets:
        target.offset = offset
        offset += -(-rows * target.dtype.itemsize // ALIGNED) * ALIGNED
    return offset
