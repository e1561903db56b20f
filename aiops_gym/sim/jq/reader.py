"""Reads texts of JSON as jq reads its input: one value after the other, and in its words where it cannot."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from aiops_gym import caches
from aiops_gym.sim.jq.values import DEEPEST, number
from aiops_gym.types import Json

_LITERALS = {"true": True, "false": False, "null": None, "nan": math.nan}
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r'[^ \t\r\n\[\]{},:"]+')
"""What belongs to one literal, for better or worse."""
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_EXACT = 16


class ReadError(ValueError):
    """What is wrong with a text, and where."""


class Read(NamedTuple):
    """A value, and how many lines of the text were taken until it was there."""

    value: Json
    lines: int


def _whole(text: str) -> int | float:
    return int(text) if len(text) < _EXACT else number(int(text))


def _fraction(text: str) -> int | float:
    return number(float(text))


def _constant(text: str) -> Json:
    raise ValueError(text)


_DECODER = json.JSONDecoder(parse_float=_fraction, parse_int=_whole, parse_constant=_constant, strict=False)
_kept: caches.Cache[Any] = caches.Cache(
    caches.Entry(
        f"{__name__}.values", "reading a text of JSON again", key="the text", bound=2_000_000, unit="characters"
    ),
    weigh=lambda pair: int(pair[1]),
)


def load(text: str) -> Json:
    """The one value of a text. Raises ReadError."""
    found = list(read(text))
    if len(found) != 1:
        raise ReadError("Unexpected extra JSON values" if found else "Expected JSON value")
    return found[0].value


def read(text: str) -> Iterator[Read]:
    """The values of a text, in order. Raises ReadError where one cannot be read, after those before it."""
    kept = _kept.seen(text)
    if kept is None:
        try:
            value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(" \t\r\n")))
        except (ValueError, RecursionError):
            yield from _Reader(text).values()
            return
        if text[end:].strip(" \t\r\n") or not isinstance(value, dict | list) or _is_unusual(text):
            yield from _Reader(text).values()
            return
        kept = (Read(value, _lines(text, end - 1)), len(text))
        _kept.put(text, kept)
    yield kept[0]


def _is_unusual(text: str) -> bool:
    """Whether there may be half a character, or more levels than jq reads."""
    return "\\ud" in text or "\\uD" in text or "[" * 8 in text


def _lines(text: str, at: int) -> int:
    """The lines up to the end of the one in which a place is, as jq counts them: by their ends."""
    end = text.find("\n", at)
    return text.count("\n", 0, len(text) if end < 0 else end + 1)


class _Reader:
    """The reader of jq: a character after the other, but for those of a literal."""

    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff")
        self.last = self.text.rfind("\n")
        self.stack: list[Any] = []
        self.next: list[Json] = []
        self.token = ""
        self.line, self.column = 1, 0

    def values(self) -> Iterator[Read]:
        """All values."""
        text, at = self.text, 0
        try:
            while at < len(text):
                if run := _PLAIN.match(text, at):
                    self.token, at = run[0], run.end()
                    self._move(self.token)
                    continue
                char = text[at]
                self._move(char)
                if char == '"':
                    self._literal()
                    if not self.stack and self.next:
                        yield Read(self.next.pop(), self._taken(at))
                    at = self._string(text, at)
                else:
                    self._literal()
                    if not self.stack and self.next and char in "[{":
                        yield Read(self.next.pop(), self._taken(at))
                    if char in "[]{},:":
                        self._structure(char)
                at += 1
                if not self.stack and self.next and (char in " \t\r\n" or char in ']}"'):
                    yield Read(self.next.pop(), self._taken(at - 1))
            self._literal()
        except ReadError as error:
            where = " at EOF" if at >= len(text) else ""
            raise ReadError(f"{error}{where} at line {self.line}, column {self.column}") from None
        if self.stack:
            raise ReadError(f"Unfinished JSON term at EOF at line {self.line}, column {self.column}")
        if self.next:
            yield Read(self.next.pop(), self.line - 1)

    def _taken(self, at: int) -> int:
        """What `_lines` counts, of the place that was read last: a text of many values is not counted for each."""
        return self.line - 1 + (self.text[at] != "\n" and at < self.last)

    def _move(self, char: str) -> None:
        """Count a character, or several that are no ends of lines."""
        self.column += len(char) if char.isascii() else len(char.encode(errors="replace"))
        if char == "\n":
            self.line, self.column = self.line + 1, 0

    def _value(self, value: Json) -> None:
        if self.next:
            raise ReadError("Expected separator between values")
        self.next.append(value)

    def _literal(self) -> None:
        token, self.token = self.token, ""
        if not token:
            return
        known = next((name for name in _LITERALS if token[0] == name[0] and name != "nan"), "")
        if token in ("nan", known):
            self._value(number(_LITERALS[token]) if token == "nan" else _LITERALS[token])  # type: ignore[arg-type]
        elif known:
            raise ReadError("Invalid literal")
        elif _NUMBER.fullmatch(token):
            self._value(number(float(token)))
        else:
            raise ReadError("Invalid numeric literal")

    def _string(self, text: str, start: int) -> int:
        """Take a string; the place of its end."""
        at = start + 1
        while at < len(text) and text[at] != '"':
            self._move(text[at])
            if text[at] == "\\" and at + 1 < len(text):
                at += 1
                self._move(text[at])
            at += 1
        if at >= len(text):
            raise ReadError(f"Unfinished string at EOF at line {self.line}, column {self.column}")
        self._move('"')
        self._value(unescape(text[start + 1 : at]))
        return at

    def _structure(self, char: str) -> None:
        if char in "[{":
            if len(self.stack) >= DEEPEST:
                raise ReadError("Exceeds depth limit for parsing")
            if self.next:
                raise ReadError("Expected separator between values")
            self.stack.append([] if char == "[" else {})
        elif char == ":":
            self._colon()
        elif char == ",":
            self._comma()
        else:
            self._close(char)

    def _colon(self) -> None:
        if not self.stack or isinstance(self.stack[-1], list):
            raise ReadError("':' not as part of an object")
        if not self.next:
            raise ReadError("Expected string key before ':'")
        if isinstance(self.stack[-1], str):
            raise ReadError("':' should follow a key")
        if not isinstance(self.next[0], str):
            raise ReadError("Object keys must be strings")
        self.stack.append(self.next.pop())

    def _comma(self) -> None:
        if not self.next:
            raise ReadError("Expected value before ','")
        if not self.stack:
            raise ReadError("',' not as part of an object")
        self._put()

    def _put(self) -> None:
        top = self.stack[-1]
        if isinstance(top, list):
            top.append(self.next.pop())
        elif isinstance(top, str):
            self.stack.pop()
            self.stack[-1][top] = self.next.pop()
        else:
            raise ReadError("Objects must consist of key:value pairs")

    def _close(self, char: str) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or (char == "]" and not isinstance(top, list)) or (char == "}" and isinstance(top, list)):
            raise ReadError(f"Unmatched '{char}'")
        if self.next:
            self._put()
        elif char == "]" and top:
            raise ReadError("Expected another array element")
        elif char == "}" and (top or isinstance(top, str)):
            raise ReadError("Expected another key-value pair" if isinstance(top, dict) else "Unmatched '}'")
        self.next.append(self.stack.pop())


def unescape(text: str) -> str:
    """What stands between the quotes of a string. Raises ReadError."""
    if "\\" not in text:
        return text
    found, at = list[str](), 0
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\":
            found.append(char)
            continue
        char = text[at : at + 1]
        at += 1
        if char == "u":
            digits = text[at : at + 4]
            if not re.fullmatch("[0-9a-fA-F]{4}", digits):
                raise ReadError("Invalid escape")
            found.append(chr(int(digits, 16)))
            at += 4
        elif char in _ESCAPED:
            found.append(_ESCAPED[char])
        else:
            raise ReadError("Invalid escape")
    return "".join(found).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
