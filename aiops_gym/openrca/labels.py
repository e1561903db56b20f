"""The label files of a domain: what failed (record.csv) and what is asked of it (query.csv)."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock
from aiops_gym.openrca.model import Domain

RECORDS, QUERIES = "record.csv", "query.csv"
QUERY_COLUMNS = ("task_index", "instruction", "scoring_points")

HALF_HOUR = 1800
"""Seconds of a query's window."""


@dataclass(frozen=True, slots=True)
class Record:
    """One failure.

    Attributes:
        level: `pod`, `node` or `service`.
        timestamp: Unix seconds at which it began.
    """

    level: str
    component: str
    timestamp: int
    reason: str

    @property
    def datetime(self) -> str:
        """`2021-03-04 14:57:00`, in UTC+8."""
        return clock.show(self.timestamp * 1000)

    @property
    def bucket(self) -> int:
        """Number of its half hour; failures of one bucket are asked for together."""
        return self.timestamp // HALF_HOUR


@dataclass(frozen=True, slots=True)
class Query:
    """One row of query.csv.

    Attributes:
        task_index: `task_1` to `task_7`.
        scoring_points: the criteria, one a line.
    """

    task_index: str
    instruction: str
    scoring_points: str


def read_records(folder: Path) -> tuple[Record, ...]:
    """The failures of a domain, in the order of the file.

    Raises:
        CatalogError: no such file, or a line that is none, with its number.
    """
    path = folder / RECORDS
    return tuple(_record(path, line, row) for line, row in _rows(path, ("level", "component", "timestamp", "reason")))


def read_queries(folder: Path) -> tuple[Query, ...]:
    """The questions of a domain, in the order of the file; row i belongs to row i of the records.

    Raises:
        CatalogError: no such file, or a line that is none, with its number.
    """
    path = folder / QUERIES
    return tuple(Query(*(row[name] for name in QUERY_COLUMNS)) for _, row in _rows(path, QUERY_COLUMNS))


def write_records(folder: Path, domain: Domain, records: Iterable[Record]) -> None:
    """Write record.csv in the domain's own order and form of columns."""
    rows = [[_cell(domain, record, name) for name in domain.record_columns] for record in records]
    _write(folder / RECORDS, domain.record_columns, rows)


def write_queries(folder: Path, queries: Iterable[Query]) -> None:
    """Write query.csv."""
    rows = [[query.task_index, query.instruction, query.scoring_points] for query in queries]
    _write(folder / QUERIES, QUERY_COLUMNS, rows)


def _cell(domain: Domain, record: Record, name: str) -> object:
    if name == "timestamp" and domain.record_time == "float":
        return float(record.timestamp)
    return getattr(record, name)


def _record(path: Path, line: int, row: dict[str, str]) -> Record:
    try:
        return Record(row["level"], row["component"], int(float(row["timestamp"])), row["reason"])
    except (ValueError, OverflowError):
        raise CatalogError(f"{path}, line {line}: {row['timestamp']!r} is no time in Unix seconds") from None


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with the number of its last line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise CatalogError(f"{path}: no column {', '.join(missing)}; expected are {', '.join(columns)}")
            for row in reader:
                if None in row or None in row.values():
                    raise CatalogError(
                        f"{path}, line {reader.line_num}: {len(reader.fieldnames or ())} fields expected"
                    )
                yield reader.line_num, row
    except FileNotFoundError:
        raise CatalogError(
            f"{path} is not there: this is no folder of OpenRCA data, or its labels are missing"
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CatalogError(f"{path} cannot be read: {error}") from None


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """All of it or nothing; the file is as readable as any other that the user makes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
