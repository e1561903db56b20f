"""The functions of Go templates: Go's own, and kubectl's `exists` and `base64decode`."""

from __future__ import annotations

import base64
import binascii
import html
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any, Final

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.golang.text import display, syntax
from aiops_gym.sim.kernel.digits import parse_natural

MISSING: Final = object()
"""What a field that is not there evaluates to."""


class TemplateError(Exception):
    """A template that does not parse or does not fit the object.

    Attributes:
        printed: what the template had given before.
    """

    printed = ""


def is_true(value: Any) -> bool:
    """Whether a value counts as true."""
    return value is not MISSING and bool(value)


def go_type(value: Any) -> str:
    """Go's name for the type of a value."""
    if isinstance(value, dict):
        return "map[string]interface {}"
    names = ((bool, "bool"), (int, "int64"), (float, "float64"), (str, "string"), (list, "[]interface {}"))
    return next((name for kind, name in names if isinstance(value, kind)), "interface {}")


def call(name: str, arguments: list[Any]) -> Any:
    """Call a function. Raises TemplateError."""
    function = FUNCTIONS.get(name)
    if function is None:
        raise TemplateError(f"function {go_quote(name)} not defined")
    try:
        return function(*arguments)
    except TemplateError as error:
        raise TemplateError(f"error calling {name}: {error}") from None
    except TypeError:
        raise TemplateError(f"wrong number of args for {name}: got {len(arguments)}") from None


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, list | str) and isinstance(key, int):
            if not 0 <= key < len(value):
                raise TemplateError(f"index out of range: {key}")
            value = value[key] if isinstance(value, list) else value.encode()[key]
        elif value is MISSING or value is None:
            raise TemplateError("index of untyped nil")
        else:
            raise TemplateError(f"can't index item of type {go_type(value)}")
    return value


def _length(value: Any) -> int:
    if isinstance(value, dict | list):
        return len(value)
    if isinstance(value, str):
        return len(value.encode())
    if value is MISSING or value is None:
        raise TemplateError("reflect: call of reflect.Value.Type on zero Value")
    raise TemplateError(f"len of type {go_type(value)}")


def _equal(first: Any, *others: Any) -> bool:
    if not others:
        raise TemplateError("missing argument for comparison")
    for other in others:
        if first is MISSING or other is MISSING or first is None or other is None:
            if (first in (None, MISSING)) == (other in (None, MISSING)):
                return True
            continue
        if go_type(first) != go_type(other):
            raise TemplateError("incompatible types for comparison")
        if first == other:
            return True
    return False


def _less(a: Any, b: Any) -> bool:
    if go_type(a) != go_type(b):
        raise TemplateError("incompatible types for comparison")
    if not isinstance(a, int | float | str) or isinstance(a, bool):
        raise TemplateError("invalid type for comparison")
    return bool(a < b)


def _slice(value: Any, *bounds: int) -> Any:
    if not isinstance(value, list | str):
        raise TemplateError(f"can't slice item of type {go_type(value)}")
    start, stop = (*bounds, 0)[0] if bounds else 0, bounds[1] if len(bounds) > 1 else len(value)
    if not 0 <= start <= stop <= len(value):
        raise TemplateError(f"index out of range: {stop if stop > len(value) else start}")
    return value[start:stop]


def _decoded(text: Any) -> str:
    try:
        return base64.b64decode(str(text), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise TemplateError(f"illegal base64 data in {go_quote(str(text))}") from None


def _exists(value: Any, *keys: Any) -> bool:
    try:
        return _index(value, *keys) is not MISSING
    except TemplateError:
        return False


_VERB: Final = re.compile(r"%([-+# 0]*)([0-9]+)?(?:\.([0-9]+))?([a-zA-Z%])")
WIDEST: Final = 1_000_000
"""Go reads no further digit of a width or a precision that is beyond this."""

LONGEST: Final = 16_000_000
"""Characters of one text; a program would have the memory of its host for it."""


def bounded(*texts: str, more: int = 0) -> None:
    """Refuse to make a text of these parts, and of so many characters more, that is too long. Raises TemplateError."""
    if sum(map(len, texts)) + more > LONGEST:
        raise TemplateError("runtime: out of memory")


def printf(pattern: str, *arguments: Any) -> str:
    """Go's Sprintf for the verbs that templates use.

    >>> printf("%-6s|%3d|%q|%v", "a", 7, "b", [1])
    'a     |  7|"b"|[1]'
    >>> printf("%1000000000d", 1)
    '%!(NOVERB)%!(EXTRA int64=1)'
    """
    pattern, cut = _readable(str(pattern))
    rest, size = list(arguments), 0

    def one(match: re.Match[str]) -> str:
        nonlocal size
        flags, width, precision, verb = match.groups()
        if verb == "%":
            return "%"
        if not rest:
            return f"%!{verb}(MISSING)"
        room, digits = int(width or 0), None if precision is None else int(precision)
        bounded(more=size + room + (digits or 0))
        text = _formatted(verb, flags, digits, rest.pop(0))
        if "-" in flags:
            text = text.ljust(room)
        else:
            text = text.zfill(room) if "0" in flags and verb != "s" else text.rjust(room)
        size += len(text)
        bounded(more=size)
        return text

    text = _VERB.sub(one, pattern) + cut
    extra = ", ".join(f"{go_type(value)}={display(value)}" for value in rest)
    return f"{text}%!(EXTRA {extra})" if rest else text


def _readable(pattern: str) -> tuple[str, str]:
    """A pattern up to the first number that is too large for Go, and what Go has in place of the rest."""
    for found in _VERB.finditer(pattern):
        if any((parse_natural((digits or "0")[:-1] or "0") or 0) > WIDEST for digits in (found[2], found[3])):
            return pattern[: found.start()], "%!(NOVERB)"
    return pattern, ""


def _formatted(verb: str, flags: str, precision: int | None, value: Any) -> str:
    shown = "<nil>" if value is MISSING or value is None else display(value)
    if verb == "v":
        return syntax(value) if "#" in flags else shown
    if verb == "s":
        if isinstance(value, int | float):
            return f"%!s({go_type(value)}={shown})"
        return shown if precision is None else shown[:precision]
    if verb == "q":
        return go_quote(shown)
    if verb == "T":
        return go_type(value)
    if verb in "dxXob" and isinstance(value, int) and not isinstance(value, bool):
        return format(value, verb)
    if verb in "fFeEgG" and isinstance(value, float):
        return f"{value:.{6 if precision is None else precision}{verb}}"
    if verb == "t" and isinstance(value, bool):
        return shown
    return f"%!{verb}({go_type(value)}={shown})"


def _spaced(*values: Any) -> str:
    """`print`: blanks between operands when neither is a string."""
    bounded(*(value for value in values if isinstance(value, str)))
    out = ""
    for at, value in enumerate(values):
        if at and not isinstance(value, str) and not isinstance(values[at - 1], str):
            out += " "
        out += display(value)
    return out


def _lined(*values: Any) -> str:
    """`println`: blanks between all operands, and the end of a line."""
    bounded(*(value for value in values if isinstance(value, str)))
    return " ".join(map(display, values)) + "\n"


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "index": _index,
    "slice": _slice,
    "len": _length,
    "not": lambda value: not is_true(value),
    "eq": _equal,
    "ne": lambda a, b: not _equal(a, b),
    "lt": _less,
    "le": lambda a, b: not _less(b, a),
    "gt": lambda a, b: _less(b, a),
    "ge": lambda a, b: not _less(a, b),
    "print": _spaced,
    "println": _lined,
    "printf": printf,
    "html": lambda value: html.escape(display(value)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    "urlquery": lambda value: urllib.parse.quote_plus(display(value)),
    "js": lambda value: go_quote(display(value))[1:-1].replace("'", "\\'"),
    "exists": _exists,
    "base64decode": _decoded,
}
