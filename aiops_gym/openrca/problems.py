"""Questions as problems: with an id, a split, and what is needed to pose and to judge them.

They come from query.csv alone; neither record.csv nor telemetry need be there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock, labels, queries, scoring
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.layout import domain_folder
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.roots import root_of

TASK = "root_cause"
TEST_SHARE = 0.3


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One row of a query.csv.

    Attributes:
        id: `Bank-task_7-0`, `Market-cloudbed-1-task_6-0`: the last number counts the rows of the task in the file.
        domain: `bank`, `market` or `telecom`.
        cloudbed: "" where there is one system.
        row: number of the row in the file, from 0.
        start: of the window, Unix milliseconds, as `end`.
        asked: of time, component and reason.
        failures: how many fall in the window, all of them asked for.
        difficulty: `easy`, `middle` or `hard`.
        split: `train` or `test`, by the day.
    """

    id: str
    task: str = TASK
    domain: str
    cloudbed: str
    task_index: str
    row: int
    instruction: str
    scoring_points: str
    start: int
    end: int
    asked: tuple[str, ...]
    failures: int
    difficulty: str
    split: str


def problems_from_query_csv(domain: str, root: str | os.PathLike[str] | None = None) -> tuple[Problem, ...]:
    """The problems of a domain, in the order of its file.

    Args:
        domain: `bank`, `Market/cloudbed-2`, `openrca_telecom`; `market` means each cloudbed that is there.
        root: folder of the data set; without it `AIOPS_GYM_OPENRCA`, or else the synthetic default.

    Raises:
        CatalogError: no such domain, no data of it, or a row that is no question, with its number.
    """
    found, cloudbed = find(domain)
    if cloudbed or "" in found.folders:
        return _of_folder(found, cloudbed, _folder(found, cloudbed, root))
    folders = {}
    for each in found.folders:
        try:
            folders[each] = _folder(found, each, root)
        except CatalogError as error:
            missing = error
    if not folders:
        raise missing
    return tuple(problem for each, folder in folders.items() for problem in _of_folder(found, each, folder))


def held_out(days: Iterable[date]) -> frozenset[date]:
    """The days that are the split `test`: the last 30 % of those with failures, but neither none nor all.

    A single day is for training.

    >>> sorted(day.day for day in held_out(date(2021, 3, number) for number in (4, 6, 7, 9, 10, 12, 23, 24, 25)))
    [23, 24, 25]
    """
    known = sorted(set(days))
    count = min(max(1, round(TEST_SHARE * len(known))), max(0, len(known) - 1))
    return frozenset(known[len(known) - count :])


def _folder(domain: Domain, cloudbed: str, root: str | os.PathLike[str] | None) -> Path:
    return domain_folder(domain, cloudbed, root_of(domain, cloudbed, root))


def _of_folder(domain: Domain, cloudbed: str, folder: Path) -> tuple[Problem, ...]:
    rows = labels.read_queries(folder)
    windows = [_window(folder / labels.QUERIES, row, query) for row, query in enumerate(rows)]
    test = held_out(clock.local(start).date() for start, _ in windows)
    seen: Counter[str] = Counter()
    made = []
    for row, (query, (start, end)) in enumerate(zip(rows, windows, strict=True)):
        truths = scoring.criteria(query.scoring_points)
        problem = Problem(
            id=f"{domain.prefix(cloudbed)}-{query.task_index}-{seen[query.task_index]}",
            domain=domain.name,
            cloudbed=cloudbed,
            task_index=query.task_index,
            row=row,
            instruction=query.instruction,
            scoring_points=query.scoring_points,
            start=start,
            end=end,
            asked=truths.asked,
            failures=truths.failures,
            difficulty=queries.difficulty(query.task_index),
            split="test" if clock.local(start).date() in test else "train",
        )
        seen[query.task_index] += 1
        made.append(problem)
    return tuple(made)


def _window(path: Path, row: int, query: labels.Query) -> tuple[int, int]:
    """Of a question that can be posed and judged."""
    try:
        queries.difficulty(query.task_index)
        if not scoring.criteria(query.scoring_points).criteria:
            raise CatalogError(f"no criteria in the scoring points {query.scoring_points[:80]!r}")
        return queries.window(query.instruction)
    except (CatalogError, ValueError) as error:
        raise CatalogError(f"{path}, row {row} (from 0): {error}") from None
