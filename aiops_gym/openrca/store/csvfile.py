"""A CSV file as batches of typed columns, read once from front to end in bounded memory."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store.complaint import LONGEST_TIME, is_cut
from aiops_gym.openrca.store.oddities import Oddities

BLOCK = 2 << 20
"""Bytes of CSV parsed at once: the reader keeps several blocks in memory."""

_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
NO_NUMBER = ["", "nan", "NaN", "NAN", "null", "NULL", "None", "N/A"]


@dataclass(slots=True)
class Batch:
    """Consecutive rows of a file.

    Attributes:
        times: Unix milliseconds, int64.
        numbers: int64 or float64 by column.
        codes: by column, int32 numbers of the names in `Codes`.
        texts: pyarrow string arrays by column.
    """

    times: np.ndarray
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    codes: dict[str, np.ndarray] = field(default_factory=dict)
    texts: dict[str, Any] = field(default_factory=dict)


class Codes:
    """Numbers of the values of a code column, in the order in which they were first seen."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def encode(self, names: list[str], indices: np.ndarray) -> np.ndarray:
        """Numbers of values that are given as indices of names."""
        known = self.numbers
        table = np.array([known.setdefault(name, len(known)) for name in names] or [0], np.int32)
        found: np.ndarray = table[indices]
        return found


class Odd(Exception):
    """The file is not what its table says; the text says in what."""


class CsvFile:
    """Reads one file of a table, packed by gzip or not, that is all that the table says.

    Args:
        progress: called with the bytes read so far.
    """

    def __init__(self, path: Path, table: Table, progress: Callable[[int], None] | None = None) -> None:
        self.path, self.table = path, table
        self.progress, self.odd = progress, Oddities()
        self.codes = {column.name: Codes() for column in table.columns if column.kind == "code"}

    def batches(self) -> Iterator[Batch]:
        """The rows, in the order of the file.

        Raises:
            Odd: the file is not what the table says.
        """
        with self.path.open("rb", buffering=0) as raw:
            header = self._header(Watched(raw).read(_HEAD))
            raw.seek(0)
            if header is None:
                return
            source = Watched(raw, self.progress)
            try:
                with self._reader(source, header) as reader:
                    for batch in reader:
                        yield self._batch(batch)
            except pyarrow.ArrowInvalid as error:
                raise Odd(str(error)) from None
            if source.broken or (source.quotes % 2 and is_cut(self.path)):
                raise Odd(source.broken or "it ends inside quotes")

    def _reader(self, source: Watched, header: list[str]) -> Any:
        return pyarrow.csv.open_csv(
            pyarrow.PythonFile(source, mode="r"),
            read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK, skip_rows=1, column_names=header),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=self._types(), null_values=NO_NUMBER, strings_can_be_null=False
            ),
        )

    def _header(self, head: bytes) -> list[str] | None:
        """Names of the columns in the order of this file; None when no row follows."""
        names = read_names(head)
        if sorted(names) != sorted(self.table.names):
            raise Odd("its columns are others")
        line_ends = [end for end in (head.find(b"\n"), head.find(b"\r")) if end >= 0]
        rest = head[min(line_ends) :] if line_ends else b""
        return names if rest.strip(b"\r\n") or len(head) == _HEAD else None

    def _types(self) -> dict[str, Any]:
        types = {
            "time": pyarrow.int64(),
            "int": pyarrow.int64(),
            "float": pyarrow.float64(),
            "code": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
            "text": pyarrow.string(),
        }
        return {column.name: types[column.kind] for column in self.table.columns}

    def _batch(self, batch: Any) -> Batch:
        made = Batch(np.empty(0))
        for column in self.table.columns:
            values = batch.column(batch.schema.get_field_index(column.name))
            if column.kind == "text":
                made.texts[column.name] = values
            elif column.kind == "code":
                indices = to_numbers(values.indices, np.int32)
                made.codes[column.name] = self.codes[column.name].encode(values.dictionary.to_pylist(), indices)
            elif column.kind == "float":
                made.numbers[column.name] = to_floats(values)
            else:
                whole = self._whole(column.name, values)
                if column.kind == "time":
                    made.times = self._milliseconds(whole)
                else:
                    made.numbers[column.name] = whole
        return made

    def _milliseconds(self, times: np.ndarray) -> np.ndarray:
        unit = 1000 if self.table.unit == "s" else 1
        if len(times) and (times.max() >= LONGEST_TIME // unit or times.min() <= -LONGEST_TIME // unit):
            raise Odd(f"{self.table.time} is no time")
        return times * unit

    def _whole(self, name: str, values: Any) -> np.ndarray:
        if values.null_count:
            raise Odd(f"{name} is missing in a row")
        return to_numbers(values, np.int64)


def read_names(head: bytes) -> list[str]:
    """Names in the first line of a file, of which this is the beginning."""
    try:
        return next(csv.reader(io.StringIO(head.decode("utf-8-sig", "replace"), newline="")), [])
    except csv.Error:
        return []


class Watched(io.RawIOBase):
    """A file that is read forward, unpacked on the way, and remembers how far and how many quotes there were.

    Attributes:
        broken: why the rest of a packed file cannot be read; "" otherwise.
        replaced: places that were not UTF-8; they are counted only where `mends` asks to put a mark in their place.
    """

    def __init__(self, raw: io.FileIO, progress: Callable[[int], None] | None = None, mends: bool = False) -> None:
        self.raw, self.progress = raw, progress
        self.quotes = self.replaced = 0
        self.broken = ""
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        self._more = gzip.GzipFile(fileobj=raw).read1 if packed else raw.read
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace") if mends else None

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes: fewer than asked for only at the end."""
        pieces, length = [], 0
        size = size if self._decoder is None else -(-size // 3)  # A byte may become the three of a mark.
        while length < size and (piece := self._piece(size - length)):
            pieces.append(piece)
            length += len(piece)
        found = b"".join(pieces)
        self.quotes += found.count(b'"')
        if self.progress and found:
            self.progress(self.raw.tell())
        return found if self._decoder is None else self._mended(self._decoder, found)

    def _piece(self, size: int) -> bytes:
        try:
            return self._more(size) or b""
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self.broken = str(error)
            return b""

    def _mended(self, decoder: codecs.IncrementalDecoder, found: bytes) -> bytes:
        text = decoder.decode(found, final=not found).encode()
        if found and not text:  # the beginning of a letter
            return self.read(3)
        self.replaced += text.count(_MARK) - found.count(_MARK)
        return text


_MARK = "\N{REPLACEMENT CHARACTER}".encode()


def to_numbers(values: Any, dtype: Any) -> np.ndarray:
    """A view of an Arrow array. (`to_numpy` would import pandas.)"""
    made = np.frombuffer(values.buffers()[1], dtype, len(values) + values.offset) if len(values) else np.empty(0, dtype)
    return made[values.offset :]


def to_floats(values: Any) -> np.ndarray:
    """A view of an Arrow array of floats, or a copy with NaN where there are none."""
    numbers = to_numbers(values, np.float64)
    if not values.null_count:
        return numbers
    bits = np.frombuffer(values.buffers()[0], np.uint8)
    valid = np.unpackbits(bits, bitorder="little")[values.offset : values.offset + len(values)]
    return np.where(valid, numbers, np.nan)
