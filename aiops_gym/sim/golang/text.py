"""Values as Go's fmt package prints them."""

from __future__ import annotations

from textwrap import fill

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.types import Json


def display(value: Json) -> str:
    """A value as `fmt.Sprint` prints it.

    >>> display({"b": [1, "x"], "a": None})
    'map[a:<nil> b:[1 x]]'
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, dict):
        return "map[" + " ".join(f"{name}:{display(value[name])}" for name in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(display, value)) + "]"
    return str(value)


def go_float(value: float) -> str:
    """A float as `%v` prints it.

    >>> go_float(1.5), go_float(1e21), go_float(2.0)
    ('1.5', '1e+21', '2')
    """
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    return f"{mantissa}e{exponent[0]}{exponent[1:].zfill(2)}"


def syntax(value: Json) -> str:
    """A value as `%#v` prints it.

    >>> syntax({"a": ["x", 1, None]})
    'map[string]interface {}{"a":[]interface {}{"x", 1, interface {}(nil)}}'
    """
    if isinstance(value, dict):
        inner = ", ".join(f"{go_quote(name)}:{syntax(value[name])}" for name in sorted(value))
        return "map[string]interface {}{" + inner + "}"
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(map(syntax, value)) + "}"
    if value is None:
        return "interface {}(nil)"
    return go_quote(value) if isinstance(value, str) else display(value)


def fold(text: str, width: int, margin: int) -> str:
    """Lines no longer than a width, each behind a margin, as go-wordwrap breaks them: at blanks, never inside a word.

    >>> fold("one two-three four\\n", 8, 1)
    ' one\\n two-three\\n four\\n '
    """
    blank = " " * margin
    return "\n".join(
        fill(line, width, initial_indent=blank, subsequent_indent=blank, break_long_words=False, break_on_hyphens=False)
        or blank
        for line in text.split("\n")
    )
