"""What a prediction is worth: the scorer of microsoft/OpenRCA, with its quirks, in bounded time.

A prediction is text. It is never parsed as JSON: what counts are brace pairs that hold, in this order and each at most
once, the quoted pairs of `KEYS` and nothing else. The score says how many criteria the best assignment of such
objects to the failures meets.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from typing import NamedTuple

KEYS = ("root cause occurrence datetime", "root cause component", "root cause reason")
"""Of an object in a prediction, in the only order that counts."""

TOLERANCE = timedelta(minutes=1)


class Guess(NamedTuple):
    """One object of a prediction; "" where it says nothing."""

    time: str = ""
    component: str = ""
    reason: str = ""


class Truths(NamedTuple):
    """The criteria, one list an element: all as long as there are failures, or empty where not asked."""

    components: tuple[str, ...]
    reasons: tuple[str, ...]
    times: tuple[str, ...]

    @property
    def failures(self) -> int:
        """How many failures are asked for."""
        return max(map(len, self))

    @property
    def asked(self) -> tuple[str, ...]:
        """Of time, component and reason."""
        lists = {"time": self.times, "component": self.components, "reason": self.reasons}
        return tuple(name for name, texts in lists.items() if texts)

    @property
    def criteria(self) -> int:
        """How many points there are."""
        return sum(map(len, self))


class Score(NamedTuple):
    """What the official scorer returns.

    Attributes:
        score: points / criteria, rounded to two decimals.
        passed: the criteria met, failure by failure: component, reason, time.
        failed: those of the others whose text is not among the passed, each once.
    """

    score: float
    passed: list[str]
    failed: list[str]


class Hits(NamedTuple):
    """Which elements of one failure a guess got right."""

    component: bool
    reason: bool
    time: bool


def score(prediction: str, scoring_points: str) -> Score:
    """What a prediction is worth by the official scorer.

    Args:
        prediction: what an agent wrote, any text.
        scoring_points: the criteria, one a line, as in query.csv.

    Raises:
        TypeError: either is no text.
        ZeroDivisionError: there are no criteria.

    >>> points = "The only predicted root cause component is MG01"
    >>> score('{"1": {"root cause component": "MG01"}}', points)
    Score(score=1.0, passed=['MG01'], failed=[])
    >>> score('{"root cause component": "MG02"}', points)
    Score(score=0.0, passed=[], failed=['MG01'])
    """
    guesses, truths = parse_objects(prediction), parse_criteria(scoring_points)
    passed = find_met(truths, find_best_pairing(guesses, truths))
    failed = [text for text in dict.fromkeys(chain(*truths)) if text not in passed]
    return Score(round(len(passed) / truths.criteria, 2), passed, failed)


_CRITERION = r"The (?:\d+-th|only) {} ([^\n]+)"
_COMPONENT = re.compile(_CRITERION.format("predicted root cause component is"))
_REASON = re.compile(_CRITERION.format("predicted root cause reason is"))
_TIME = re.compile(_CRITERION.format(r"root cause occurrence time is within 1 minutes \(i.e., <=1min\) of"))


def parse_criteria(scoring_points: str) -> Truths:
    """What is asked for, and the right answers.

    Raises:
        TypeError: it is no text.
    """
    _need_text(scoring_points)
    return Truths(*(tuple(each.findall(scoring_points)) for each in (_COMPONENT, _REASON, _TIME)))


def find_best_pairing(guesses: Sequence[Guess], truths: Truths) -> list[Hits]:
    """The hits of each failure under the best assignment of guesses; none where their numbers differ.

    Among equally good assignments it is the first in the order of permutations.
    """
    if len(guesses) != truths.failures:
        return []
    hits = [[_hits(guess, truths, row) for guess in guesses] for row in range(len(guesses))]

    @cache
    def best(used: int) -> tuple[int, int]:
        """(most points from the next failure on, minus the first guess that gets them), by guesses that are used."""
        row = used.bit_count()
        free = (column for column in range(len(guesses)) if not used >> column & 1)
        return max(((sum(hits[row][each]) + best(used | 1 << each)[0], -each) for each in free), default=(0, 0))

    chosen, used = [], 0
    for row in hits:
        column = -best(used)[1]
        chosen.append(row[column])
        used |= 1 << column
    return chosen


def find_met(truths: Truths, chosen: Sequence[Hits]) -> list[str]:
    """The criteria that an assignment meets, failure by failure."""
    return [texts[row] for row, hits in enumerate(chosen) for texts, hit in zip(truths, hits, strict=True) if hit]


def _hits(guess: Guess, truths: Truths, row: int) -> Hits:
    """A list that is shorter than the longest is not compared at all: its criteria cannot be met."""
    components, reasons, times = (each if len(each) == truths.failures else () for each in truths)
    return Hits(
        bool(components) and guess.component == components[row],
        bool(reasons) and guess.reason == reasons[row],
        bool(times) and _close(guess.time, times[row]),
    )


def _close(one: str, other: str) -> bool:
    try:
        return abs(_moment(one) - _moment(other)) <= TOLERANCE
    except ValueError:
        return False


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)


def _need_text(value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")


_BLANK = re.compile(r"\s*")
_OPENINGS = tuple(re.compile(rf'"{key}":\s*"') for key in KEYS)


def parse_objects(prediction: str) -> list[Guess]:
    """The objects of a prediction, from left to right.

    A value ends at the first quote of its line after which the rest of an object fits, so it may swallow other pairs.

    Raises:
        TypeError: it is no text.
    """
    _need_text(prediction)
    found, text, at = [], _Text(prediction), 0
    while (at := prediction.find("{", at) + 1) > 0:
        values = text.read(at)
        if values is not None:
            found.append(Guess(*(prediction[value] for value in values)))
            at = text.past
    return found


class _Text:
    """A prediction, read in a time that grows with its length alone.

    Backtracking over three values that may each end at any quote takes hours on hostile text. But whether an object
    can go on after a quote that ends a value does not depend on what came before: it is found out once a quote, from
    the last to the first.

    Attributes:
        past: where the last object that was read ends.
    """

    def __init__(self, text: str) -> None:
        self.text, self.past = text, 0
        self.quotes = [match.start() for match in re.finditer('"', text)]
        self.ends = [[-1] * len(self.quotes) for _ in KEYS]
        """For each element and quote: the first quote from there on at which such a value can end, or -1."""
        following = -1
        for index in reversed(range(len(self.quotes))):
            quote = self.quotes[index]
            same_line = following >= 0 and text.find("\n", quote, following) < 0
            for element, ends in enumerate(self.ends):
                fits = self.read(quote + 1, element + 1) is not None
                ends[index] = quote if fits else ends[index + 1] if same_line else -1
            following = quote

    def read(self, at: int, element: int = 0) -> list[slice] | None:
        """Where the values are, if the rest of an object is here, from an element on; None if it is not."""
        values = [slice(0, 0)] * len(KEYS)
        at = self._separated(at, element)
        for each in range(element, len(KEYS)):
            opening = _OPENINGS[each].match(self.text, at)
            if opening:
                end = self._end(each, opening.end())
                if end < 0:
                    return None
                values[each] = slice(opening.end(), end)
                at = end + 1
            at = self._separated(at, each + 1)
        if not self.text.startswith("}", at):
            return None
        self.past = at + 1
        return values

    def _end(self, element: int, at: int) -> int:
        """Where a value that begins here ends, or -1."""
        index = bisect_left(self.quotes, at)
        if index == len(self.quotes) or self.text.find("\n", at, self.quotes[index]) >= 0:
            return -1
        return self.ends[element][index]

    def _separated(self, at: int, element: int) -> int:
        """Past the blanks before an element, and past the comma that all but the first may have."""
        if 0 < element < len(KEYS) and self.text.startswith(",", at):
            at += 1
        blank = _BLANK.match(self.text, at)
        return blank.end() if blank else at
