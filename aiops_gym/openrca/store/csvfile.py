"""A CSV file as batches of typed columns, read once from front to end in bounded memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv

from aiops_gym.errors import CatalogError
from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store import complaint

BLOCK = 2 << 20
"""Bytes of CSV parsed at once: the reader keeps several blocks in memory."""

_HEAD = 1 << 16
_NO_NUMBER = ["", "nan", "NaN", "NAN", "null", "NULL", "None", "N/A"]


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


class CsvFile:
    """Reads one file of a table.

    Args:
        progress: called with the bytes read so far.
    """

    def __init__(self, path: Path, table: Table, progress: Callable[[int], None] | None = None) -> None:
        self.path, self.table = path, table
        self.progress = progress
        self.codes = {column.name: Codes() for column in table.columns if column.kind == "code"}

    def batches(self) -> Iterator[Batch]:
        """The rows, in the order of the file.

        Raises:
            CatalogError: the file is not what the table says; the message names the line and what was expected.
        """
        with self.path.open("rb", buffering=0) as raw:
            header = self._header(raw)
            if header is None:
                return
            source = _Watched(raw, self.progress)
            try:
                with self._reader(source, header) as reader:
                    for batch in reader:
                        yield self._batch(batch)
            except pyarrow.ArrowInvalid as error:
                raise complaint.about(self.path, self.table, str(error)) from None
            if source.quotes % 2:
                complaint.check_end(self.path, self.table)

    def _reader(self, source: _Watched, header: list[str]) -> Any:
        return pyarrow.csv.open_csv(
            pyarrow.PythonFile(source, mode="r"),
            read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK, skip_rows=1, column_names=header),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=self._types(), null_values=_NO_NUMBER, strings_can_be_null=False
            ),
        )

    def _header(self, raw: io.FileIO) -> list[str] | None:
        """Names of the columns in the order of this file; None when no row follows."""
        head = raw.read(_HEAD)
        raw.seek(0)
        expected = ",".join(self.table.names)
        try:
            names = next(csv.reader(io.StringIO(head.decode("utf-8-sig", "replace"), newline="")), [])
        except csv.Error:
            names = []
        if sorted(names) != sorted(self.table.names):
            found = f"not {','.join(names)[:200] or 'none'}" if head else "but the file is empty"
            raise CatalogError(f"{self.path}, line 1: the columns {expected} are expected, {found}")
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
                indices = _numbers(values.indices, np.int32)
                made.codes[column.name] = self.codes[column.name].encode(values.dictionary.to_pylist(), indices)
            elif column.kind == "float":
                made.numbers[column.name] = _with_nan(values)
            else:
                whole = self._whole(column.name, values)
                if column.kind == "time":
                    made.times = self._milliseconds(whole)
                else:
                    made.numbers[column.name] = whole
        return made

    def _milliseconds(self, times: np.ndarray) -> np.ndarray:
        unit = 1000 if self.table.unit == "s" else 1
        if len(times) and (
            times.max() >= complaint.LONGEST_TIME // unit or times.min() <= -complaint.LONGEST_TIME // unit
        ):
            raise complaint.about(self.path, self.table, f"{self.table.time} is no time")
        return times * unit

    def _whole(self, name: str, values: Any) -> np.ndarray:
        if values.null_count:
            raise complaint.about(self.path, self.table, f"{name} is missing in a row")
        return _numbers(values, np.int64)


class _Watched(io.RawIOBase):
    """A file that is read forward, and remembers how far and how many quotes there were."""

    def __init__(self, raw: io.FileIO, progress: Callable[[int], None] | None) -> None:
        self.raw, self.progress = raw, progress
        self.done = self.quotes = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        piece = self.raw.read(size) or b""
        self.done += len(piece)
        self.quotes += piece.count(b'"')
        if self.progress and piece:
            self.progress(self.done)
        return piece


def _numbers(values: Any, dtype: Any) -> np.ndarray:
    """A view of an Arrow array. (`to_numpy` would import pandas.)"""
    made = np.frombuffer(values.buffers()[1], dtype, len(values) + values.offset) if len(values) else np.empty(0, dtype)
    return made[values.offset :]


def _with_nan(values: Any) -> np.ndarray:
    numbers = _numbers(values, np.float64)
    if not values.null_count:
        return numbers
    bits = np.frombuffer(values.buffers()[0], np.uint8)
    valid = np.unpackbits(bits, bitorder="little")[values.offset : values.offset + len(values)]
    return np.where(valid, numbers, np.nan)
