"""What is wrong with a CSV file, by line. Slow and careful: it runs only after the fast reader refused the file."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiops_gym.errors import CatalogError
from aiops_gym.openrca.model import Column, Table

_LONGEST_FIELD = 1 << 30
LONGEST_TIME = 10**14
"""Milliseconds beyond which a number is no time: the year 5138."""


def about(path: Path, table: Table, reason: str) -> CatalogError:
    """The error that names the first bad line; with the reader's own reason where each line looks well."""
    for problem in _problems(path, table):
        return CatalogError(problem)
    return CatalogError(f"{path} cannot be read: {reason.splitlines()[0][:300]}")


def is_cut(path: Path) -> bool:
    """Whether the file ends inside quotes."""
    try:
        with _rows(path) as reader:
            for _ in reader:
                pass
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


@contextmanager
def _rows(path: Path) -> Iterator[Any]:
    """A strict reader of the file, packed or not."""
    limit = csv.field_size_limit(_LONGEST_FIELD)
    with path.open("rb") as raw:
        opener: Any = gzip.open if raw.read(2) == b"\x1f\x8b" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="", errors="surrogateescape") as file:
            yield csv.reader(file, strict=True)
    finally:
        csv.field_size_limit(limit)


def _problems(path: Path, table: Table) -> Iterator[str]:
    line = 1
    try:
        with _rows(path) as reader:
            names: list[str] = next(reader, [])
            if sorted(names) != sorted(table.names):
                found = f"not {','.join(names)[:200]}" if names else "but the file is empty"
                yield f"{path}, line 1: the columns {','.join(table.names)} are expected, {found}"
            columns = {column.name: column for column in table.columns}
            order = [columns[name] for name in names]
            line = reader.line_num + 1
            for row in reader:
                problem = _problem(row, order, table)
                if problem:
                    yield f"{path}, line {line}: {problem}"
                line = reader.line_num + 1
    except csv.Error as error:
        yield f"{path}, line {line}: {_meaning(str(error))}"
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        yield f"{path}, after line {line}: it cannot be unpacked: {error}"


def _meaning(error: str) -> str:
    if "unexpected end" in error:
        return "the file ends inside quotes; it was cut there"
    return f"this is no CSV: {error}"


def _problem(row: list[str], columns: list[Column], table: Table) -> str:
    if not row:
        return ""
    if len(row) != len(columns):
        expected = ",".join(column.name for column in columns)
        return f"{len(columns)} fields expected ({expected}), found {len(row)}: {','.join(row)[:120]!r}"
    for column, value in zip(columns, row, strict=True):
        wanted = _wanted(column, value, table)
        if wanted:
            return f"{column.name} is {wanted}, not {value[:80]!r}"
    return ""


def _wanted(column: Column, value: str, table: Table) -> str:
    """What was expected in place of a value; "" when it is well."""
    if any("\udc80" <= letter <= "\udcff" for letter in value):
        return "text in UTF-8"
    if column.kind in ("time", "int"):
        wanted = "a whole number" + (f" (Unix {table.unit})" if column.kind == "time" else "")
        try:
            number = int(value)
        except ValueError:
            return wanted
        largest = LONGEST_TIME // (1000 if table.unit == "s" else 1) if column.kind == "time" else 1 << 63
        return "" if -largest < number < largest else wanted
    if column.kind == "float" and value.strip():
        try:
            float(value)
        except ValueError:
            return "" if value in ("null", "NULL", "None", "N/A") else "a number"
    return ""
