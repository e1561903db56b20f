"""What stands between two values."""

from __future__ import annotations

import math
from collections.abc import Callable

from aiops_gym.sim.jq.errors import JqError, OutOfWork
from aiops_gym.sim.jq.machine import CHARACTERS, Run
from aiops_gym.sim.jq.paths import is_number
from aiops_gym.sim.jq.values import equal, number, sort_key, told
from aiops_gym.types import Json

MOST = 10_000_000
"""Characters of a text that may be made."""


def add(run: Run, a: Json, b: Json) -> Json:
    """`+`"""
    if a is None:
        return b
    if b is None:
        return a
    if isinstance(a, str) and isinstance(b, str):
        run.charge((len(a) + len(b)) // CHARACTERS)
        if len(a) + len(b) > MOST:
            raise OutOfWork
        return a + b
    if isinstance(a, list) and isinstance(b, list):
        run.charge((len(a) + len(b)) // 8)
        run.made = True
        return a + b
    if isinstance(a, dict) and isinstance(b, dict):
        run.charge((len(a) + len(b)) // 8)
        run.made = True
        return {**a, **b}
    if is_number(a) and is_number(b):
        return number(a + b)
    raise JqError(f"{told(a)} and {told(b)} cannot be added")


def subtract(run: Run, a: Json, b: Json) -> Json:
    """`-`"""
    if is_number(a) and is_number(b):
        return number(a - b)
    if isinstance(a, list) and isinstance(b, list):
        run.charge(len(a) * len(b))
        return [each for each in a if not any(equal(each, other) for other in b)]
    raise JqError(f"{told(a)} and {told(b)} cannot be subtracted")


def multiply(run: Run, a: Json, b: Json) -> Json:
    """`*`: of numbers, a text so many times, or two objects merged."""
    if is_number(a) and is_number(b):
        return _float(lambda: a * b)
    if isinstance(a, dict) and isinstance(b, dict):
        run.made = True
        return _merge(run, a, b)
    text, times = (a, b) if isinstance(a, str) else (b, a)
    if isinstance(text, str) and is_number(times) and isinstance(a, str):
        return _repeat(run, text, float(times))
    raise JqError(f"{told(a)} and {told(b)} cannot be multiplied")


def _repeat(run: Run, text: str, times: float) -> Json:
    if not times > 0:
        return None
    count = max(1, math.ceil(min(times, 1e18)))
    if count * len(text) > MOST:
        raise OutOfWork
    run.charge(count * len(text) // CHARACTERS)
    return text * count


def _merge(run: Run, a: dict[str, Json], b: dict[str, Json]) -> dict[str, Json]:
    run.charge(1 + len(b))
    found = dict(a)
    for key, each in b.items():
        old = found.get(key)
        found[key] = _merge(run, old, each) if isinstance(old, dict) and isinstance(each, dict) else each
    return found


def divide(run: Run, a: Json, b: Json) -> Json:
    """`/`: of numbers, or a text split."""
    if is_number(a) and is_number(b):
        if b == 0:
            raise JqError(f"{told(a)} and {told(b)} cannot be divided because the divisor is zero")
        return _float(lambda: a / b)
    if isinstance(a, str) and isinstance(b, str):
        run.charge(len(a) // 8)
        return split(a, b)
    raise JqError(f"{told(a)} and {told(b)} cannot be divided")


def split(text: str, separator: str) -> list[Json]:
    """The parts of a text; its characters where nothing separates them."""
    if not text:
        return []
    return list(text.split(separator)) if separator else list(text)


def remainder(run: Run, a: Json, b: Json) -> Json:
    """`%`: of what remains without fractions, with the sign of the first."""
    if not is_number(a) or not is_number(b):
        raise JqError(f"{told(a)} and {told(b)} cannot be divided (remainder)")
    left, right = (_integer(each) for each in (a, b))
    if right == 0:
        raise JqError(f"{told(a)} and {told(b)} cannot be divided (remainder) because the divisor is zero")
    found = abs(left) % abs(right)
    return number(-found if left < 0 else found)


def _integer(value: Json) -> int:
    assert isinstance(value, int | float)
    if value != value:  # noqa: PLR0124
        return -(1 << 63)
    return int(min(max(value, -(1 << 63)), (1 << 63) - 1))


def _float(work: Callable[[], float]) -> Json:
    try:
        return number(work())
    except OverflowError:
        return number(math.inf)


def _less(run: Run, a: Json, b: Json) -> bool:
    if is_number(a) and is_number(b):
        return a < b if a == a else True  # noqa: PLR0124
    if isinstance(a, str) and isinstance(b, str):
        return a < b
    return sort_key(a) < sort_key(b)


OPERATORS: dict[str, Callable[[Run, Json, Json], Json]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
    "==": lambda run, a, b: equal(a, b),
    "!=": lambda run, a, b: not equal(a, b),
    "<": _less,
    ">": lambda run, a, b: _less(run, b, a),
    "<=": lambda run, a, b: not _less(run, b, a),
    ">=": lambda run, a, b: not _less(run, a, b),
}
