"""A CSV file that is not what its table says, read as far as it can be.

Every cell that can be read is what pandas makes of it; every other one is counted. Numbers are read as text first, and
a block with a bad one is gone through cell by cell. Rows that are too short come after the block they stood in.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc
import pyarrow.csv

from aiops_gym.openrca.model import Column, Table
from aiops_gym.openrca.store import csvfile
from aiops_gym.openrca.store.complaint import LONGEST_TIME, is_cut
from aiops_gym.openrca.store.csvfile import NO_NUMBER, Batch, Codes, Watched, read_names, to_floats, to_numbers
from aiops_gym.openrca.store.oddities import Oddities

_HEAD = 1 << 16
_EXACT = 1 << 53
"""Whole numbers beyond which not each is a float."""

_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE)
_NO_NUMBERS = pyarrow.array(NO_NUMBER)


class OddFile:
    """Reads one file of a table; the same to its callers as `CsvFile`.

    Attributes:
        odd: what could not be read as it should be.

    Args:
        progress: called with the bytes read so far.
    """

    def __init__(self, path: Path, table: Table, progress: Callable[[int], None] | None = None) -> None:
        self.path, self.table, self.progress = path, table, progress
        self.codes = {column.name: Codes() for column in table.columns if column.kind == "code"}
        self.odd = Oddities()
        self._ragged: list[str] = []

    def batches(self) -> Iterator[Batch]:
        """The rows, nearly in the order of the file."""
        with self.path.open("rb", buffering=0) as raw:
            header = [name.strip() for name in read_names(Watched(raw).read(_HEAD))]
            raw.seek(0)
            if not self._judged(header):
                return
            source = Watched(raw, self.progress, mends=True)
            yield from self._read(source, header)
            self.odd.add("file: the end of its packed text is missing", bool(source.broken), source.broken)
            self.odd.add("file: letters that are not UTF-8", source.replaced)
            self.odd.add("file: it ends inside quotes", bool(source.quotes % 2 and is_cut(self.path)))

    def _judged(self, header: list[str]) -> bool:
        """Count what is wrong with the columns; whether rows can be read with them."""
        for name in self.table.names:
            self.odd.add(f"column {name}: not there", name not in header)
        for place, name in enumerate(header):
            self.odd.add("column: not one of the table's", name not in self.table.names or name in header[:place], name)
        return self.table.time in header

    def _read(self, source: Watched, header: list[str]) -> Iterator[Batch]:
        names = [str(place) for place in range(len(header))]
        wanted = {header.index(name): name for name in self.table.names if name in header}
        coded = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        types = {str(place): coded if name in self.codes else pyarrow.string() for place, name in wanted.items()}
        done = 0
        try:
            with self._reader(source, names, types) as reader:
                for batch in reader:
                    columns = {name: batch.column(batch.schema.get_field_index(str(at))) for at, name in wanted.items()}
                    done += batch.num_rows
                    yield self._batch(columns, batch.num_rows)
                    yield from self._short(header, wanted)
        except pyarrow.ArrowInvalid as error:
            if "Empty CSV" not in str(error):
                self.odd.add(f"file: nothing can be read after row {done:,}", 1, error)
        yield from self._short(header, wanted)

    def _reader(self, source: Watched, names: list[str], types: Mapping[str, Any]) -> Any:
        def ragged(row: Any) -> str:
            self._ragged.append(row.text)
            return "skip"

        return pyarrow.csv.open_csv(
            pyarrow.PythonFile(source, mode="r"),
            read_options=pyarrow.csv.ReadOptions(
                use_threads=False, block_size=csvfile.BLOCK, skip_rows=1, column_names=names
            ),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, invalid_row_handler=ragged),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=[], strings_can_be_null=False
            ),
        )

    def _short(self, header: list[str], wanted: Mapping[int, str]) -> Iterator[Batch]:
        """The rows that ended too early since this was asked last; those with too many fields are only counted."""
        rows = []
        for text in self._ragged:
            cells = next(csv.reader([text]), [])
            self.odd.add("row: more fields than columns, left out", len(cells) > len(header), text)
            if len(cells) < len(header):
                self.odd.add("row: fewer fields than columns", 1, text)
                rows.append(cells + [""] * (len(header) - len(cells)))
        self._ragged.clear()
        if rows:
            columns = {}
            for place, name in wanted.items():
                cells = pyarrow.array([row[place] for row in rows], pyarrow.string())
                columns[name] = cells.dictionary_encode() if name in self.codes else cells
            yield self._batch(columns, len(rows))

    def _batch(self, columns: dict[str, Any], count: int) -> Batch:
        times, known = self._times(columns[self.table.time])
        made = Batch(times[known])
        for column in self.table.columns:
            name, cells = column.name, columns.get(column.name)
            if column.kind == "code":
                cells = pyarrow.array([""] * count).dictionary_encode() if cells is None else cells
                indices = to_numbers(cells.indices, np.int32)[known]
                made.codes[name] = self.codes[name].encode(cells.dictionary.to_pylist(), indices)
            elif column.kind == "text":
                cells = pyarrow.array([""] * count, pyarrow.string()) if cells is None else cells
                made.texts[name] = cells if known.all() else cells.filter(pyarrow.array(known))
            elif column.kind != "time":
                kept = None if cells is None else cells if known.all() else cells.filter(pyarrow.array(known))
                made.numbers[name] = np.full(len(made.times), np.nan) if kept is None else self._numbers(column, kept)
        return made

    def _times(self, cells: Any) -> tuple[np.ndarray, np.ndarray]:
        """Milliseconds of all rows, and for which of them they are known."""
        name, unit = self.table.time, 1000 if self.table.unit == "s" else 1
        values = _cast(cells, pyarrow.int64())
        if values is None:
            parsed = [_parsed(each) for each in cells.to_pylist()]
            values = np.array([np.nan if each is None else each for each in parsed], float)
        known = np.abs(values) < LONGEST_TIME // unit
        for cell in cells.filter(pyarrow.array(~known)).to_pylist():
            self.odd.add("row: the header once more" if cell == name else f"{name}: no time, row left out", 1, cell)
        whole = np.floor(np.where(known, values, 0))
        self.odd.add(f"{name}: rounded down to whole {self.table.unit}", int((known & (whole != values)).sum()))
        return whole.astype(np.int64) * unit, known

    def _numbers(self, column: Column, cells: Any) -> np.ndarray:
        """As float64, NaN where there is none."""
        whole = column.kind == "int"
        values = _cast(cells, pyarrow.float64()) if not whole else None
        if whole and (found := _cast(cells, pyarrow.int64())) is not None and (np.abs(found) < _EXACT).all():
            return found.astype(np.float64)
        return values if values is not None else self._one_by_one(column.name, whole, cells)

    def _one_by_one(self, name: str, whole: bool, cells: Any) -> np.ndarray:
        made = np.full(len(cells), np.nan)
        for place, cell in enumerate(cells.to_pylist()):
            number = _parsed(cell)
            if number is not None:
                made[place] = number
                self.odd.add(f"{name}: not whole", whole and not number.is_integer(), cell)
                self.odd.add(f"{name}: too large to be exact", whole and abs(number) >= _EXACT, cell)
            elif cell.strip() not in NO_NUMBER:
                self.odd.add(f"{name}: no number", 1, cell)
            else:
                self.odd.add(f"{name}: empty", whole)
        return made


def _cast(cells: Any, kind: Any) -> np.ndarray | None:
    """All cells as numbers, None where one is none; the empty ones of floats are NaN."""
    try:
        if kind == pyarrow.float64():
            cells = pc.if_else(pc.is_in(cells, _NO_NUMBERS), pyarrow.scalar(None, pyarrow.string()), cells)
        made = cells.cast(kind)
    except pyarrow.ArrowInvalid:
        return None
    return to_floats(made) if kind == pyarrow.float64() else to_numbers(made, np.int64)


def _parsed(cell: str) -> float | None:
    text = cell.strip()
    return float(text) if _NUMBER.fullmatch(text) and text not in NO_NUMBER else None
