"""Text columns, packed in chunks of rows: few bytes on disk, and a few rows are read without the rest.

A chunk holds the same rows of all text columns, since a span's parent is often a span of the same chunk and then
costs next to nothing. Raw, it is for each column the width of its lengths (1, 2 or 4 bytes), the lengths, and the
texts one after the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from aiops_gym.caches import Cache, Entry
from aiops_gym.openrca.store.files import write_all

CHUNK = 2048
"""Rows of a chunk."""

Chunk = dict[str, tuple[memoryview, np.ndarray]]
"""Of each column the bytes, and where each text ends, from 0."""

Positions = slice | np.ndarray

_AHEAD = 4
_RECENT = Entry(f"{__name__}.chunks", "unpacking a chunk of texts", key="an opened file, number of the chunk", bound=6)
INDEX = np.dtype([("at", "<i8"), ("packed", "<i4"), ("raw", "<i4"), ("sum", "<u4")])


@cache
def _codec() -> Any:
    import pyarrow  # noqa: PLC0415  # Loaded when the first text is read; numbers do without.

    return pyarrow.Codec("zstd", compression_level=1)


class Packer:
    """Writes chunks; packing runs beside the caller."""

    def __init__(self, handle: int, columns: Sequence[str]) -> None:
        self.handle, self.columns = handle, tuple(columns)
        self.index: list[tuple[int, int, int, int]] = []
        self._pool = ThreadPoolExecutor(1, "pack")
        self._waiting: deque[Future[tuple[int, Any]]] = deque()
        self._kept: list[list[tuple[memoryview, np.ndarray]]] = []
        self._rows = self.bytes = 0

    def add(self, columns: Sequence[tuple[memoryview, np.ndarray]]) -> None:
        """Append rows: bytes and lengths of each column."""
        count = len(columns[0][1])
        ends = [np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))) for _, lengths in columns]
        start = 0
        while start < count:
            stop = min(count, start + CHUNK - self._rows)
            self._kept.append(
                [
                    (blob[int(end[start]) : int(end[stop])], lengths[start:stop])
                    for (blob, lengths), end in zip(columns, ends, strict=True)
                ]
            )
            self._rows += stop - start
            start = stop
            if self._rows == CHUNK:
                self._pack()

    def _pack(self) -> None:
        kept, self._kept, self._rows = self._kept, [], 0
        self._waiting.append(self._pool.submit(_packed, kept))
        if len(self._waiting) > _AHEAD:
            self._write()

    def _write(self) -> None:
        raw, packed = self._waiting.popleft().result()
        write_all(self.handle, packed)
        self.index.append((self.bytes, len(packed), raw, crc32(packed)))
        self.bytes += len(packed)

    def finish(self) -> np.ndarray:
        """Write what is left; the index of the chunks."""
        if self._rows:
            self._pack()
        while self._waiting:
            self._write()
        return np.array(self.index, INDEX)

    def close(self) -> None:
        """Stop packing."""
        self._pool.shutdown(cancel_futures=True)


def _packed(pieces: list[list[tuple[memoryview, np.ndarray]]]) -> tuple[int, Any]:
    parts: list[Any] = []
    for number in range(len(pieces[0])):
        lengths = np.concatenate([piece[number][1] for piece in pieces])
        width = next(width for width in (1, 2, 4) if int(lengths.max()) < 1 << (8 * width))
        parts += [bytes((width,)), lengths.astype(f"<u{width}").tobytes(), *(piece[number][0] for piece in pieces)]
    raw = b"".join(parts)
    return len(raw), _codec().compress(raw, asbytes=True)


class Texts:
    """Reads chunks. Safe to inherit by fork: it has no position and no threads.

    Args:
        packed: gives a chunk as it is packed, and how long it is unpacked.
    """

    def __init__(self, packed: Callable[[int], tuple[bytes, int]], columns: Sequence[str], rows: int) -> None:
        self.packed, self.columns, self.rows = packed, tuple(columns), rows
        self._recent: Cache[Chunk] = Cache(_RECENT)

    def read(self, column: str, at: Positions) -> list[str]:
        """Texts of rows, in the order given."""
        rows = _places(at)
        made = np.empty(len(rows), object)
        for number, places in _by_chunk(rows):
            blob, ends = self.chunk(number, keep=len(rows) <= CHUNK)[column]
            low = rows[places] - number * CHUNK
            made[places] = _cut(blob, ends[low].tolist(), ends[low + 1].tolist())
        return made.tolist()

    def matching(self, column: str, at: Positions, needle: str, whole: bool) -> np.ndarray:
        """Which of the rows contain a text, or are it: their places among them, ascending."""
        rows = _places(at)
        found = [
            places[hits[rows[places] - number * CHUNK]]
            for number, places in _by_chunk(rows)
            if (hits := _hits(*self.chunk(number)[column], needle.encode(), whole)).any()
        ]
        return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)

    def picked(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, Chunk]]:
        """For each chunk that has some of the rows, which are ascending: which of its rows, and the chunk."""
        for number, places in _by_chunk(rows):
            yield rows[places] - number * CHUNK, self.chunk(number)

    def stretch(self, start: int, stop: int) -> list[tuple[int, int, Chunk]]:
        """The chunks of consecutive rows: of each the first row that is meant, the end of those, and all of it."""
        numbers = range(start // CHUNK, -(-stop // CHUNK)) if start < stop else ()
        begins = [number * CHUNK for number in numbers]
        return [(max(0, start - begin), min(CHUNK, stop - begin), self.chunk(begin // CHUNK)) for begin in begins]

    def chunk(self, number: int, keep: bool = False) -> Chunk:
        """All columns of a chunk: the bytes, and where each text ends, from 0."""
        recent = self._recent.seen(number)
        if recent is not None:
            return recent
        data = memoryview(_codec().decompress(*self.packed(number)))
        count = min(CHUNK, self.rows - number * CHUNK)
        made: Chunk = {}
        begin = 0
        for column in self.columns:
            width = data[begin]
            ends = np.zeros(count + 1, np.int64)
            np.cumsum(np.frombuffer(data, f"<u{width}", count, begin + 1), out=ends[1:])
            begin += 1 + width * count
            made[column] = data[begin : begin + int(ends[-1])], ends
            begin += int(ends[-1])
        if keep:
            self._recent.put(number, made)
        return made


def _places(at: Positions) -> np.ndarray:
    return np.arange(at.start, at.stop) if isinstance(at, slice) else at


def _cut(blob: memoryview, starts: list[int], stops: list[int]) -> list[str]:
    """Pieces of a chunk's bytes as text; of many pieces the whole is decoded first, where a letter is a byte."""
    if len(starts) > 100:
        whole = str(blob, "utf-8")
        if len(whole) == len(blob):
            return [whole[start:stop] for start, stop in zip(starts, stops, strict=True)]
    return [str(blob[start:stop], "utf-8") for start, stop in zip(starts, stops, strict=True)]


def _by_chunk(rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Chunks that hold the rows, and the places in `rows` of those it holds."""
    if not len(rows):
        return
    chunks = rows // CHUNK
    if int(chunks.min()) == int(chunks.max()):
        yield int(chunks[0]), np.arange(len(rows))
        return
    order = np.argsort(chunks, kind="stable")
    numbers, starts = np.unique(chunks[order], return_index=True)
    stops = np.append(starts[1:], len(rows))
    for number, start, stop in zip(numbers.tolist(), starts.tolist(), stops.tolist(), strict=True):
        yield number, order[start:stop]


def _hits(blob: memoryview, ends: np.ndarray, needle: bytes, whole: bool) -> np.ndarray:
    """Which texts of a chunk match, as booleans."""
    data = bytes(blob)
    if not needle:
        return np.diff(ends) == 0 if whole else np.ones(len(ends) - 1, bool)
    made = np.zeros(len(ends) - 1, bool)
    limits = ends.tolist()
    at = data.find(needle)
    while at >= 0:
        row = bisect_right(limits, at) - 1
        stop = limits[row + 1]
        if whole:
            made[row] |= at == limits[row] and at + len(needle) == stop
        else:
            made[row] |= at + len(needle) <= stop
        # No later hit in this row can count: what reaches over its end here does so further on too.
        at = data.find(needle, stop)
    return made
