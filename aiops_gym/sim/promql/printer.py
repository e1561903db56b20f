"""Writes a query out again, in one line or laid out over several."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql.durations import print_duration
from aiops_gym.sim.promql.golang import print_number
from aiops_gym.sim.promql.nodes import (
    Aggregation,
    Binary,
    Call,
    Node,
    Number,
    Paren,
    Selector,
    Shifted,
    Subquery,
    Text,
    Unary,
)

LONGEST = 100
"""Bytes in a line before it is broken."""


def print_query(node: Node) -> str:
    """In one line."""
    if isinstance(node, Number):
        return print_number(node.value)
    if isinstance(node, Text):
        return go_quote(node.value)
    if isinstance(node, Paren):
        return f"({print_query(node.inner)})"
    if isinstance(node, Unary):
        return f"{node.op}{print_query(node.inner)}"
    if isinstance(node, Selector):
        return _selector(node)
    if isinstance(node, Subquery):
        return print_query(node.inner) + _subquery(node)
    if isinstance(node, Binary):
        return f"{print_query(node.left)} {node.op}{_matching(node)} {print_query(node.right)}"
    if isinstance(node, Aggregation):
        return f"{_head(node)}({', '.join(map(print_query, _arguments(node)))})"
    assert isinstance(node, Call)  # there is no other
    return f"{node.name}({', '.join(map(print_query, node.arguments))})"


def _shift(node: Shifted) -> str:
    at = ""
    if node.at is not None:
        at = f" @ {node.at / 1000:.3f}" if isinstance(node.at, int) else f" @ {node.at}()"
    offset = f" offset {'-' if node.offset < 0 else ''}{print_duration(abs(node.offset))}" if node.offset else ""
    return at + offset


def _selector(node: Selector) -> str:
    shown = [f"{m.label}{m.op}{go_quote(m.value)}" for m in node.matchers if not (node.name and m.label == "__name__")]
    braces = "{" + ",".join(sorted(shown)) + "}" if shown or not node.name else ""
    length = f"[{print_duration(node.range)}]" if node.range else ""
    return f"{node.name}{braces}{length}{_shift(node)}"


def _subquery(node: Subquery) -> str:
    step = print_duration(node.step) if node.step else ""
    return f"[{print_duration(node.range)}:{step}]{_shift(node)}"


def _matching(node: Binary) -> str:
    """What stands between an operator and its right side."""
    found, matching = " bool" if node.returns_bool else "", node.matching
    between = node.left.type == node.right.type == "vector"
    if between and (matching.labels or matching.on):
        found += f" {'on' if matching.on else 'ignoring'} ({', '.join(matching.labels)})"
        if matching.group:
            found += f" {matching.group} ({', '.join(matching.include)})"
    return found


def _head(node: Aggregation) -> str:
    if node.without:
        return f"{node.op} without ({', '.join(node.labels)}) "
    return f"{node.op} by ({', '.join(node.labels)}) " if node.labels else node.op


def _arguments(node: Aggregation) -> Sequence[Node]:
    return (node.inner,) if node.parameter is None else (node.parameter, node.inner)


def print_pretty(node: Node, level: int = 0) -> str:
    """Over several lines where one would be too long."""
    indent, line = "  " * level, print_query(node)
    if len(line.encode()) <= LONGEST:
        return indent + line
    if isinstance(node, Paren):
        return f"{indent}(\n{print_pretty(node.inner, level + 1)}\n{indent})"
    if isinstance(node, Unary):
        return f"{indent}{node.op}{print_pretty(node.inner, level).strip()}"
    if isinstance(node, Subquery):
        return print_pretty(node.inner, level) + _subquery(node)
    if isinstance(node, Binary):
        left, right = (print_pretty(each, level + 1) for each in (node.left, node.right))
        return f"{left}\n{indent}{node.op}{_matching(node)}\n{right}"
    if isinstance(node, Aggregation | Call):
        head, inner = (node.name, node.arguments) if isinstance(node, Call) else (_head(node), _arguments(node))
        body = ",\n".join(print_pretty(each, level + 1) for each in inner)
        return f"{indent}{head}(\n{body}\n{indent})"
    return indent + line
