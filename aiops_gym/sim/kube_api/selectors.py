"""Label and field selectors, as text and as objects (apimachinery `labels`, `fields`), with the parser's error texts.

>>> chosen = parse_labels("app in (geo, rate), tier!=db, !old")
>>> [chosen(l) for l in ({"app": "geo"}, {"app": "geo", "tier": "db"}, {"app": "rate", "old": "1"}, {})]
[True, False, False, False]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.kube_api.names import validate_label_value, validate_qualified_name
from aiops_gym.sim.kube_api.status import quote

Labels = Mapping[str, str]
Predicate = Callable[[Labels], bool]

_TOKEN = re.compile(r"\s*(?:(==|!=|[=!(),<>])|([^=!(),<>\s]+))")
SYMBOLS = frozenset(["==", "!=", "=", "!", "(", ")", ",", "<", ">"])
OPERATORS = "in, notin, =, ==, !=, gt, lt"


class Selector:
    """A parsed label selector; call it with labels.

    Attributes:
        requirements: (key, operator, values) as parsed, all of which must hold.
    """

    __slots__ = ("requirements",)

    def __init__(self, requirements: list[tuple[str, str, list[str]]]) -> None:
        self.requirements = requirements

    def __call__(self, labels: Labels) -> bool:
        return all(_holds(labels, *requirement) for requirement in self.requirements)

    @property
    def exact(self) -> dict[str, str]:
        """Labels that everything it selects carries, with their values."""
        return {key: values[0] for key, operator, values in self.requirements if operator == "in" and len(values) == 1}

    @property
    def empty(self) -> bool:
        """Whether it selects everything."""
        return not self.requirements


def _holds(labels: Labels, key: str, operator: str, values: list[str]) -> bool:
    value = labels.get(key)
    if operator == "in":
        return value is not None and value in values
    if operator == "notin":
        return value is None or value not in values
    if operator == "exists":
        return value is not None
    if operator == "!":
        return value is None
    if value is None or not re.fullmatch(r"[+-]?\d{1,18}", value):
        return False
    return int(value) > int(values[0]) if operator == "gt" else int(value) < int(values[0])


class _Parser:
    """Recursive descent over tokens, in the steps of the original so that its errors come out alike."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        position = 0
        while match := _TOKEN.match(text, position):
            self.tokens.append(match.group(1) or match.group(2))
            position = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def requirements(self) -> list[tuple[str, str, list[str]]]:
        found: list[tuple[str, str, list[str]]] = []
        while token := self.peek():
            if token in SYMBOLS and token != "!":
                raise ValueError(f"found '{token}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self.requirement())
            except ValueError as error:
                raise ValueError(f"unable to parse requirement: {error}") from None
            end = self.take()
            if end == ",":
                if self.peek() in SYMBOLS - {"!"} or not self.peek():
                    raise ValueError(f"found '{self.peek()}', expected: identifier after ','")
            elif end:
                raise ValueError(f"found '{end}', expected: ',' or 'end of string'")
        return found

    def requirement(self) -> tuple[str, str, list[str]]:
        token, absent = self.take(), False
        if token == "!":
            token, absent = self.take(), True
        if token in SYMBOLS or not token:
            raise ValueError(f"found '{token}', expected: identifier")
        _check("key", token, validate_qualified_name(token))
        if self.peek() in ("", ","):
            return token, "!" if absent else "exists", []
        operator = self.take()
        if operator in ("in", "notin"):
            values = self.values()
        elif operator in ("=", "==", "!=", "<", ">"):
            values = [self.value()]
            operator = {"!=": "notin", "<": "lt", ">": "gt"}.get(operator, "in")
        else:
            raise ValueError(f"found '{operator}', expected: {OPERATORS}")
        return token, operator, self.checked(token, operator, values)

    def value(self) -> str:
        if self.peek() in ("", ","):
            return ""
        token = self.take()
        if token in SYMBOLS:
            raise ValueError(f"found '{token}', expected: identifier")
        return token

    def values(self) -> list[str]:
        token = self.take()
        if token != "(":
            raise ValueError(f"found '{token}' expected: '('")
        found: list[str] = []
        while True:
            token = self.take()
            if token == ")":
                return sorted({*found, ""}) if found and self.tokens[self.at - 2] == "," else sorted(set(found))
            if token == ",":
                if not found or self.tokens[self.at - 2] == ",":
                    found.append("")
            elif token and token not in SYMBOLS:
                found.append(token)
                if self.peek() not in (",", ")"):
                    raise ValueError(f"found '{self.peek()}', expected: ',' or ')'")
            else:
                allowed = "',', or identifier" if found else "',', ')' or identifier"
                raise ValueError(f"found '{token}', expected: {allowed}")

    @staticmethod
    def checked(key: str, operator: str, values: list[str]) -> list[str]:
        if operator in ("gt", "lt"):
            if not re.fullmatch(r"[+-]?\d{1,18}", values[0]):
                why = "for 'Gt', 'Lt' operators, the value must be an integer"
                raise ValueError(f"values[0]: Invalid value: {quote(values[0])}: {why}")
            return values
        for index, value in enumerate(values):
            _check(f"values[{index}][{key}]", value, validate_label_value(value))
        return values


def _check(where: str, value: str, faults: list[str]) -> None:
    if faults:
        raise ValueError(f"{where}: Invalid value: {quote(value)}: {'; '.join(faults)}")


@caches.function(1024, "parsing a label selector")
def parse_labels(text: str) -> Selector:
    """A label selector from the text of `-l`. Raises ValueError with the parser's text."""
    return Selector(_Parser(text).requirements())


def of_object(selector: Mapping[str, Any] | None) -> Selector:
    """The selector in an object's `spec.selector` (`matchLabels`, `matchExpressions`); none selects nothing.

    >>> of_object({"matchLabels": {"app": "geo"}})({"app": "geo", "x": "y"}), of_object(None)({}), of_object({})({})
    (True, False, True)
    """
    if selector is None:
        return Selector([("\0", "exists", [])])
    found: list[tuple[str, str, list[str]]] = [
        (key, "in", [value]) for key, value in (selector.get("matchLabels") or {}).items()
    ]
    words = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
    for item in selector.get("matchExpressions") or ():
        found.append((item["key"], words.get(item["operator"], "exists"), list(item.get("values") or ())))
    return Selector(found)


def format_object(selector: Mapping[str, Any] | None) -> str:
    """A `spec.selector` as the SELECTOR column shows it.

    >>> format_object({"matchLabels": {"b": "1", "a": "2"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]})
    'a=2,b=1,c'
    """
    if selector is None:
        return "<none>"
    parts = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    for item in selector.get("matchExpressions") or ():
        key, values = item["key"], ",".join(sorted(item.get("values") or ()))
        forms = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "DoesNotExist": f"!{key}"}
        parts.append((key, forms.get(item["operator"], key)))
    return ",".join(text for _, text in sorted(parts)) or "<none>"


@caches.function(1024, "parsing a field selector")
def parse_fields(text: str) -> tuple[tuple[str, bool, str], ...]:
    r"""A field selector as (field, equal, value) terms, all of which must hold. Raises ValueError.

    >>> parse_fields(r"status.phase!=Running,metadata.name=a\,b")
    (('status.phase', False, 'Running'), ('metadata.name', True, 'a,b'))
    """
    found = []
    for term in re.findall(r"(?:[^,\\]|\\.|\\$)+", text):
        match = re.match(r"((?:[^=!\\]|\\.)*?)(==|!=|=)(.*)", term, re.DOTALL)
        if not match:
            raise ValueError(f"invalid selector: '{text}'; can't understand '{term}'")
        field, operator, value = match.groups()
        found.append((field, operator != "!=", _unescaped(value)))
    return tuple(found)


def _unescaped(value: str) -> str:
    for char in re.findall(r"\\(.?)", value):
        if char not in ("\\", ",", "="):
            raise ValueError(f"invalid field selector: invalid escape sequence: \\{char}")
    if re.search(r"(?<!\\)=", value):
        raise ValueError("invalid field selector: unescaped character in value: =")
    return re.sub(r"\\(.)", r"\1", value)
