"""The words of a query as its parser takes them: the next one, and what to say where it is another."""

from __future__ import annotations

import math
import re

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql.durations import parse_duration
from aiops_gym.sim.promql.errors import QueryError, make_parse_error
from aiops_gym.sim.promql.lexer import Lexer, Token
from aiops_gym.sim.promql.nodes import Node

DEEPEST = 120
"""Levels of parts within parts, which Prometheus does not limit: Python's stack would end not much later."""

TOO_DEEP = f"query nests more than {DEEPEST} levels deep"


class Words:
    """Knows the next word, and within how many aggregations it stands.

    Args:
        query: that is read.
    """

    def __init__(self, query: str) -> None:
        self.query = query
        self.tokens = Lexer(query).read()
        self.ahead: Token | None = None
        self.last = Token("", "", 0)
        self.aggregations = self.levels = 0

    def fail(self, at: int, text: str) -> QueryError:
        """What is wrong at a place."""
        return make_parse_error(self.query, at, text)

    def unexpected(self, where: str = "", wanted: str = "") -> QueryError:
        """The next word, where another is wanted."""
        where = where or ("aggregation" if self.aggregations else "")
        text = f"unexpected {self.next.describe()}" + (f" in {where}" if where else "")
        return self.fail(self.next.start, text + (f", expected {wanted}" if wanted else ""))

    @property
    def next(self) -> Token:
        """Read when it is looked at, no earlier: what is wrong before it is told first."""
        if self.ahead is None:
            self.ahead = next(self.tokens)
        return self.ahead

    def take(self) -> Token:
        """The next word; the one after it is next then."""
        self.last, self.ahead = self.next, None
        return self.last

    def want(self, kind: str, where: str = "", wanted: str = "") -> Token:
        """The next word, if it is of a kind. Raises QueryError."""
        if self.next.kind != kind:
            raise self.unexpected(where, wanted)
        return self.take()

    def deeper(self, *inner: Node) -> int:
        """How deep a node with these in it is. Raises QueryError where that is too deep."""
        depth = 1 + max((node.depth for node in inner), default=0)
        if depth > DEEPEST:
            raise self.fail(0, TOO_DEEP)
        return depth

    def number(self, token: Token) -> float:
        """What a number says. Raises QueryError."""
        text = token.text.lower()
        try:
            value = _read_whole(text)
            value = float(text) if value is None else value
        except ValueError:
            wrong = f"strconv.ParseFloat: parsing {go_quote(token.text)}: invalid syntax"
            raise self.fail(token.start, f"error parsing number: {wrong}") from None
        if math.isinf(value) and "inf" not in text:
            wrong = f"strconv.ParseFloat: parsing {go_quote(token.text)}: value out of range"
            raise self.fail(token.start, f"error parsing number: {wrong}")
        return value

    def duration(self, token: Token) -> int:
        """Milliseconds. Raises QueryError."""
        try:
            found = parse_duration(token.text)
        except ValueError as error:
            raise self.fail(token.start, str(error)) from None
        if not found:
            raise self.fail(token.start, "duration must be greater than 0")
        return found


def _read_whole(text: str) -> float | None:
    """A hexadecimal or octal number, as far as 64 bits hold it. Raises ValueError."""
    if "x" in text:
        if (value := int(text, 16)) < 2**63:
            return float(value)
        raise ValueError(text)
    octal = re.fullmatch("0[0-7]{1,21}", text)
    return float(int(text, 8)) if octal and int(text, 8) < 2**63 else None
