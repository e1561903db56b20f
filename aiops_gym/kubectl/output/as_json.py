r"""JSON as kubectl prints it: sorted keys, four blanks, Go's escapes.

>>> print(text({"b": [1.0, {}], "a": "<&>"}), end="")
{
    "a": "\u003c\u0026\u003e",
    "b": [
        1,
        {}
    ]
}
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Final

import orjson

from aiops_gym import caches
from aiops_gym.clients.view import hide_managed_fields
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.types import Json

_TEXT: Final = caches.slot(f"{__name__}.text", "writing an object as JSON")
_ITEM: Final = caches.slot(f"{__name__}.item", "indenting an object's JSON for a list")

ITEM: Final = " " * 8
EXACT: Final = 2**53
"""Below this a float is exactly the number that its digits say."""

SMALL: Final = 1e-6
LARGE: Final = 1e21
_UNSAFE: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def text(value: Json) -> str:
    """A value with a newline at its end; the text of a stored object is kept in its memo, without its managedFields."""
    if isinstance(value, Obj):
        memo = value.memo
        found = memo.get(_TEXT)
        if found is None:
            found = memo[_TEXT] = _render(hide_managed_fields(value)) + "\n"
        return str(found)
    return _render(value) + "\n"


def format_item(obj: Json) -> str:
    """An object as it stands among the items of a list."""
    if isinstance(obj, Obj):
        memo = obj.memo
        found = memo.get(_ITEM)
        if found is None:
            found = memo[_ITEM] = _indented(text(obj)[:-1])
        return str(found)
    return _indented(_render(hide_managed_fields(obj)))


def format_list(items: list[Json], managed: bool = False) -> str:
    """Objects as a `List`; `managed` keeps their managedFields."""
    write = (lambda obj: _indented(_render(obj))) if managed else format_item
    head = '{\n    "apiVersion": "v1",\n    "items": ['
    body = "\n" + ",\n".join(map(write, items)) + "\n    ]" if items else "]"
    return f'{head}{body},\n    "kind": "List",\n    "metadata": {{\n        "resourceVersion": ""\n    }}\n}}\n'


def format_compact(value: Json) -> str:
    r"""One line without blanks, as Go marshals it.

    >>> format_compact({"b": 1, "a": "x<y"})
    '{"a":"x\\u003cy","b":1}'
    """
    return _escaped(orjson.dumps(_plain(value), option=orjson.OPT_SORT_KEYS).decode())


def format_line(value: Json) -> str:
    """One line without blanks, with the keys in the order they have."""
    return _escaped(orjson.dumps(_plain(value)).decode())


def format_in_order(value: Json) -> str:
    """A value as `text` writes it, with its keys in the order they have."""
    return _render(value, 0) + "\n"


def _render(value: Json, keys: int = orjson.OPT_SORT_KEYS) -> str:
    raw = orjson.dumps(_plain(value), option=orjson.OPT_INDENT_2 | keys).decode()
    return _escaped("\n".join([_blanks(line) + line for line in raw.split("\n")]))


def _blanks(line: str) -> str:
    """As many blanks as the line begins with."""
    return " " * (len(line) - len(line.lstrip(" ")))


def _indented(text: str) -> str:
    return ITEM + text.replace("\n", "\n" + ITEM)


def _escaped(text: str) -> str:
    for char, escape in _UNSAFE.items():
        if char in text:
            text = text.replace(char, escape)
    return text


def _plain(value: Json) -> Json:
    """Floats as Go writes them: whole ones are integers."""
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()} if _holds_float(value) else value
    return [_plain(inner) for inner in value] if isinstance(value, list) and _holds_float(value) else value


def _number(value: float) -> Json:
    """A float as Go's JSON writes it: with an exponent only when it is very large or very small."""
    if value.is_integer() and abs(value) < EXACT:
        return int(value)
    if not isfinite(value) or SMALL <= abs(value) < EXACT:
        return value
    if abs(value) < LARGE and abs(value) >= EXACT:
        return orjson.Fragment(format(Decimal(repr(value)), "f"))
    mantissa, _, exponent = repr(value).partition("e")
    return orjson.Fragment(f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0')}")


def _holds_float(value: Json) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_float, value.values()))
    if isinstance(value, list):
        return any(map(_holds_float, value))
    return isinstance(value, float)
