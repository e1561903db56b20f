r"""JSON as Go reads it: the value, or Go's words for what is wrong with the text.

>>> loads('{"a": [1, 2.5, "x"]}')
{'a': [1, 2.5, 'x']}
>>> loads("{bad")
Traceback (most recent call last):
    ...
aiops_gym.clients.gojson.UnexpectedError: invalid character 'b' looking for beginning of object key string
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isinf
from typing import Any

from aiops_gym.sim.kernel.nesting import JSON_WORDS, is_deep_text

SPACE = re.compile(r"[ \t\r\n]*")
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")

INT64 = 1 << 63
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
WORDS = ("true", "false", "null")
END = "unexpected end of JSON input"


class OutOfRange(ValueError):
    """A number that is larger than a float can be."""


def integer(text: str) -> int | float:
    """A whole number, as a float where 64 bits are not enough for it. Raises OutOfRange.

    >>> integer("9223372036854775807"), integer("9223372036854775808")
    (9223372036854775807, 9.223372036854776e+18)
    """
    if len(text) < len(str(INT64)):
        return int(text)
    value = int(text) if len(text) <= len(str(INT64)) + 1 else 2 * INT64
    return value if -INT64 <= value < INT64 else _float(text)


def _float(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise OutOfRange(f"json: cannot unmarshal number {text} into Go value of type float64")
    return value


def _refused(name: str) -> Any:
    raise ValueError(f"Go's JSON has no {name}")


_DECODER = json.JSONDecoder(strict=True, parse_int=integer, parse_float=_float, parse_constant=_refused)


def loads(text: str) -> Any:
    """The value of a JSON text. Raises ValueError in the words of Go's encoding/json."""
    if is_deep_text(text):
        raise ValueError(JSON_WORDS)
    try:
        return _DECODER.decode(text)
    except OutOfRange:
        raise
    except ValueError:
        at = _value(text, _skip(text, 0), "looking for beginning of value")
        at = _skip(text, at)
        raise _unexpected(text, at, "after top-level value") from None


def stream(text: str) -> Iterator[Any] | None:
    """The values of a text that begins as a JSON object does, one after another; None for any other text.

    The iterator raises ValueError in the words of Kubernetes' decoder, with the place, and OutOfRange.

    >>> list(stream('{"a": 1}\\n{"b": 2}{}')), stream("a: 1")
    ([{'a': 1}, {'b': 2}, {}], None)
    >>> list(stream('{"a": 1} --'))
    Traceback (most recent call last):
        ...
    ValueError: json: offset 11: invalid character '-' in numeric literal
    """
    if not text.lstrip().startswith("{") or is_deep_text(text) or SURROGATE.search(text):
        return None  # half a pair is no character, and YAML says so
    return _values(text)


def _values(text: str) -> Iterator[Any]:
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except OutOfRange:
            raise
        except ValueError:
            try:
                _value(text, at, "looking for beginning of value")
            except UnexpectedError as error:
                raise ValueError(f"json: offset {error.offset}: {error}") from None
            raise ValueError(END) from None
        yield value
        at = _skip(text, at)


class UnexpectedError(ValueError):
    """A character that cannot stand where it does; `offset` bytes were read with it."""

    offset = 0


def _skip(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at


def _unexpected(text: str, at: int, where: str) -> ValueError:
    if at >= len(text):
        return ValueError(END)
    char = text[at]
    shown = {"'": r"'\''", '"': "'\"'"}.get(char, repr(char))
    error = UnexpectedError(f"invalid character {shown} {where}")
    error.offset = len(text[:at].encode()) + 1
    return error


def _value(text: str, at: int, where: str) -> int:
    """The end of the value that begins at `at`. Raises ValueError."""
    char = text[at : at + 1]
    if char == "{":
        return _members(text, at + 1, "}")
    if char == "[":
        return _members(text, at + 1, "]")
    if char == '"':
        return _string(text, at + 1)
    if match := NUMBER.match(text, at):
        return match.end()
    if char == "-":
        raise _unexpected(text, at + 1, "in numeric literal")
    for word in WORDS:
        if char == word[0]:
            return _word(text, at, word)
    raise _unexpected(text, at, where)


def _word(text: str, at: int, word: str) -> int:
    for offset, letter in enumerate(word):
        if text[at + offset : at + offset + 1] != letter:
            raise _unexpected(text, at + offset, f"in literal {word} (expecting '{letter}')")
    return at + len(word)


def _string(text: str, at: int) -> int:
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            at += 1
            if at < len(text) and text[at] not in '"\\/bfnrtu':
                raise _unexpected(text, at, "in string escape code")
        elif text[at] < " ":
            raise _unexpected(text, at, "in string literal")
        at += 1
    if at >= len(text):
        raise ValueError(END)
    return at + 1


def _members(text: str, at: int, close: str) -> int:
    """The end of an object or array whose first member begins at `at`."""
    pairs = close == "}"
    at = _skip(text, at)
    if text[at : at + 1] == close:
        return at + 1
    while True:
        if pairs:
            if text[at : at + 1] != '"':
                raise _unexpected(text, at, "looking for beginning of object key string")
            at = _skip(text, _string(text, at + 1))
            if text[at : at + 1] != ":":
                raise _unexpected(text, at, "after object key")
            at = _skip(text, at + 1)
        at = _skip(text, _value(text, at, "looking for beginning of value"))
        char = text[at : at + 1]
        if char == close:
            return at + 1
        if char != ",":
            raise _unexpected(text, at, "after object key:value pair" if pairs else "after array element")
        at = _skip(text, at + 1)
