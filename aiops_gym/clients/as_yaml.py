"""YAML as kubectl prints it: the choices of Go's yaml.v2 emitter, written straight to lines.

>>> print(text({"b": ["x", {"on": "yes", "n": ""}], "a": "one\\ntwo\\n", "c": {}}), end="")
a: |
  one
  two
b:
- x
- "n": ""
  "on": "yes"
c: {}
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import Final

from aiops_gym import caches
from aiops_gym.clients import yaml_scalar
from aiops_gym.clients.view import hide_managed_fields
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.types import Json

_TEXT: Final = caches.slot(f"{__name__}.text", "writing an object as YAML")
_LISTED: Final = caches.slot(f"{__name__}.item", "writing an object as YAML in a list")

LONGEST_KEY: Final = 128


def text(value: Json) -> str:
    """A document; the text of a stored object is kept in its memo, without its managedFields."""
    if isinstance(value, Obj):
        memo = value.memo
        found = memo.get(_TEXT)
        if found is None:
            found = memo[_TEXT] = _document(hide_managed_fields(value))
        return str(found)
    return _document(value)


def format_item(obj: Json) -> str:
    """An object as it stands among the items of a list."""
    if isinstance(obj, Obj):
        memo = obj.memo
        found = memo.get(_LISTED)
        if found is None:
            found = memo[_LISTED] = _item(hide_managed_fields(obj))
        return str(found)
    return _item(hide_managed_fields(obj))


def format_list(items: list[Json], managed: bool = False) -> str:
    """Objects as a `List`; `managed` keeps their managedFields."""
    write = _item if managed else format_item
    body = "items:\n" + "".join(map(write, items)) if items else "items: []\n"
    return f'apiVersion: v1\n{body}kind: List\nmetadata:\n  resourceVersion: ""\n'


def _document(value: Json) -> str:
    out: list[str] = []
    if isinstance(value, dict) and value:
        _mapping(value, 0, out, "")
    elif isinstance(value, list) and value:
        _sequence(value, 0, out, "")
    else:
        out.append(_leaf(value, 0, 2).lstrip(" ") + "\n")
    return "".join(out)


def _item(obj: Json) -> str:
    out: list[str] = []
    _sequence([obj], 0, out, "")
    return "".join(out)


def _mapping(value: dict[str, Json], indent: int, out: list[str], first: str) -> None:
    """Write the pairs of a mapping; `first` is what already stands on the line of the first one."""
    blanks = " " * indent
    lead = first
    for name in _sorted(tuple(value)) if len(value) > 1 else value:
        inner = value[name]
        key = yaml_scalar.format_key(name)
        if len(name) > LONGEST_KEY:
            out.append(f"{lead}? {key}\n")
            start = blanks + ":"
        else:
            start = f"{lead}{key}:"
        lead = blanks
        if isinstance(inner, dict) and inner:
            if len(name) > LONGEST_KEY:
                _mapping(inner, indent + 2, out, start + " ")
            else:
                out.append(start + "\n")
                _mapping(inner, indent + 2, out, " " * (indent + 2))
        elif isinstance(inner, list) and inner:
            out.append(start + "\n")
            _sequence(inner, indent, out, blanks)
        else:
            out.append(f"{start}{_leaf(inner, len(start), indent + 2)}\n")


def _sequence(value: list[Json], indent: int, out: list[str], first: str) -> None:
    blanks = " " * indent
    lead = first
    for inner in value:
        start = lead + "-"
        lead = blanks
        if isinstance(inner, dict) and inner:
            _mapping(inner, indent + 2, out, start + " ")
        elif isinstance(inner, list) and inner:
            _sequence(inner, indent + 2, out, start + " ")
        else:
            out.append(f"{start}{_leaf(inner, len(start), indent + 2)}\n")


def _leaf(value: Json, column: int, indent: int) -> str:
    """What follows a key or a dash on its line, with the blank before it."""
    if isinstance(value, str):
        return yaml_scalar.format_string(value, column, indent)
    if value is None:
        return " null"
    if isinstance(value, bool):
        return " true" if value else " false"
    if isinstance(value, int):
        return f" {value}"
    if isinstance(value, float):
        return " " + yaml_scalar.format_number(value)
    return " {}" if isinstance(value, dict) else " []"


@caches.function(4096, "sorting the keys of a mapping as yaml.v2 does")
def _sorted(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(names, key=cmp_to_key(compare)))


def compare(a: str, b: str) -> int:
    """Order of keys in yaml.v2: letters after everything else, digits by their number.

    >>> sorted(["item10", "item2", "a_b", "aB"], key=cmp_to_key(compare))
    ['a_b', 'aB', 'item2', 'item10']
    """
    for i in range(min(len(a), len(b))):
        x, y = a[i], b[i]
        if x == y:
            continue
        if x.isalpha() and y.isalpha():
            return -1 if x < y else 1
        if x.isalpha() or y.isalpha():
            return -1 if y.isalpha() else 1
        leading = int((x == "0" or y == "0") and _inside_number(a, i))
        m, m_end = _number(a, i, leading)
        n, n_end = _number(b, i, leading)
        if m != n:
            return -1 if m < n else 1
        if m_end != n_end:
            return -1 if m_end < n_end else 1
        return -1 if x < y else 1
    return (len(a) > len(b)) - (len(a) < len(b))


def _inside_number(text: str, at: int) -> bool:
    """Whether the digits just before a position are more than zeros."""
    at -= 1
    while at >= 0 and text[at].isdigit():
        if text[at] != "0":
            return True
        at -= 1
    return False


def _number(text: str, at: int, value: int) -> tuple[int, int]:
    while at < len(text) and text[at].isdecimal():
        value = value * 10 + int(text[at])
        at += 1
    return value, at
