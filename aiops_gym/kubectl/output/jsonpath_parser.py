"""The grammar of kubectl's JSONPath templates, with its error texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from aiops_gym.sim.golang.literals import unquote


class JsonPathError(Exception):
    """A template that kubectl refuses, or one that does not fit the object."""


@dataclass(slots=True, eq=False)
class TextNode:
    """Text outside of actions, or a quoted string in one."""

    text: str


@dataclass(slots=True, eq=False)
class FieldNode:
    """`.name`"""

    name: str


@dataclass(slots=True, eq=False)
class ArrayNode:
    """`[start:stop:step]`; `derived` marks a single index, whose stop follows from its start."""

    start: int | None
    stop: int | None
    step: int | None
    derived: bool


@dataclass(slots=True, eq=False)
class WildcardNode:
    """`.*`"""


@dataclass(slots=True, eq=False)
class RecursiveNode:
    """`..`"""


@dataclass(slots=True, eq=False)
class ValueNode:
    """A number or a bool."""

    value: Any


@dataclass(slots=True, eq=False)
class WordNode:
    """`range`, `end`, or a word that means nothing."""

    word: str


@dataclass(slots=True, eq=False)
class ListNode:
    """One action: its parts in order."""

    nodes: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class UnionNode:
    """`[a,b]`"""

    nodes: list[ListNode]


@dataclass(slots=True, eq=False)
class FilterNode:
    """`[?(left operator right)]`; `exists` has no right side."""

    left: ListNode
    right: ListNode
    operator: str


Node = (
    TextNode
    | FieldNode
    | ArrayNode
    | WildcardNode
    | RecursiveNode
    | ValueNode
    | WordNode
    | ListNode
    | UnionNode
    | FilterNode
)

_ENDS: Final = frozenset(" \t\r\n.,[]$@{}")
_KEY: Final = re.compile(r"'([^']*)'\Z")
_SLICE: Final = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?\Z", re.ASCII)
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)\Z")
DEEPEST: Final = 64
"""Templates inside one another: Go has no limit, and Python would run out of stack."""


def parse_template(text: str, depth: int = 0) -> ListNode:
    """Parse a whole template. Raises JsonPathError."""
    if depth > DEEPEST:
        raise JsonPathError("template is nested too deeply")
    return _Parser(text, depth).template()


class _Parser:
    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.at = 0
        self.depth = depth

    def template(self) -> ListNode:
        root = ListNode()
        while self.at < len(self.text):
            brace = self.text.find("{", self.at)
            plain = self.text[self.at : brace] if brace >= 0 else self.text[self.at :]
            if plain:
                root.nodes.append(TextNode(plain))
            if brace < 0:
                break
            self.at = brace + 1
            action = ListNode()
            root.nodes.append(action)
            self._action(action.nodes)
        return root

    def _action(self, nodes: list[Node]) -> None:
        while True:
            rest = self.text[self.at : self.at + 3]
            if rest.startswith("}"):
                self.at += 1
                return
            if rest == "[?(":
                nodes.append(self._filter())
            elif rest.startswith(".."):
                self._recursive(nodes)
            else:
                self._part(nodes)

    def _part(self, nodes: list[Node]) -> None:
        char = self.text[self.at : self.at + 1]
        if char in ("", "\r", "\n"):
            raise JsonPathError("unclosed action")
        if char in " @$":
            self.at += 1
        elif char == "[":
            self._array(nodes)
        elif char in "\"'":
            nodes.append(TextNode(self._quoted(char)))
        elif char == ".":
            self.at += 1
            nodes.append(self._field())
        elif char in "+-" or char.isdigit():
            nodes.append(self._number())
        elif char == "_" or char.isalpha():
            nodes.append(self._identifier())
        else:
            raise JsonPathError(f"unrecognized character in action: U+{ord(char):04X} '{char}'")

    def _field(self) -> Node:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in _ENDS:
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at = min(self.at, len(self.text))
        name = self.text[start : self.at]
        return WildcardNode() if name == "*" else FieldNode(name.replace("\\", ""))

    def _identifier(self) -> Node:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in _ENDS:
            self.at += 1
        word = self.text[start : self.at]
        return ValueNode(word == "true") if word in ("true", "false") else WordNode(word)

    def _recursive(self, nodes: list[Node]) -> None:
        if nodes and isinstance(nodes[-1], RecursiveNode):
            raise JsonPathError("invalid multiple recursive descent")
        self.at += 2
        nodes.append(RecursiveNode())
        char = self.text[self.at : self.at + 1]
        if char == "_" or char.isalnum():
            nodes.append(self._field())

    def _number(self) -> Node:
        start = self.at
        self.at += self.text[self.at] in "+-"
        while self.at < len(self.text) and (self.text[self.at] == "." or self.text[self.at].isdigit()):
            self.at += 1
        digits = self.text[start : self.at]
        try:
            return ValueNode(int(digits))
        except ValueError:
            pass
        try:
            return ValueNode(float(digits))
        except ValueError:
            raise JsonPathError(f"cannot parse number {digits}") from None

    def _quoted(self, quote: str) -> str:
        start = self.at
        self.at += 1
        while True:
            char = self.text[self.at : self.at + 1]
            if char in ("", "\n"):
                raise JsonPathError("unterminated quoted string")
            self.at += 1
            if char == quote and self.text[self.at - 2] != "\\":
                break
        inner = self.text[start + 1 : self.at - 1]
        try:
            return unquote(inner, quote)
        except ValueError:
            raise JsonPathError(f"unquote string {self.text[start : self.at]} error invalid syntax") from None

    def _array(self, nodes: list[Node]) -> None:
        start = self.at + 1
        end = self.text.find("]", start)
        line = self.text.find("\n", start)
        if end < 0 or 0 <= line < end:
            raise JsonPathError("unterminated array")
        self.at = end + 1
        inside = self.text[start:end]
        parts = inside.split(",")
        if len(parts) > 1:
            nodes.append(UnionNode([self._inner(f"[{part.strip(' ')}]") for part in parts]))
            return
        quoted = _KEY.match(inside)
        if quoted:
            nodes += self._inner("." + quoted[1]).nodes
        else:
            nodes.append(_slice(":" if inside == "*" else inside))

    def _inner(self, text: str) -> ListNode:
        first = parse_template("{" + text + "}", self.depth + 1).nodes[0]
        return first if isinstance(first, ListNode) else ListNode([first])

    def _filter(self) -> Node:
        self.at += 3
        start = self.at
        quote = ""
        closed = False
        while True:
            char = self.text[self.at : self.at + 1]
            if char in ("", "\n"):
                raise JsonPathError("unterminated filter")
            self.at += 1
            if char in "\"'":
                if not quote:
                    quote = char
                elif char == quote and self.text[self.at - 2] != "\\":
                    closed = True
            elif char == ")" and bool(quote) == closed:
                break
        if self.text[self.at : self.at + 1] != "]":
            raise JsonPathError("unclosed array expect ]")
        inside = self.text[start : self.at - 1]
        self.at += 1
        sides = _COMPARISON.match(inside)
        if sides is None:
            return FilterNode(self._inner(inside), ListNode(), "exists")
        return FilterNode(self._inner(sides[1]), self._inner(sides[3]), sides[2])


def _slice(text: str) -> ArrayNode:
    found = _SLICE.match(text)
    if found is None:
        raise JsonPathError(f"invalid array index {text}")
    parts = [part if i == 0 or part is None else part[1:] for i, part in enumerate(found.groups())]
    for part in parts:
        if part == "-":
            raise JsonPathError("array index - is not a number")
    start, stop, step = (int(part) if part else None for part in parts)
    if found[2] is None:
        return ArrayNode(start, (start or 0) + 1, step, derived=True)
    return ArrayNode(start, stop, step, derived=False)
