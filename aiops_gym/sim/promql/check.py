"""Whether the parts of a query fit together: types, numbers of arguments, how vectors are matched."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql.errors import make_parse_error
from aiops_gym.sim.promql.nodes import (
    COMPARISONS,
    SETS,
    TITLES,
    Aggregation,
    Binary,
    Call,
    Node,
    Paren,
    Selector,
    Subquery,
    Type,
    Unary,
)
from aiops_gym.sim.promql.patterns import compile_matcher
from aiops_gym.sim.promql.signatures import SIGNATURES

Complaint = tuple[int, str]
"""Where, and what is wrong."""


def check(query: str, node: Node) -> None:
    """Raises QueryError with the first thing that does not fit."""
    for at, text in _complain(query, node):
        raise make_parse_error(query, at, text)


def _complain(query: str, node: Node) -> Iterator[Complaint]:
    if isinstance(node, Aggregation):
        yield from _aggregation(query, node)
    elif isinstance(node, Binary):
        yield from _binary(query, node)
    elif isinstance(node, Call):
        yield from _call(query, node)
    elif isinstance(node, Selector):
        yield from _selector(node)
    elif isinstance(node, Paren | Unary | Subquery):
        yield from _complain(query, node.inner)
        kind = node.inner.type
        if isinstance(node, Unary) and kind not in ("scalar", "vector"):
            words = "unary expression only allowed on expressions of type scalar or instant vector, got"
            yield node.start, f"{words} {go_quote(TITLES[kind])}"
        if isinstance(node, Subquery) and kind != "vector":
            yield node.start, f"subquery is only allowed on instant vector, got {kind} instead"


def _expect(query: str, node: Node, wanted: Type, where: str) -> Iterator[Complaint]:
    yield from _complain(query, node)
    if node.type != wanted:
        yield node.start, f"expected type {TITLES[wanted]} in {where}, got {TITLES[node.type]}"


def _aggregation(query: str, node: Aggregation) -> Iterator[Complaint]:
    yield from _expect(query, node.inner, "vector", "aggregation expression")
    if node.parameter is not None:
        wanted: Type = "string" if node.op == "count_values" else "scalar"
        yield from _expect(query, node.parameter, wanted, "aggregation parameter")


def _binary(query: str, node: Binary) -> Iterator[Complaint]:
    yield from _complain(query, node.left)
    yield from _complain(query, node.right)
    left, right, matching = node.left.type, node.right.type, node.matching
    at = node.left.end
    while query[at : at + 1].isspace():
        at += 1
    if node.returns_bool and node.op not in COMPARISONS:
        yield at, "bool modifier can only be used on comparison operators"
    if node.op in COMPARISONS and not node.returns_bool and left == right == "scalar":
        yield at, "comparisons between scalars must use BOOL modifier"
    for label in matching.labels if matching.on else ():
        if label in matching.include:
            yield at, f"label {go_quote(label)} must not occur in ON and GROUP clause at once"
    for side in (node.left, node.right):
        if side.type not in ("scalar", "vector"):
            yield side.start, "binary expression must contain only scalar and instant vector types"
    if left != "vector" or right != "vector":
        if matching.labels:
            yield node.start, "vector matching only allowed between instant vectors"
    elif node.op in SETS and matching.group:
        yield node.start, f"no grouping allowed for {go_quote(node.op)} operation"
    if "scalar" in (left, right) and node.op in SETS:
        yield node.start, f"set operator {go_quote(node.op)} not allowed in binary scalar expression"


def _call(query: str, node: Call) -> Iterator[Complaint]:
    signature, many = SIGNATURES[node.name], len(node.arguments)
    most, wrong = len(signature.takes), ""
    least = most - (signature.optional != 0)
    if signature.optional == 0 and many != most:
        wrong = f"{most}"
    elif many < least:
        wrong = f"at least {least}"
    elif signature.optional > 0 and many > least + signature.optional:
        wrong = f"at most {least + signature.optional}"
    if wrong:
        yield node.start, f"expected {wrong} argument(s) in call to {go_quote(node.name)}, got {many}"
    for i, argument in enumerate(node.arguments):
        if i < most or signature.optional:
            wanted = signature.takes[min(i, most - 1)]
            yield from _expect(query, argument, wanted, f"call to function {go_quote(node.name)}")


def _selector(node: Selector) -> Iterator[Complaint]:
    if node.name:
        for matcher in node.matchers[:-1]:
            if matcher.label == "__name__":
                both = f"{go_quote(node.name)} or {go_quote(matcher.value)}"
                yield node.start, f"metric name must not be set twice: {both}"
    elif all(compile_matcher(matcher)("") for matcher in node.matchers):
        yield node.start, "vector selector must contain at least one non-empty matcher"
