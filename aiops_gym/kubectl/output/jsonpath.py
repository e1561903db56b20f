r"""kubectl's JSONPath templates: text with `{.path}` actions, `{range .items[*]}...{end}`, filters and unions.

Not RFC 9535: names may hold `-` and `/`, dots in names are escaped with `\.`, a missing field is empty.

>>> template = parse("{range .items[*]}{.name}{'\\t'}{.labels.app\\.io/x}{'\\n'}{end}")
>>> template.render({"items": [{"name": "a", "labels": {"app.io/x": 1}}, {"name": "b"}]})
'a\t1\nb\t\n'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aiops_gym import caches
from aiops_gym.kubectl.output.as_json import format_compact
from aiops_gym.kubectl.output.jsonpath_parser import (
    DEEPEST,
    ArrayNode,
    FieldNode,
    FilterNode,
    JsonPathError,
    ListNode,
    Node,
    RecursiveNode,
    TextNode,
    UnionNode,
    ValueNode,
    WildcardNode,
    WordNode,
    parse_template,
)
from aiops_gym.sim.golang.text import display
from aiops_gym.types import Json

Values = list[Any]
Step = Callable[["Run", Values], Values]

MOST = 1_000_000
"""Values that one evaluation goes through; a program would have the memory of its host for them."""

__all__ = ["JsonPathError", "Template", "parse"]


class Template:
    """A parsed template; it may be run any number of times."""

    def __init__(self, root: ListNode) -> None:
        self.nodes = tuple(root.nodes)

    def find(self, data: Json, strict: bool = False) -> list[Values]:
        """The values of each action and text in turn. Raises JsonPathError."""
        return Run(strict).results(self.nodes, 0, data)

    def render(self, data: Json, strict: bool = False) -> str:
        """The text of the template for one object; `strict` makes a missing field an error."""
        return "".join([" ".join(map(_text, values)) for values in self.find(data, strict)])


@caches.function(512, "parsing a JSONPath template")
def parse(text: str) -> Template:
    """Parse a template. Raises JsonPathError with kubectl's words."""
    return Template(parse_template(text))


def _text(value: Json) -> str:
    return format_compact(value) if value is None or isinstance(value, dict | list) else display(value)


class Run:
    """One evaluation: the ranges that are open, as kubectl counts them."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.begin = self.inside = self.end = 0
        self.last_end: Node | None = None
        self.room = MOST

    def results(self, nodes: Sequence[Node], start: int, data: Json) -> list[Values]:
        """Evaluate the nodes from `start` on; returns at the `end` of the range it was called for."""
        current = [data]
        found: list[Values] = []
        at = start
        while at < len(nodes):
            node = nodes[at]
            at += 1
            values = self.walk(current, node)
            if 0 < self.end <= self.inside:
                self.end -= 1
                self.last_end = node
                break
            if not self.begin:
                found.append(values)
                continue
            self.begin -= 1
            self.inside += 1
            if self.inside > DEEPEST:
                raise JsonPathError("template is nested too deeply")
            self.last_end = None
            for value in values:
                found += self.results(nodes, at, value)
            if not values:
                self.results(nodes, at, None)
            self.inside -= 1
            at = next((k + 1 for k in range(at, len(nodes)) if nodes[k] is self.last_end), len(nodes))
        return found

    def walk(self, values: Values, node: Node) -> Values:
        """The values that one node makes of those before it. Raises JsonPathError."""
        found = self._walk(values, node)
        self._take(len(found) + 1)
        return found

    def _take(self, many: int) -> None:
        self.room -= many
        if self.room < 0:
            raise JsonPathError("runtime: out of memory")

    def _walk(self, values: Values, node: Node) -> Values:
        if isinstance(node, TextNode):
            return [node.text]
        if isinstance(node, ListNode):
            for inner in node.nodes:
                values = self.walk(values, inner)
            return values
        if isinstance(node, FieldNode):
            return self._field(values, node.name)
        if isinstance(node, ArrayNode):
            return _slices(values, node)
        if isinstance(node, WildcardNode):
            return self._gathered(map(_children, values))
        if isinstance(node, FilterNode):
            return self._gathered(self._filtered(value, node) for value in values)
        if isinstance(node, UnionNode):
            return [item for inner in node.nodes for item in self.walk(values, inner)]
        if isinstance(node, RecursiveNode):
            return self._gathered(_descendants([value]) for value in values)
        if isinstance(node, ValueNode):
            return [node.value] * len(values)
        return self._word(values, node)

    def _gathered(self, parts: Iterable[Values]) -> Values:
        """All values of some lists, unless they are too many."""
        found: Values = []
        for part in parts:
            found += part
            if len(found) > self.room:
                raise JsonPathError("runtime: out of memory")
        return found

    def _field(self, values: Values, name: str) -> Values:
        if not values:
            return []
        found = [value[name] for value in values if isinstance(value, dict) and name in value]
        if not found and self.strict:
            raise JsonPathError(f"{name} is not found")
        return found

    def _word(self, values: Values, node: WordNode) -> Values:
        if node.word == "range":
            self.begin += 1
            return values
        if node.word != "end":
            raise JsonPathError(f"unrecognized identifier {node.word}")
        if not self.inside:
            raise JsonPathError("not in range, nothing to end")
        self.end += 1
        return []

    def _filtered(self, value: Json, node: FilterNode) -> Values:
        if not isinstance(value, list):
            raise JsonPathError(f"{display(value)} is not array or slice and cannot be filtered")
        return [item for item in value if self._passes(item, node)]

    def _passes(self, item: Json, node: FilterNode) -> bool:
        if node.operator == "exists":
            try:
                return bool(self.walk([item], node.left))
            except JsonPathError:
                return False
        left = self.walk([item], node.left)
        if not left:
            return False
        if len(left) > 1:
            raise JsonPathError("can only compare one element at a time")
        right = self.walk([item], node.right)
        if len(right) != 1:
            raise JsonPathError("can only compare one element at a time")
        return compare(left[0], right[0], node.operator)


def _slices(values: Values, node: ArrayNode) -> Values:
    found: Values = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            raise JsonPathError(f"{go_type(value)} is not array or slice")
        size = len(value)
        start = node.start or 0
        start += size if start < 0 else 0
        stop = size if node.stop is None else node.stop
        if stop < 0 or (stop == 0 and node.derived and (node.start or 0) < 0):
            stop += size
        if start != stop:
            if start >= size or start < 0:
                raise JsonPathError(f"array index out of bounds: index {start}, length {size}")
            if stop > size or stop < 0:
                raise JsonPathError(f"array index out of bounds: index {stop - 1}, length {size}")
        if start > stop:
            raise JsonPathError(f"starting index {start} is greater than ending index {stop}")
        found += value[start : stop : node.step or 1]
    return found


def _children(value: Json) -> Values:
    if isinstance(value, dict):
        return [value[name] for name in sorted(value)]
    return value if isinstance(value, list) else []


def _descendants(values: Values) -> Values:
    found: Values = []
    for value in values:
        inner = _children(value)
        if inner or (value and isinstance(value, str)):
            found.append(value)
            found += _descendants(inner)
    return found


def compare(left: Json, right: Json, operator: str) -> bool:
    """A filter's comparison. Raises JsonPathError for kinds that do not compare."""
    kinds = _kind(left), _kind(right)
    if kinds[0] == "" or kinds[1] == "":
        raise JsonPathError("invalid type for comparison")
    if kinds[0] != kinds[1]:
        raise JsonPathError("incompatible types for comparison")
    if operator == "==":
        return bool(left == right)
    if operator == "!=":
        return bool(left != right)
    if operator not in ("<", ">", "<=", ">="):
        raise JsonPathError(f"unrecognized filter operator {operator}")
    if kinds[0] == "bool":
        raise JsonPathError("invalid type for comparison")
    if operator in ("<", ">="):
        return bool(left < right) == (operator == "<")
    return bool(left <= right) == (operator == "<=")


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "bool"
    for kind, name in ((int, "int"), (float, "float"), (str, "string")):
        if isinstance(value, kind):
            return name
    return ""


def go_type(value: Json) -> str:
    """Go's name for the type of a JSON value."""
    names = {"bool": "bool", "int": "int64", "float": "float64", "string": "string"}
    if isinstance(value, dict):
        return "map[string]interface {}"
    return names.get(_kind(value), "[]interface {}")
