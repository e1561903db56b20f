"""What a request to Prometheus asks for: times, durations, expressions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.promql.durations import parse_duration
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.nodes import Node
from aiops_gym.sim.promql.parser import parse, parse_selector
from aiops_gym.sim.promql.patterns import compile_matcher
from aiops_gym.sim.promql.series import Matcher

Query = Mapping[str, Sequence[str]]
"""The form of a request: name -> values."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)|nan", re.ASCII | re.IGNORECASE)
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
MOST_SECONDS = 2**63 / 1e9
LATEST = 1e12
"""Seconds; no time of a request comes near."""


class Wrong(QueryError):
    """A request that cannot be understood."""

    def __init__(self, text: str, name: str = "") -> None:
        super().__init__(f"invalid parameter {go_quote(name)}: {text}" if name else text, "bad_data")


def get(query: Query, name: str) -> str:
    """The first value of a parameter, empty where there is none."""
    return next(iter(query.get(name, ())), "")


def read_time(query: Query, name: str, default: int | None = None) -> int:
    """Milliseconds of a Unix time or of a time stamp. Raises Wrong."""
    text = get(query, name)
    if not text and default is not None:
        return default
    try:
        if _NUMBER.fullmatch(text) and abs(float(text)) < LATEST:
            return math.floor(float(text) * SECOND + 0.5)
        if _STAMP.fullmatch(text):
            return millis(text)
    except (ValueError, OverflowError):
        pass
    wrong = f"cannot parse {go_quote(text)} to a valid timestamp"
    raise Wrong(wrong if default is None else f"Invalid time value for '{name}': {wrong}", name)


def read_duration(query: Query, name: str) -> int:
    """Milliseconds of seconds or of a duration such as `5m`. Raises Wrong."""
    text = get(query, name)
    try:
        if not _NUMBER.fullmatch(text):
            return parse_duration(text)
        seconds = float(text)
        if abs(seconds) < MOST_SECONDS:
            return int(seconds * SECOND)
        if math.isinf(seconds) and "inf" not in text.lower():
            raise ValueError  # Go's numbers end before
        raise Wrong(f"cannot parse {go_quote(text)} to a valid duration. It overflows int64", name)
    except ValueError:
        raise Wrong(f"cannot parse {go_quote(text)} to a valid duration", name) from None


def read_expression(query: Query, name: str = "query") -> Node:
    """Raises Wrong."""
    try:
        return parse(get(query, name))
    except QueryError as error:
        raise Wrong(str(error), name) from None


def read_selectors(query: Query) -> list[Sequence[Matcher]]:
    """The matchers of each `match[]`. Raises QueryError."""
    found = [parse_selector(text) for text in query.get("match[]", ())]
    for matchers in found:
        if all(compile_matcher(matcher)("") for matcher in matchers):
            raise Wrong("match[] must contain at least one non-empty matcher")
    return found
