"""One CSV file becomes one folder of columns.

The first pass reads the file and sorts each batch; the second sorts it through, numbers and texts alike. So the rows
of a window lie together, whatever the order of the file: its texts are unpacked without picking.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store import complaint
from aiops_gym.openrca.store.checks import compute_sums
from aiops_gym.openrca.store.csvfile import CsvFile, Odd
from aiops_gym.openrca.store.files import write_all
from aiops_gym.openrca.store.layout import ALL, KEY, NUMBERS, TEXTS, Meta, Place, is_series_major
from aiops_gym.openrca.store.merge import Merge, Target, place
from aiops_gym.openrca.store.runs import Runs
from aiops_gym.openrca.store.series import Series
from aiops_gym.openrca.store.texts import Packer

if TYPE_CHECKING:
    from aiops_gym.openrca.store.oddfile import OddFile


def convert(
    path: Path, table: Table, out: Path, progress: Callable[[int], None] | None = None, strict: bool = False
) -> None:
    """Write the columns of a file into an empty folder.

    Args:
        strict: refuse a file that is not all that the table says. Else what can be read of it is, and the rest counted.

    Raises:
        CatalogError: it is refused; the message names the line and what was expected.
        OSError: the disk is full, or cannot be written.
    """
    try:
        _Conversion(CsvFile(path, table, progress), table, out).run()
    except Odd as odd:
        if strict:
            raise complaint.about(path, table, str(odd)) from None
        from aiops_gym.openrca.store.oddfile import OddFile  # noqa: PLC0415  # It brings pandas, for a few files.

        for each in out.iterdir():
            each.unlink()
        _Conversion(OddFile(path, table, progress), table, out).run()


class _Conversion:
    def __init__(self, file: CsvFile | OddFile, table: Table, out: Path) -> None:
        self.table, self.out, self.csv = table, out, file
        self.texts = tuple(column.name for column in table.columns if column.kind == "text")
        whole = frozenset(column.name for column in table.columns if column.kind == "int")
        self.runs = Runs(out, self.texts, whole)
        self.series = Series(table) if is_series_major(table) else None

    def run(self) -> None:
        """Both passes."""
        with (
            closing(self.runs),
            _Writer(self.out / TEXTS) as packed,
            _Writer(self.out / NUMBERS) as numbers,
            closing(Packer(packed.handle, self.texts)) as packer,
        ):
            self._first_pass()
            self._second_pass(numbers.handle, packer)

    def _first_pass(self) -> None:
        for batch in self.csv.batches():
            self.runs.add(batch, None if self.series is None else self.series.of(batch))

    def _second_pass(self, handle: int, packer: Packer) -> None:
        runs, merge = self.runs, self._merge()
        columns = self._columns(merge)
        size = place(list(columns.values()), runs.rows)
        merge.write(handle, list(columns.values()), packer if self.texts else None)
        index = packer.finish()
        os.truncate(handle, size)
        os.lseek(handle, 0, os.SEEK_END)
        write_all(handle, index.tobytes())
        meta = Meta(
            rows=runs.rows,
            base=merge.base,
            last=runs.last,
            shift=merge.shift,
            step=merge.step,
            columns={name: Place(str(target.dtype), target.offset) for name, target in columns.items()},
            names={name: sorted(codes.numbers) for name, codes in self.csv.codes.items()},
            series=self.series.described(self._tables()) if self.series is not None else None,
            texts=self.texts,
            index=(size, len(index)),
            sizes={NUMBERS: size + index.nbytes, TEXTS: packer.bytes},
            sums=compute_sums(self.out / NUMBERS),
            odd=self.csv.odd.found,
        )
        with _Writer(self.out / ALL) as file:
            write_all(file.handle, meta.pack())

    def _merge(self) -> Merge:
        series = 0 if self.series is None else max(1, len(self.series.numbers))
        return Merge(self.runs, series, 1000 if self.table.unit == "s" else 1)

    def _columns(self, merge: Merge) -> dict[str, Target]:
        """The columns to write, by name."""
        tables, runs = self._tables(), self.runs
        made = {KEY: Target(KEY, merge.key_type)}
        for column in self.table.columns:
            name = column.name
            if column.kind == "code" and not (self.series is not None and name in self.series.columns):
                made[name] = Target(name, np.min_scalar_type(max(1, len(tables[name]) - 1)), table=tables[name])
            elif column.kind in ("int", "float"):
                made[name] = Target(name, runs.narrowest.get(name, np.dtype(np.float32)))
        return made

    def _tables(self) -> dict[str, np.ndarray]:
        """For each code column, the place among its sorted names of each value as it was numbered while reading."""
        return {name: _ranks(list(codes.numbers)) for name, codes in self.csv.codes.items()}


def _ranks(names: list[str]) -> np.ndarray:
    made = np.zeros(max(1, len(names)), np.int64)
    made[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return made


class _Writer:
    """A new file that is on the disk when it is left."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> _Writer:
        self.handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        return self

    def __exit__(self, kind: Any, *rest: object) -> None:
        try:
            if kind is None:
                os.fsync(self.handle)
        finally:
            os.close(self.handle)
