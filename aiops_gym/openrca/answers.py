"""Answers as agents submit them: brought into one form, written as the official scorer reads them, and judged.

The order of keys and the writing of a time cost nothing here. All else is as exact as the official scorer: a value is
right when it is the label to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.openrca import clock, scoring
from aiops_gym.openrca.scoring import KEYS, Guess, Hits, Truths

ELEMENTS = ("component", "reason", "timestamp")
"""What is said of one failure: the parameters of `submit`, in their order."""

EXPECTED = (
    "expected is submit(component, reason, timestamp), what is not asked left out, or for several failures "
    'submit({"1": {"root cause component": "...", "root cause reason": "...", '
    '"root cause occurrence datetime": "YYYY-MM-DD HH:MM:SS"}, "2": {...}}), times in UTC+8'
)

PATH = "path"
"""How the failure spread, components from the cause on; it is worth nothing, see `causes`."""

_NAMES = {
    PATH: PATH,
    **dict.fromkeys(("component", KEYS[1]), "component"),
    **dict.fromkeys(("reason", KEYS[2]), "reason"),
    **dict.fromkeys(("timestamp", "datetime", "time", KEYS[0], "root cause occurrence time"), "timestamp"),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer is worth.

    Attributes:
        points: criteria met.
        criteria: how many there are.
        component_match: the components of all failures are right; False where they are not asked.
        reason_match: likewise.
        time_match: likewise, to a minute.
        asked: of time, component and reason.
        passed: right answers that were given.
        failed: right answers that were not.
        official: what the official scorer says, points / criteria to two decimals.
    """

    points: int
    criteria: int
    component_match: bool
    reason_match: bool
    time_match: bool
    asked: tuple[str, ...]
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    official: float

    @property
    def reward(self) -> float:
        """Points / criteria, from 0 to 1."""
        return self.points / self.criteria

    @property
    def success(self) -> bool:
        """Whether all is right."""
        return self.points == self.criteria


def normalise(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arguments of `submit` as one dict a failure, of `ELEMENTS` and `PATH`; what was left out is missing.

    Args:
        args: component, reason, timestamp; or one dict of a failure, one of numbered dicts, or a list of dicts.
        kwargs: the same three by name, and `path`.

    Raises:
        ToolError: it is none of these; the code is `submission`.

    >>> normalise(("MG01",), {"timestamp": "2021-03-04T14:57"})
    [{'component': 'MG01', 'timestamp': '2021-03-04 14:57:00'}]
    >>> normalise(({"1": {"root cause reason": "db close"}, "2": {"reason": "CPU fault"}},), {})
    [{'reason': 'db close'}, {'reason': 'CPU fault'}]
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], Mapping | list | tuple):
        return _failures(args[0])
    if len(args) == 1 and isinstance(args[0], str) and args[0].lstrip().startswith(("{", "[")):
        raise _refuse("a dict is expected, not text that looks like one")
    if len(args) > len(ELEMENTS):
        raise _refuse(f"{len(args)} arguments are too many")
    given = dict(zip(ELEMENTS, args, strict=False))
    for name, value in kwargs.items():
        if name in given:
            raise _refuse(f"{name} is given twice")
        given[name] = value
    return [_failure(given)]


def format_official(failures: Sequence[Mapping[str, Any]]) -> str:
    """Normalised failures as text of the official form, one object a failure whatever the values hold.

    >>> print(format_official([{"reason": "db close", "component": "db_003"}]))
    {
        "1": {
            "root cause component": "db_003",
            "root cause reason": "db close"
        }
    }
    """
    guesses = [Guess(each.get("timestamp", ""), each.get("component", ""), each.get("reason", "")) for each in failures]
    text = _written(guesses)
    if scoring.parse_objects(text) != guesses:
        # A value breaks the form, by mistake or to pass for more objects: it is spoilt, never mended into a right one.
        text = _written([Guess(*(_SIGNS.sub("\ufffd", value) for value in guess)) for guess in guesses])
    return text


def judge(answer: object, scoring_points: str) -> Judgement:
    """What an answer is worth.

    Args:
        answer: what `normalise` returned, or a text as an agent of the original would write it. Anything else is an
            answer that says nothing.
        scoring_points: as in query.csv.

    Raises:
        ZeroDivisionError: there are no criteria.
    """
    text = answer if isinstance(answer, str) else format_official(_or_nothing(answer))
    truths = scoring.parse_criteria(scoring_points)
    chosen = scoring.find_best_pairing(scoring.parse_objects(text), truths)
    value, passed, failed = scoring.score(text, scoring_points)
    all_right = Hits(*map(all, zip(*chosen, strict=True))) if chosen else Hits(False, False, False)
    return Judgement(
        points=len(passed),
        criteria=truths.criteria,
        component_match=all_right.component,
        reason_match=all_right.reason,
        time_match=all_right.time,
        asked=truths.asked,
        passed=tuple(passed),
        failed=tuple(failed),
        official=value,
    )


def format_expected(truths: Truths) -> dict[str, dict[str, str]]:
    """The right answer, as `submit` takes it.

    >>> format_expected(scoring.parse_criteria("The only predicted root cause component is MG01"))
    {'1': {'root cause component': 'MG01'}}
    """
    parts = dict(zip(KEYS, (truths.times, truths.components, truths.reasons), strict=True))
    return {
        str(row + 1): {key: texts[row] for key, texts in parts.items() if row < len(texts)}
        for row in range(truths.failures)
    }


def _refuse(why: str) -> ToolError:
    return ToolError(f"{why}; {EXPECTED}", code="submission")


def _failures(given: Mapping[Any, Any] | Sequence[Any]) -> list[dict[str, Any]]:
    if isinstance(given, Mapping):
        numbers = [_number(key) for key in given]
        if not given or None in numbers:
            return [_failure(given)]
        if len(set(numbers)) < len(numbers):
            raise _refuse("two failures have the same number")
        given = [value for _, value in sorted(zip(numbers, given.values(), strict=True), key=lambda pair: pair[0] or 0)]
    if not given:
        raise _refuse("an empty list says nothing")
    for each in given:
        if not isinstance(each, Mapping):
            raise _refuse(f"a failure is a dict, not {type(each).__name__}")
    return [_failure(each) for each in given]


def _number(key: object) -> int | None:
    """The number of a failure, "1" or 1, or None where it is none."""
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    return int(key) if isinstance(key, str) and re.fullmatch("[0-9]{1,9}", key) else None


def _failure(given: Mapping[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = _NAMES.get(key.strip().lower().replace("_", " ")) if isinstance(key, str) else None
        if name is None:
            raise _refuse(f"there is no {key[:80]!r}" if isinstance(key, str) else f"a {type(key).__name__} is no name")
        if value is None or (isinstance(value, str) and not value):
            continue
        if name in found:
            raise _refuse(f"{name} is given twice")
        found[name] = _READ.get(name, partial(_text, name))(value)
    return {name: found[name] for name in (*ELEMENTS, PATH) if name in found}


def _path(value: object) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise _refuse("path is a list of components, from the cause on")
    return list(value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _refuse(f"{name} is text, not {type(value).__name__}")
    return value


def _time(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _refuse(f"timestamp is text or a number, not {type(value).__name__}")
    try:
        moment = clock.parse(value)
        if moment >= 0:  # what is older has years that `show` does not write in four digits
            return clock.show(moment)
    except (ValueError, OverflowError):
        pass
    raise _refuse(f"the timestamp{f' {value[:80]!r}' if isinstance(value, str) else ''} is no time")


_READ: Mapping[str, Callable[[object], Any]] = {"timestamp": _time, PATH: _path}
_SIGNS = re.compile(r'["{}\n]')


def _written(guesses: Sequence[Guess]) -> str:
    """Numbered objects, the keys in the order that counts; "" for none, for the scorer takes `{}` for an object."""
    blocks = []
    for number, guess in enumerate(guesses, 1):
        pairs = [f'        "{key}": "{value}"' for key, value in zip(KEYS, guess, strict=True) if value]
        blocks.append(f'    "{number}": {{\n' + ",\n".join(pairs) + "\n    }")
    return "{\n" + ",\n".join(blocks) + "\n}" if blocks else ""


def _or_nothing(answer: object) -> list[dict[str, Any]]:
    try:
        return normalise((answer,), {}) if isinstance(answer, list | tuple | Mapping) else [{}]
    except ToolError:
        return [{}]
