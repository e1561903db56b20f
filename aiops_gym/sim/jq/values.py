"""Values of JSON as jq has them: their order, what is equal, how numbers are written, and texts of them.

Numbers are doubles. A whole one below 2^53 is an `int`; one that Python would write otherwise than jq is an `Odd`, so
that all others can be written by the library.
"""

from __future__ import annotations

import math
from typing import Any

import orjson

from aiops_gym.types import Json

EXACT = 1 << 53
"""Whole numbers up to here are exact in a double."""

DEEPEST = 256
"""Levels of a value that are written; jq prints no more."""

TOO_DEEP = "<skipped: too deep>"
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\b": "\\b",
    "\f": "\\f",
    "\x7f": "\\u007f",
}
_TYPES = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
_OPTIONS = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_STRICT_INTEGER


class Odd(float):
    """A number that is written by us: very large or very small, or none."""


def number(value: float) -> int | float:
    """A number in the one form that equal numbers share.

    >>> number(3.0), number(0.5), type(number(1e300)).__name__, number(2**60) == 2.0**60
    (3, 0.5, 'Odd', True)
    """
    if type(value) is int and -EXACT <= value <= EXACT:
        return value
    try:
        value = float(value)
    except OverflowError:
        return Odd(math.inf if value > 0 else -math.inf)
    if value.is_integer() and -EXACT <= value <= EXACT:
        return int(value) if value or math.copysign(1.0, value) > 0 else Odd(-0.0)
    return value if 1e-4 <= abs(value) < EXACT else Odd(value)


def kind(value: Json) -> str:
    """The name of a value's type."""
    return _TYPES.get(type(value)) or ("object" if isinstance(value, dict) else "number")


def write_number(value: float) -> str:
    """A number as jq 1.6 writes it: the shortest digits that read back as the same.

    >>> [write_number(each) for each in (1.5e16, 1e17, 3e-05, 0.25, float("inf"), float("nan"), 10**18)]
    ['15000000000000000', '1e+17', '3e-05', '0.25', '1.7976931348623157e+308', 'null', '1e+18']
    """
    if type(value) is int and -EXACT <= value <= EXACT:
        return str(value)
    value = float(value)
    if math.isnan(value):
        return "null"
    if math.isinf(value):
        return "1.7976931348623157e+308" if value > 0 else "-1.7976931348623157e+308"
    mantissa, _, power = f"{value:.16e}".partition("e") if not value else _shortest(value)
    sign = "-" if mantissa[0] == "-" else ""
    digits = mantissa.lstrip("-").replace(".", "").rstrip("0") or "0"
    point = int(power) + 1
    if not value:
        return f"{sign}0"
    if point <= -5 + 1 or point > len(digits) + 15:
        exponent = point - 1
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _shortest(value: float) -> tuple[str, str, str]:
    for places in range(17):
        text = f"{value:.{places}e}"
        if float(text) == value:
            return text.partition("e")
    return f"{value:.16e}".partition("e")


def _fragment(value: Any) -> orjson.Fragment:
    if isinstance(value, float):
        return orjson.Fragment(write_number(value))
    raise TypeError


def write(value: Json, indent: int | None = None, tab: bool = False, sort: bool = False) -> str:
    """JSON as jq writes it, in one line or over many.

    >>> write({"b": [1, "é"], "a": {}}), write([1], indent=2)
    ('{"b":[1,"é"],"a":{}}', '[\\n  1\\n]')
    """
    if indent in (None, 2) and not tab:
        options = _OPTIONS | (orjson.OPT_SORT_KEYS if sort else 0) | (orjson.OPT_INDENT_2 if indent else 0)
        try:
            text = orjson.dumps(value, default=_fragment, option=options).decode()
        except TypeError:  # deeper than the library goes, a number above 2^53, or half a character
            pass
        else:
            return text.replace("\x7f", "\\u007f") if "\x7f" in text else text
    parts = list[str]()
    _write(parts, value, "\t" if tab else " " * (indent or 0), 0, sort)
    return "".join(parts)


def _write(parts: list[str], value: Json, unit: str, depth: int, sort: bool) -> None:
    if depth > DEEPEST:
        parts.append(TOO_DEEP)
    elif isinstance(value, str):
        parts.append(write_text(value))
    elif isinstance(value, list | dict) and value:
        line, comma = (f"\n{unit * (depth + 1)}", ",") if unit else ("", ",")
        pairs = isinstance(value, dict)
        parts.append("{" if pairs else "[")
        for index, each in enumerate(sorted(value) if pairs and sort else value):
            parts.append((comma if index else "") + line)
            if isinstance(value, dict):
                parts.append(write_text(each) + (": " if unit else ":"))
                each = value[each]  # noqa: PLW2901
            _write(parts, each, unit, depth + 1, sort)
        parts.append((f"\n{unit * depth}" if unit else "") + ("}" if pairs else "]"))
    elif isinstance(value, list | dict):
        parts.append("{}" if isinstance(value, dict) else "[]")
    elif value is None or isinstance(value, bool):
        parts.append({None: "null", True: "true", False: "false"}[value])
    else:
        parts.append(write_number(value))


def write_text(text: str) -> str:
    """A JSON string; characters other than controls stay as they are."""
    found = [_ESCAPES.get(c) or (c if c >= " " else f"\\u{ord(c):04x}") for c in text]
    return f'"{"".join(found)}"'


def equal(a: Json, b: Json) -> bool:
    """Whether two values are the same; true is not 1."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(equal(each, b[key]) for key, each in a.items())
    if isinstance(b, list | dict):
        return False
    return isinstance(a, bool) is isinstance(b, bool) and bool(a == b)


def sort_key(value: Json) -> tuple[Any, ...]:
    """What Python compares as jq compares values: null, false, true, numbers, texts, arrays, objects."""
    if isinstance(value, str):
        return (5, value)
    if value is None or isinstance(value, bool):
        return ({None: 0, False: 1, True: 2}[value],)
    if isinstance(value, list):
        return (6, [sort_key(each) for each in value])
    if isinstance(value, dict):
        names = sorted(value)
        return (7, names, [sort_key(value[name]) for name in names])
    return (4, value) if value == value else (3,)  # noqa: PLR0124


def shown(value: Json, room: int = 14) -> str:
    """A value in an error message: its JSON, cut as jq's buffer of so many bytes cuts it.

    >>> shown("quite a long text"), shown([1])
    ('"quite a lo...', '[1]')
    """
    data = write(value).encode(errors="replace")
    if len(data) <= room:
        return data.decode()
    return data[: room - 3].decode(errors="ignore") + "..."


def told(value: Json) -> str:
    """The type of a value, and the value, as error messages say them."""
    return f"{kind(value)} ({shown(value)})"


def is_true(value: Json) -> bool:
    """All but null and false."""
    return value is not None and value is not False


def weigh(values: Any, most: int) -> int:
    """How many scalars and containers a value holds, those that it shares counted each time; at most about `most`."""
    found, left = 0, [values]
    while left and found <= most:
        value = left.pop()
        found += 1
        if isinstance(value, list | dict):
            left += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str):
            found += len(value) >> 4
    return found
