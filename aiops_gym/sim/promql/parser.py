"""Reads a query, and says in Prometheus' words where it cannot be read.

A parser of our own: a kept one exists (`promql-parser`), but its errors have no place and other words, it takes what
Prometheus 2.47 does not know, and a query of some hundred thousand brackets ends the whole process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from aiops_gym import caches
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.promql.check import check
from aiops_gym.sim.promql.golang import print_float
from aiops_gym.sim.promql.lexer import AGGREGATIONS, BOUNDS, KEYWORDS, Token, unquote
from aiops_gym.sim.promql.nodes import (
    COMPARISONS,
    Aggregation,
    Binary,
    Call,
    Matching,
    Node,
    Number,
    Paren,
    Selector,
    Shifted,
    Subquery,
    Text,
    Unary,
)
from aiops_gym.sim.promql.patterns import compile_matcher
from aiops_gym.sim.promql.series import Matcher
from aiops_gym.sim.promql.signatures import SIGNATURES
from aiops_gym.sim.promql.words import DEEPEST, TOO_DEEP, Words

PRECEDENCE = {"or": 1, "and": 2, "unless": 2} | dict.fromkeys(COMPARISONS, 3) | {"+": 4, "-": 4}
PRECEDENCE |= {"*": 5, "/": 5, "%": 5, "atan2": 5, "^": 6}
SIGN = 5
"""How tightly a sign before an expression binds."""

_NAMES = ("identifier", "metric", *AGGREGATIONS, "and", "or", "unless", "by", "without", "offset", *BOUNDS)
_BEGIN = (*_NAMES, "number", "string", "(", "{", "+", "-")
"""What an expression begins with."""

_WITH_PARAMETER = ("topk", "bottomk", "quantile", "count_values")


SHORT = 1_000
"""Characters of a query whose parts are kept."""


def parse(query: str) -> Node:
    """The parts of a query, which fit together. Raises QueryError."""
    return _parse_short(query) if len(query) <= SHORT else _parse(query)


def _parse(query: str) -> Node:
    parser = _Parser(query)
    node = parser.read_all()
    check(query, node)
    return node


_parse_short = caches.function(512, "parsing a query again")(_parse)
"""Rules and dashboards ask the same all the time."""


def parse_selector(text: str) -> Sequence[Matcher]:
    """The matchers of a selector with nothing around it. Raises QueryError."""
    parser = _Parser(text)
    if parser.next.kind == "eof":
        raise parser.fail(0, "no expression found in input")
    if parser.next.kind not in (*_NAMES, "{"):
        raise parser.unexpected()
    token = parser.next
    node = parser.selector(token, "" if token.kind == "{" else parser.take().text)
    if parser.next.kind != "eof":
        raise parser.unexpected()
    return node.matchers


class _Parser(Words):
    """A method for each kind of part."""

    def read_all(self) -> Node:
        if self.next.kind == "eof":
            raise self.fail(0, "no expression found in input")
        node = self.expression(0)
        if self.next.kind != "eof":
            raise self.unexpected()
        return node

    def expression(self, least: int) -> Node:
        """Operators that bind as tightly as `least`, or more tightly."""
        self.levels += 1
        if self.levels > DEEPEST:
            raise self.fail(0, TOO_DEEP)
        node = self.signed()
        while (binds := PRECEDENCE.get(self.next.kind, 0)) and binds >= max(least, 1):
            op = self.take().kind
            returns_bool, matching = self.modifiers()
            right = self.expression(binds if op == "^" else binds + 1)
            node = Binary(
                start=node.start,
                end=right.end,
                depth=self.deeper(node, right),
                op=op,
                left=node,
                right=right,
                matching=matching,
                returns_bool=returns_bool,
            )
        self.levels -= 1
        return node

    def signed(self) -> Node:
        if self.next.kind not in ("+", "-"):
            return self.shifted(self.primary())
        sign = self.take()
        inner = self.expression(SIGN + 1)
        if isinstance(inner, Number):
            return replace(inner, value=-inner.value if sign.kind == "-" else inner.value, start=sign.start)
        return Unary(start=sign.start, end=inner.end, depth=self.deeper(inner), op=sign.kind, inner=inner)

    def modifiers(self) -> tuple[bool, Matching]:
        returns_bool = self.next.kind == "bool" and bool(self.take())
        if self.next.kind not in ("on", "ignoring"):
            return returns_bool, Matching()
        on = self.take().kind == "on"
        labels, group, include = self.grouping(), "", list[str]()
        if self.next.kind in ("group_left", "group_right"):
            group = self.take().kind
            if self.next.kind == "(":
                include = self.grouping()
            elif self.next.kind not in _BEGIN:
                raise self.unexpected("grouping opts", '"("')
        return returns_bool, Matching(on=on, labels=labels, group=group, include=include)

    def grouping(self) -> list[str]:
        """`(a, b)`."""
        self.want("(", "grouping opts", '"("')
        labels = list[str]()
        while self.next.kind != ")":
            name = self.next
            if not (name.kind in KEYWORDS or name.kind in ("identifier", "metric")) or ":" in name.text:
                raise self.unexpected("grouping opts", "label")
            labels.append(self.take().text)
            if self.next.kind not in (",", ")"):
                raise self.unexpected("grouping opts", '"," or ")"')
            if self.next.kind == ",":
                self.take()
        self.take()
        return labels

    def primary(self) -> Node:
        token = self.next
        if token.kind == "number":
            return Number(start=token.start, end=token.end, value=self.number(self.take()))
        if token.kind == "string":
            self.take()
            return Text(start=token.start, end=token.end, value=unquote(token.text))
        if token.kind == "(":
            self.take()
            inner = self.expression(0)
            close = self.want(")")
            return Paren(start=token.start, end=close.end, depth=self.deeper(inner), inner=inner)
        if token.kind == "{":
            return self.selector(token, "")
        if token.kind not in _NAMES:
            raise self.unexpected()
        self.take()
        if token.kind in AGGREGATIONS and self.next.kind in ("(", "by", "without"):
            return self.aggregation(token)
        if token.kind == "identifier" and self.next.kind == "(":
            return self.call(token)
        return self.selector(token, token.text)

    def selector(self, token: Token, name: str) -> Selector:
        matchers = self.braces() if self.next.kind == "{" else []
        end = self.last.end
        if name:
            matchers.append(Matcher("__name__", "=", name))
        return Selector(start=token.start, end=end, name=name, matchers=matchers)

    def braces(self) -> list[Matcher]:
        self.take()
        matchers = list[Matcher]()
        while self.next.kind != "}":
            matchers.append(self.matcher())
            if self.next.kind not in (",", "}"):
                raise self.unexpected("label matching", '"," or "}"')
            if self.next.kind == ",":
                self.take()
        self.take()
        return matchers

    def matcher(self) -> Matcher:
        label = self.want("identifier", "label matching", 'identifier or "}"')
        if self.next.kind not in ("=", "!=", "=~", "!~"):
            raise self.unexpected("label matching", "label matching operator")
        op = self.take().kind
        value = self.want("string", "label matching", "string")
        found = Matcher(label.text, op, unquote(value.text))
        try:
            compile_matcher(found)
        except RegexError as error:
            raise self.fail(label.start, str(error)) from None
        return found

    def arguments(self) -> list[Node]:
        self.want("(")
        found = list[Node]()
        while self.next.kind != ")":
            found.append(self.expression(0))
            if self.next.kind not in (",", ")"):
                raise self.unexpected()
            if self.next.kind == "," and self.take() and self.next.kind not in _BEGIN:
                raise self.fail(self.last.start, "trailing commas not allowed in function call args")
        self.take()
        return found

    def aggregation(self, token: Token) -> Node:
        self.aggregations += 1
        modifier: tuple[str, Sequence[str]] = ("by", ())
        before = self.next.kind != "("
        if before:
            modifier = self.take().kind, self.grouping()
        arguments = self.arguments()
        end = self.last.end
        if not before and self.next.kind in ("by", "without"):
            modifier = self.take().kind, self.grouping()
            end = self.last.end
        self.aggregations -= 1
        wanted = 1 + (token.kind in _WITH_PARAMETER)
        if not arguments:
            raise self.fail(token.start, "no arguments for aggregate expression provided")
        if len(arguments) != wanted:
            words = "wrong number of arguments for aggregate expression provided"
            raise self.fail(token.start, f"{words}, expected {wanted}, got {len(arguments)}")
        return Aggregation(
            start=token.start,
            end=end,
            depth=self.deeper(*arguments),
            op=token.kind,
            inner=arguments[-1],
            parameter=arguments[0] if wanted > 1 else None,
            without=modifier[0] == "without",
            labels=modifier[1],
        )

    def call(self, token: Token) -> Node:
        arguments = self.arguments()
        if token.text not in SIGNATURES:
            raise self.fail(token.start, f"unknown function with name {go_quote(token.text)}")
        returns = SIGNATURES[token.text].returns
        depth = self.deeper(*arguments)
        end = self.last.end
        return Call(start=token.start, end=end, depth=depth, name=token.text, arguments=arguments, returns=returns)

    def shifted(self, node: Node) -> Node:
        """What follows an expression: `[5m]`, `offset`, `@`."""
        while self.next.kind in ("[", "offset", "@"):
            if self.next.kind == "[":
                node = self.ranged(node)
            else:
                node = self.offset(node) if self.next.kind == "offset" else self.at(node)
        return node

    def ranged(self, node: Node) -> Node:
        bracket = self.take()
        length = self.duration(self.want("duration", "subquery selector", "duration"))
        if self.next.kind == ":":
            return self.subquery(node, length)
        self.want("]", "subquery or range", '":" or "]"')
        wrong = ""
        if not isinstance(node, Selector) or node.range:
            wrong = "ranges only allowed for vector selectors"
        elif node.offset or node.at is not None:
            wrong = f"no {'offset' if node.offset else '@'} modifiers allowed before range"
        if wrong or not isinstance(node, Selector):
            raise self.fail(bracket.start, wrong)
        return replace(node, range=length, end=self.last.end)

    def subquery(self, node: Node, length: int) -> Node:
        self.take()
        step = 0
        if self.next.kind == "duration":
            step = self.duration(self.take())
            self.want("]", "subquery selector", '"]"')
        else:
            self.want("]", "subquery selector", 'duration or "]"')
        end, depth = self.last.end, self.deeper(node)
        return Subquery(start=node.start, end=end, depth=depth, inner=node, range=length, step=step)

    def offset(self, node: Node) -> Node:
        self.take()
        sign = -1 if self.next.kind == "-" and self.take() else 1
        length = sign * self.duration(self.want("duration", "offset", "duration"))
        if not isinstance(node, Shifted):
            raise self.fail(node.start, f"offset modifier {_PRECEDED}")
        if node.offset:
            raise self.fail(node.start, "offset may not be set multiple times")
        return replace(node, offset=length, end=self.last.end)

    def at(self, node: Node) -> Node:
        self.take()
        if self.next.kind in BOUNDS:
            at: int | str = self.take().kind
            self.want("(", "@", "timestamp")
            self.want(")", "@", "timestamp")
        else:
            sign = -1 if self.next.kind in ("+", "-") and self.take().kind == "-" else 1
            at = self.moment(node, sign * self.number(self.want("number", "@", "timestamp")))
        if not isinstance(node, Shifted):
            raise self.fail(node.start, f"@ modifier {_PRECEDED}")
        if node.at is not None:
            raise self.fail(node.start, "@ <timestamp> may not be set multiple times")
        return replace(node, at=at, end=self.last.end)

    def moment(self, node: Node, seconds: float) -> int:
        """Milliseconds; what is further away than any sample can be is brought nearer."""
        if isinstance(node, Shifted) and not abs(seconds) < 2**63:
            shown = f"{seconds:f}" if math.isfinite(seconds) else print_float(seconds)
            raise self.fail(node.start, f"timestamp out of bounds for @ modifier: {shown}")
        if not isinstance(node, Shifted):
            return 0
        return math.floor(min(abs(seconds), 1e13) * 1000 + 0.5) * (1 if seconds > 0 else -1)


_PRECEDED = "must be preceded by an instant vector selector or range vector selector or a subquery"
