"""What a query is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from aiops_gym.sim.promql.series import Matcher

Type = Literal["scalar", "vector", "matrix", "string"]
TITLES = {"scalar": "scalar", "vector": "instant vector", "matrix": "range vector", "string": "string"}
COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
SETS = ("and", "or", "unless")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A part of a query.

    Attributes:
        start, end: where it is written.
        depth: of the parts within parts.
    """

    start: int
    end: int
    depth: int = 1

    @property
    def type(self) -> Type:
        """What it gives."""
        return "vector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Node):
    """`1e3`."""

    value: float

    @property
    def type(self) -> Type:
        """A scalar."""
        return "scalar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Node):
    """`"a"`."""

    value: str

    @property
    def type(self) -> Type:
        """A string."""
        return "string"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shifted(Node):
    """What `offset` and `@` can follow.

    Attributes:
        offset: ms that it looks back.
        at: ms, `start`, `end`, or None.
    """

    offset: int = 0
    at: int | str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector(Shifted):
    """`name{a="b"}`; with a range it is `[5m]`, ms."""

    name: str
    matchers: Sequence[Matcher]
    range: int = 0

    @property
    def type(self) -> Type:
        """By its range."""
        return "matrix" if self.range else "vector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery(Shifted):
    """`expression[1h:5m]`; a step of 0 is the default."""

    inner: Node
    range: int
    step: int

    @property
    def type(self) -> Type:
        """A range vector."""
        return "matrix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paren(Node):
    """`(a)`."""

    inner: Node

    @property
    def type(self) -> Type:
        """As inside."""
        return self.inner.type


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Node):
    """`-a`."""

    op: str
    inner: Node

    @property
    def type(self) -> Type:
        """As inside."""
        return self.inner.type


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """How series of two vectors find each other: `on(a) group_left(b)`.

    Attributes:
        on: whether `labels` are those that count, not those that do not.
        group: `group_left`, `group_right`, or "".
        include: labels that are taken from the side of the one.
    """

    on: bool = False
    labels: Sequence[str] = ()
    group: str = ""
    include: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Node):
    """`a + b`."""

    op: str
    left: Node
    right: Node
    matching: Matching = field(default_factory=Matching)
    returns_bool: bool = False

    @property
    def type(self) -> Type:
        """A scalar of two scalars."""
        return "scalar" if self.left.type == self.right.type == "scalar" else "vector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation(Node):
    """`sum by (a) (b)`."""

    op: str
    inner: Node
    parameter: Node | None = None
    without: bool = False
    labels: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """`rate(a[5m])`."""

    name: str
    arguments: Sequence[Node]
    returns: Type

    @property
    def type(self) -> Type:
        """What the function returns."""
        return self.returns


def unwrap(node: Node) -> Node:
    """Without parentheses around it."""
    while isinstance(node, Paren):
        node = node.inner
    return node
