"""Questions as problems: with an id, a split, and what is needed to pose and to judge them.

They come from query.csv alone; neither record.csv nor telemetry need be there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from aiops_gym.errors import ArgumentError, CatalogError
from aiops_gym.openrca import causes, clock, domains, labels, queries, scoring
from aiops_gym.openrca.causes import Graph
from aiops_gym.openrca.layout import domain_folder
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.profiles import HARD
from aiops_gym.openrca.roots import root_of

TASK = "root_cause"
TEST_SHARE = 0.3

_ID = re.compile(r"(?P<prefix>.+)-task_\d+-(?P<row>0|[1-9]\d{0,8})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One row of a query.csv.

    Attributes:
        id: `Bank-task_7-0`, `Market-cloudbed-1-task_6-0`: system, task, and `row`.
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


class Questions:
    """The questions of a domain, read when they are asked for.

    Args:
        root: folder of the data set; without it `AIOPS_GYM_OPENRCA`, or else the synthetic default.
        profile: of the synthetic default, `hard` or `easy`.
    """

    def __init__(self, domain: Domain, root: str | os.PathLike[str] | None = None, profile: str = HARD) -> None:
        self.domain, self.root, self.profile = domain, root, profile
        self._folders: dict[str, Path] = {}
        self._rows: dict[str, tuple[Problem, ...]] = {}

    def folder(self, cloudbed: str) -> Path:
        """Where the data of a cloudbed lie ("" where there is one system). Raises CatalogError if they do not."""
        if cloudbed not in self._folders:
            found = domain_folder(self.domain, cloudbed, root_of(self.domain, cloudbed, self.root, self.profile))
            self._folders[cloudbed] = found
        return self._folders[cloudbed]

    def rows(self, cloudbed: str) -> tuple[Problem, ...]:
        """Those of a cloudbed, row by row. Raises CatalogError: no data, or a row that is no question."""
        if cloudbed not in self._rows:
            self._rows[cloudbed] = _of_folder(self.domain, cloudbed, self.folder(cloudbed))
        return self._rows[cloudbed]

    @cached_property
    def cloudbeds(self) -> tuple[str, ...]:
        """Those that have data. Raises CatalogError where none has."""
        found, missing = [], CatalogError(f"{self.domain.title} has no systems")
        for each in self.domain.folders:
            try:
                self.folder(each)
                found.append(each)
            except CatalogError as error:
                missing = error
        if not found:
            raise missing
        return tuple(found)

    def of(self, cloudbed: str | None = None) -> dict[str, Problem]:
        """Those of a cloudbed, or of each that has data, by id, in the order of the files."""
        chosen = self.cloudbeds if cloudbed is None else (cloudbed,)
        return {problem.id: problem for each in chosen for problem in self.rows(each)}

    def find(self, id_: str) -> Problem:
        """The question with an id.

        Raises:
            ArgumentError: there is none; it says what the row of that number is called, or what ids look like.
        """
        system, row = _place(self.domain, id_)
        rows = self.rows(system)
        if row >= len(rows):
            last = f"has the rows 0 to {len(rows) - 1}" if rows else "has no rows"
            raise ArgumentError(f"no problem {id_!r}: {self.folder(system) / labels.QUERIES} {last}")
        if rows[row].id != id_:
            raise ArgumentError(f"no problem {id_!r}: row {row} of {labels.QUERIES} is {rows[row].id}")
        return rows[row]

    def graph(self, problem: Problem) -> Graph | None:
        """How the failures of a question's window spread; None where the data do not tell."""
        folder = self.folder(problem.cloudbed)
        graphs = causes.read_causes(folder)
        if not graphs:
            return None
        halves = [each.timestamp // labels.HALF_HOUR for each in labels.read_records(folder)]
        return causes.join([each for each, half in zip(graphs, halves, strict=True) if half == halves[problem.row]])


def system_of(id_: str) -> tuple[Domain, str] | None:
    """Domain and cloudbed that the id of a question names; None where it is no such id.

    >>> system_of("Market-cloudbed-1-task_6-0")[1], system_of("misconfig_app_hotel_res-mitigation-1")
    ('cloudbed-1', None)
    """
    found = _ID.fullmatch(id_)
    return _systems().get(found["prefix"]) if found else None


def problems_from_query_csv(domain: str, root: str | os.PathLike[str] | None = None) -> tuple[Problem, ...]:
    """The problems of a domain, in the order of its file.

    Args:
        domain: `bank`, `Market/cloudbed-2`, `openrca_telecom`; `market` means each cloudbed that is there.
        root: folder of the data set; without it `AIOPS_GYM_OPENRCA`, or else the synthetic default.

    Raises:
        CatalogError: no such domain, no data of it, or a row that is no question, with its number.
    """
    found, cloudbed = domains.find(domain)
    whole = "" if "" in found.folders else None
    return tuple(Questions(found, root).of(cloudbed or whole).values())


def choose_test_days(days: Iterable[date]) -> frozenset[date]:
    """The days that are the split `test`: the last 30 % of those with failures, but neither none nor all.

    A single day is for training.

    >>> days = [date(2021, 3, number) for number in (4, 6, 7, 9, 10, 12, 23, 24, 25)]
    >>> sorted(day.day for day in choose_test_days(days))
    [23, 24, 25]
    """
    known = sorted(set(days))
    count = min(max(1, round(TEST_SHARE * len(known))), max(0, len(known) - 1))
    return frozenset(known[len(known) - count :])


def _systems() -> Mapping[str, tuple[Domain, str]]:
    """Domain and cloudbed by the beginning of their ids."""
    known = [domains.find(name)[0] for name in domains.list_domains()]
    return {each.prefix(cloudbed): (each, cloudbed) for each in known for cloudbed in each.folders}


def _place(domain: Domain, id_: object) -> tuple[str, int]:
    """Cloudbed and row that an id of the domain names. Raises ArgumentError for what is none."""
    if not isinstance(id_, str):
        raise ArgumentError(f"a problem is given by its id, not by {type(id_).__name__}")
    found, prefixes = _ID.fullmatch(id_), {domain.prefix(each): each for each in domain.folders}
    if found and found["prefix"] in prefixes:
        return prefixes[found["prefix"]], int(found["row"])
    system = system_of(id_)
    if system is not None:
        raise ArgumentError(f"{id_} is a question about {system[0].title}, and these are about {domain.title}")
    forms = " or ".join(f"{each}-task_N-ROW" for each in prefixes)
    raise ArgumentError(f"no problem {id_[:80]!r}: an id is {forms}, with the row of {labels.QUERIES} from 0")


def _of_folder(domain: Domain, cloudbed: str, folder: Path) -> tuple[Problem, ...]:
    rows = labels.read_queries(folder)
    windows = [_window(folder / labels.QUERIES, row, query) for row, query in enumerate(rows)]
    test = choose_test_days(clock.to_local(start).date() for start, _ in windows)
    made = []
    for row, (query, (start, end)) in enumerate(zip(rows, windows, strict=True)):
        truths = scoring.parse_criteria(query.scoring_points)
        problem = Problem(
            id=f"{domain.prefix(cloudbed)}-{query.task_index}-{row}",
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
            difficulty=queries.grade_difficulty(query.task_index),
            split="test" if clock.to_local(start).date() in test else "train",
        )
        made.append(problem)
    return tuple(made)


def _window(path: Path, row: int, query: labels.Query) -> tuple[int, int]:
    """Of a question that can be posed and judged."""
    try:
        queries.grade_difficulty(query.task_index)
        if not scoring.parse_criteria(query.scoring_points).criteria:
            raise CatalogError(f"no criteria in the scoring points {query.scoring_points[:80]!r}")
        return queries.parse_window(query.instruction)
    except (CatalogError, ValueError) as error:
        raise CatalogError(f"{path}, row {row} (from 0): {error}") from None
