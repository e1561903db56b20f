"""Files of predictions: scored into a file of the official columns, and summed up by difficulty."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import queries, scoring
from aiops_gym.openrca.labels import QUERY_COLUMNS

COLUMNS = ("query", "answer", "groundtruth", "passed", "failed", "score", "task_index")
TOTAL = "total"

_SHOWN = 20
"""Row numbers that a note lists."""

_NONE = ("", "nan", "none", "null")
"""What programs write for no prediction."""

_LONGEST = 2**31 - 1
"""Characters of a field; more than this is no C long everywhere."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One row of a file of scores, in the order of `COLUMNS`."""

    query: str
    answer: str
    groundtruth: str
    passed: list[str]
    failed: list[str]
    score: float
    task_index: str


class Mark(NamedTuple):
    """What a summary needs of a row."""

    task_index: str
    score: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary.

    Attributes:
        difficulty: `easy`, `middle`, `hard` or `total`.
        questions: how many.
        right: those with the score 1.
        strict: their share.
        mean: mean score, which the current official script calls partial accuracy.
        partly: share of those with a score between 0 and 1, which the official table of results calls partial.
    """

    difficulty: str
    questions: int
    right: int
    strict: float
    mean: float
    partly: float


class _Prediction(NamedTuple):
    line: int
    row: int | None
    text: str


def score_file(predictions: Path, questions: Path) -> tuple[list[Scored], list[str]]:
    """Score each prediction of a file, as the official script does.

    Args:
        predictions: CSV with a column `prediction`. With a column `row_id` its rows are sorted by it, and rows that are
            missing count 0; without one, line i belongs to question i.
        questions: a query.csv.

    Returns:
        One row a question, and what a person should know about how they were matched.

    Raises:
        CatalogError: a file cannot be read, or its rows cannot be matched.
    """
    asked = [tuple(row[name] for name in QUERY_COLUMNS) for _, row in _rows(questions, QUERY_COLUMNS)]
    texts, notes = _matched(predictions, len(asked))
    empty = sum(text.strip().lower() in _NONE for text in texts if text is not None)
    if empty:
        notes.append(f"{_counted(empty, 'prediction is', 'predictions are')} empty and scored 0")
    found = []
    for row, ((task, instruction, points), text) in enumerate(zip(asked, texts, strict=True)):
        try:
            value, passed, failed = scoring.score(text or "", points)
        except ZeroDivisionError:
            raise CatalogError(
                f"{questions}, row {row} (from 0): there are no criteria in its scoring points"
            ) from None
        found.append(Scored(instruction, text or "", points, passed, failed, value, task))
    return found, notes


def write(path: Path, rows: Iterable[Scored]) -> None:
    """Write a file of scores, and the folders above it; what was there is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(astuple(row) for row in rows)


def read(path: Path) -> list[Mark]:
    """The scores in a file that `write` or the official script made.

    Raises:
        CatalogError: a line that holds none, with its number.
    """
    return [Mark(row["task_index"], _number(path, line, row, "score")) for line, row in _rows(path, Mark._fields)]


def summarise(marks: Sequence[Mark | Scored]) -> list[Line]:
    """How good they are: a line for each difficulty, and one for all.

    >>> [(line.difficulty, line.strict, line.mean) for line in summarise([Mark("task_1", 1.0), Mark("task_7", 0.67)])]
    [('easy', 1.0, 1.0), ('middle', 0.0, 0.0), ('hard', 0.0, 0.67), ('total', 0.5, 0.835)]
    """
    by_level: dict[str, list[float]] = {level: [] for level in queries.LEVELS}
    for mark in marks:
        by_level[queries.grade_difficulty(mark.task_index)].append(mark.score)
    by_level[TOTAL] = [value for values in by_level.values() for value in values]
    return [_line(level, values) for level, values in by_level.items()]


def _line(level: str, values: Sequence[float]) -> Line:
    right, count = sum(value == 1.0 for value in values), max(1, len(values))
    partly = sum(0.0 < value < 1.0 for value in values)
    return Line(level, len(values), right, right / count, math.fsum(values) / count, partly / count)


def _matched(path: Path, count: int) -> tuple[list[str | None], list[str]]:
    """The prediction of each question, None where there is none, and notes."""
    found = list(_predictions(path))
    rows = {each.row: each for each in found}
    if None in rows or not found:
        if len(found) != count:
            raise CatalogError(
                f"{path} holds {_counted(len(found), 'prediction', 'predictions')}, but there are {count} questions; "
                "a column row_id, from 0, would tell which are missing"
            )
        return [each.text for each in found], []
    for each in found:
        if rows[each.row] is not each:
            raise CatalogError(f"{path}: row_id {each.row} is on line {each.line} and on line {rows[each.row].line}")
    if set(rows) <= set(range(count)):
        missing = [row for row in range(count) if row not in rows]
        shown = ", ".join(map(str, missing[:_SHOWN])) + (", ..." if len(missing) > _SHOWN else "")
        notes = [f"{_counted(len(missing), 'row_id is', 'row_ids are')} missing and scored 0: {shown}"]
        return [rows[row].text if row in rows else None for row in range(count)], notes if missing else []
    if len(found) != count:
        raise CatalogError(
            f"{path}: row_id has to count the {count} questions from 0, but there is {max(row or 0 for row in rows)}"
        )
    ordered = sorted(found, key=lambda each: each.row or 0)
    return [each.text for each in ordered], ["row_id does not count from 0: the rows were matched in its order"]


def _predictions(path: Path) -> Iterator[_Prediction]:
    for line, row in _rows(path, ("prediction",)):
        number = _whole(path, line, row, "row_id") if "row_id" in row else None
        yield _Prediction(line, number, row["prediction"])


def _number(path: Path, line: int, row: dict[str, str], name: str) -> float:
    try:
        value = float(row[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CatalogError(f"{path}, line {line}: {row[name][:80]!r} is no {name}")
    return value


def _whole(path: Path, line: int, row: dict[str, str], name: str) -> int:
    """pandas writes 3.0 where a column had gaps."""
    value = _number(path, line, row, name)
    if not value.is_integer():
        raise CatalogError(f"{path}, line {line}: {row[name][:80]!r} is no {name}")
    return int(value)


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with the number of its last line; cells that are missing at its end are empty."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file, _long_fields():
            reader = csv.DictReader(file, restval="")
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise CatalogError(f"{path}: no column {', '.join(missing)}")
            for row in reader:
                if None in row:
                    raise CatalogError(f"{path}, line {reader.line_num}: more fields than columns")
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CatalogError(f"{path} cannot be read: {error}") from None


@contextmanager
def _long_fields() -> Iterator[None]:
    """Models may write more than the 128 kB that the csv module takes for a mistake."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
