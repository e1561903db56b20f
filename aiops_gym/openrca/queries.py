"""Questions about failures: read from the sentences of any query.csv, and written for any record.csv."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock, scoring, wordings
from aiops_gym.openrca.chance import make_generator
from aiops_gym.openrca.labels import HALF_HOUR, Query, Record
from aiops_gym.openrca.model import Domain

TASKS: Mapping[str, tuple[str, ...]] = {
    "task_1": ("time",),
    "task_2": ("reason",),
    "task_3": ("component",),
    "task_4": ("time", "reason"),
    "task_5": ("time", "component"),
    "task_6": ("component", "reason"),
    "task_7": ("time", "component", "reason"),
}
"""What each task asks for, in the order of its criteria."""

LEVELS = ("easy", "middle", "hard")

_CRITERIA = {
    "time": "The {} root cause occurrence time is within 1 minutes (i.e., <=1min) of {}\n",
    "component": "The {} predicted root cause component is {}\n",
    "reason": "The {} predicted root cause reason is {}\n",
}

_MONTHS = [month.lower() for month in wordings.MONTHS]
_DATE = re.compile(
    rf"\b(?:(?P<name>{'|'.join(_MONTHS)})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})"
    r"|(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2}))(?!\d)",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?::\d{2})?(?!:?\d)")

_ASKED = {
    "time": re.compile(
        r"occurrence (?:date)?times?|(?:exact|specific|precise) (?:date)?times?|times? (?:at which|of occurrence)"
        r"|(?:date)?times? (?:of|when) the root cause",
        re.IGNORECASE,
    ),
    "component": re.compile("component", re.IGNORECASE),
    "reason": re.compile("reason", re.IGNORECASE),
}

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER = rf"\d{{1,2}}|{'|'.join(_NUMBERS)}"
_COUNT = re.compile(
    rf"(?<![\w:-])(?:{_NUMBER})(?=\s+(?:(?!(?:{_NUMBER})\b)[a-z-]+\s+){{0,3}}(?:failures?|faults?|incidents?)\b)"
    rf"|(?<=\b(?:is|as) )(?:{_NUMBER})\b",
    re.IGNORECASE,
)


def grade_difficulty(task_index: str) -> str:
    """Of `LEVELS`, by the number of elements that are asked for.

    Raises:
        CatalogError: there is no such task.

    >>> grade_difficulty("task_3"), grade_difficulty("task_4"), grade_difficulty("task_7")
    ('easy', 'middle', 'hard')
    """
    if task_index not in TASKS:
        raise CatalogError(f"no task {task_index!r}; there are: {', '.join(TASKS)}")
    return LEVELS[len(TASKS[task_index]) - 1]


def parse_window(instruction: str) -> tuple[int, int]:
    """The time that a question is about: (start, end) in Unix milliseconds.

    It begins at the first date and the first time of the sentence, and ends at the last date and the second time.

    Raises:
        CatalogError: the sentence names no such times.

    >>> start, end = parse_window("On March 4, 2021, from 23:30 to 00:00, there was one failure.")
    >>> clock.show(start), clock.show(end)
    ('2021-03-04 23:30:00', '2021-03-05 00:00:00')
    """
    dates, clocks = list(_DATE.finditer(instruction)), _CLOCK.findall(instruction)
    if not dates or len(clocks) < 2:
        raise CatalogError(f"no date and two times in the question {instruction[:200]!r}")
    start, end = (
        clock.parse(f"{_date(date)} {hour}:{minute}")
        for date, (hour, minute) in zip((dates[0], dates[-1]), clocks, strict=False)
    )
    return start, end if end > start else end + clock.DAY


def _date(found: re.Match[str]) -> str:
    if found["name"]:
        return f"{found['y']}-{_MONTHS.index(found['name'].lower()) + 1}-{found['d']}"
    return found[0]


def parse_asked(text: str) -> tuple[str, ...]:
    """What a question, or its scoring points, asks for: of time, component and reason.

    >>> parse_asked("Please identify the root cause component and the exact time at which it failed.")
    ('time', 'component')
    """
    return scoring.parse_criteria(text).asked or tuple(name for name, words in _ASKED.items() if words.search(text))


def count_failures(text: str) -> int:
    """How many failures a question, or its scoring points, is about.

    >>> count_failures("Two system failures were seen."), count_failures("A failure was seen.")
    (2, 1)
    """
    if known := scoring.parse_criteria(text).failures:
        return known
    found = _COUNT.search(text)
    if not found:
        return 1
    word = found[0].lower()
    return _NUMBERS.index(word) if word in _NUMBERS else int(word)


def make_queries(domain: Domain, cloudbed: str, records: Sequence[Record], seed: int) -> list[Query]:
    """A question for each record, in the same order.

    The task is drawn from the seven alike. The window is the half hour of the record; whatever else failed in it is
    asked for too, in the order of the records.
    """
    together: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        together[record.bucket].append(record)
    chance = make_generator(seed, "queries", domain.prefix(cloudbed))
    return [_query(cloudbed, together[record.bucket], chance) for record in records]


def _query(cloudbed: str, records: Sequence[Record], chance: np.random.Generator) -> Query:
    task = tuple(TASKS)[int(chance.integers(len(TASKS)))]
    start = records[0].bucket * HALF_HOUR * 1000
    asks = wordings.write_instruction(start, start + HALF_HOUR * 1000, len(records), TASKS[task], cloudbed, chance)
    return Query(task, asks, scoring_points(records, TASKS[task]))


def scoring_points(records: Sequence[Record], asked: Sequence[str]) -> str:
    """The criteria of a window's failures, one a line.

    >>> print(scoring_points([Record("pod", "MG01", 1614841020, "network latency")], ("time", "reason")), end="")
    The only root cause occurrence time is within 1 minutes (i.e., <=1min) of 2021-03-04 14:57:00
    The only predicted root cause reason is network latency
    """
    return "".join(
        _CRITERIA[element].format(f"{number}-th" if len(records) > 1 else "only", _said(record, element))
        for number, record in enumerate(records, 1)
        for element in asked
    )


def _said(record: Record, element: str) -> str:
    return {"time": record.datetime, "component": record.component, "reason": record.reason}[element]
