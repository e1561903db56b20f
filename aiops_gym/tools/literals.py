"""Reading one call with literal arguments, as Python writes them, and nothing else.

Not `ast`: an agent's text may be nested a thousand times, hold real newlines inside quotes, or escapes that Python
warns of; here each of these has one answer, in linear time, and nothing is ever evaluated.

>>> read_call('submit(["geo", "rate"])')
Call(name='submit', args=(['geo', 'rate'],), kwargs={})
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any, NoReturn

from aiops_gym.types import Call

DEPTH = 32
"""How deep lists and dicts may be nested."""

DIGITS = 4_000
"""How long a number may be; Python itself stops at 4,300."""

_BLANK = re.compile(r"(?:[ \t\f\r\n]|\\\r?\n|#[^\n]*)*")
NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(
    r"(?P<whole>0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(?![0-9_.eE]))|"
    r"(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?"
)
_STRING = re.compile(
    r"(?P<prefix>[A-Za-z]{0,2})(?:"
    r'"""(?P<a>[^\\"]*+(?:(?:\\[\s\S]|"(?!""))[^\\"]*+)*+)"""|'
    r"'''(?P<b>[^\\']*+(?:(?:\\[\s\S]|'(?!''))[^\\']*+)*+)'''|"
    r'"(?P<c>[^\\"]*+(?:\\[\s\S][^\\"]*+)*+)"|'
    r"'(?P<d>[^\\']*+(?:\\[\s\S][^\\']*+)*+)')"
)
_STRING_START = re.compile(r"[A-Za-z]{0,2}[\"']")
_ESCAPE = re.compile(
    r"\\(\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[\\'\"abfnrtv]|[xuUN]|[\s\S]?)"
)
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PLAIN = re.compile(r"""([A-Za-z_]\w*)\((?:"([^"\\\r]*)"|'([^'\\\r]*)')\)\n?""")
"""A call with one text in plain quotes, as most are: read at a tenth of the cost."""

_WORDS = {"True": True, "False": False, "None": None}


class LiteralError(ValueError):
    """Why a text is not one call with literal arguments."""


def read_call(text: str) -> Call:
    """The one call that a text holds.

    Raises:
        LiteralError: for anything else, with the reason.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is not None and text.isascii():
        return Call(plain[1], (plain[2] if plain[3] is None else plain[3],), {})
    return _Reader(text).call()


class _Reader:
    """One pass over a text, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def call(self) -> Call:
        self._blank()
        name = NAME.match(self.text, self.at)
        if name is None:
            raise LiteralError("the block holds no call" if self.at < len(self.text) else "the block is empty")
        self.at = name.end()
        if not self._take("("):
            raise LiteralError(f"no API call found: after {_short(name[0])} an opening parenthesis is missing")
        args, kwargs = self._arguments()
        self._blank()
        self._take(";")
        if self.at < len(self.text):
            raise LiteralError(f"exactly one call is allowed, but more text follows it: {_short(self.text[self.at :])}")
        return Call(name[0], tuple(args), kwargs)

    def _arguments(self) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        while not self._take(")"):
            keyword = self._keyword()
            if keyword is None:
                if kwargs:
                    raise LiteralError("a positional argument follows a keyword argument")
                args.append(self._value(tuples=True))
            elif keyword in kwargs:
                raise LiteralError(f"the argument {_short(keyword)} is given twice")
            else:
                kwargs[keyword] = self._value()
            if not self._take(","):
                self._expect(")")
                break
        return args, kwargs

    def _keyword(self) -> str | None:
        self._blank()
        name = NAME.match(self.text, self.at)
        if name is None:
            return None
        equals = _BLANK.match(self.text, name.end())
        end = equals.end() if equals else name.end()
        if not self.text.startswith("=", end) or self.text.startswith("==", end):
            return None
        self.at = end + 1
        return name[0]

    def _value(self, tuples: bool = False) -> Any:
        self._blank()
        if self.at >= len(self.text):
            raise LiteralError("the call is not closed")
        if _STRING_START.match(self.text, self.at):
            return self._string()
        mark = self.text[self.at]
        if mark in "[({":
            return self._collection(mark, tuples)
        if mark in "+-.0123456789":
            return self._number()
        word = NAME.match(self.text, self.at)
        if word is None or word[0] not in _WORDS:
            self._unsupported()
        self.at = word.end()
        return _WORDS[word[0]]

    def _collection(self, mark: str, tuples: bool) -> Any:
        self.depth += 1
        if self.depth > DEPTH:
            raise LiteralError(f"values are nested more than {DEPTH} deep")
        self.at += 1
        value: Any
        if mark == "[":
            value = self._items("]")
        elif mark == "{":
            value = self._dict()
        else:
            value = self._parenthesis(tuples)
        self.depth -= 1
        return value

    def _items(self, end: str) -> list[Any]:
        items: list[Any] = []
        while not self._take(end):
            items.append(self._value())
            if not self._take(","):
                self._expect(end)
                break
        return items

    def _parenthesis(self, tuples: bool) -> Any:
        before = self.at
        if not self._take(")"):
            value = self._value()
            if self._take(")"):
                return value
        if not tuples:
            raise LiteralError("a tuple is not allowed here: write a list")
        self.at = before
        return self._items(")")

    def _dict(self) -> dict[Any, Any]:
        items: dict[Any, Any] = {}
        while not self._take("}"):
            key = self._value()
            if isinstance(key, (list, dict)):
                raise LiteralError("a key of a dict must be a plain value")
            if not self._take(":"):
                raise LiteralError("a set is not allowed: write a list")
            items[key] = self._value()
            if not self._take(","):
                self._expect("}")
                break
        return items

    def _string(self) -> str:
        parts: list[str] = []
        while True:
            self._blank()
            if not _STRING_START.match(self.text, self.at):
                return "".join(parts)
            found = _STRING.match(self.text, self.at)
            if found is None:
                raise LiteralError('a string is not closed: quotes inside it must be of the other kind, or written \\"')
            self.at = found.end()
            parts.append(_decode(found))

    def _number(self) -> int | float:
        sign = 1
        while self.text[self.at : self.at + 1] in ("+", "-"):
            sign = -sign if self.text[self.at] == "-" else sign
            self.at += 1
            self._blank()
        found = _NUMBER.match(self.text, self.at)
        if found is None or len(found[0]) > DIGITS:
            self._unsupported()
        self.at = found.end()
        if NAME.match(self.text, self.at):
            self._unsupported()
        return sign * _number(found)

    def _unsupported(self) -> NoReturn:
        raise LiteralError(
            f"arguments must be literal values (text in quotes, numbers, lists, dicts, True, False, None), "
            f"not {_short(self.text[self.at :])}"
        )

    def _blank(self) -> None:
        found = _BLANK.match(self.text, self.at)
        if found is not None:
            self.at = found.end()

    def _take(self, mark: str) -> bool:
        self._blank()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += 1
        return True

    def _expect(self, mark: str) -> None:
        if self._take(mark):
            return
        if self.at >= len(self.text):
            raise LiteralError("the call is not closed")
        raise LiteralError(f"expected a comma or {mark} before {_short(self.text[self.at :])}")


def _number(found: re.Match[str]) -> int | float:
    try:
        value = int(found[0], 0) if found["whole"] else float(found[0])
    except ValueError:
        raise LiteralError(f"{_short(found[0])} is not a number") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise LiteralError(f"{_short(found[0])} is too large a number")
    return value


def _decode(found: re.Match[str]) -> str:
    prefix = found["prefix"].lower()
    body = next(part for part in (found["a"], found["b"], found["c"], found["d"]) if part is not None)
    if prefix not in ("", "r", "u"):
        raise LiteralError(f"text with the prefix {prefix} is not allowed: write it in plain quotes")
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if prefix != "r" and "\\" in body:
        body = _ESCAPE.sub(_unescape, body)
    if not body.isascii():
        _encodable(body)
    return body


def _encodable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise LiteralError("text must encode to UTF-8: it holds a lone surrogate") from None


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code in _ESCAPES:
        return _ESCAPES[code]
    if code.endswith("\n"):
        return ""
    if code and code[0] in "01234567":
        return chr(int(code, 8))
    if code and code[0] in "xuUN":
        return _character(code)
    return found[0]


def _character(code: str) -> str:
    try:
        return unicodedata.lookup(code[2:-1]) if code[0] == "N" else chr(int(code[1:], 16))
    except (KeyError, ValueError, OverflowError):
        raise LiteralError(f"\\{_short(code)} is no character") from None


def _short(text: str) -> str:
    line = text.split("\n", 1)[0].strip()
    return repr(line if len(line) <= 40 else line[:37] + "...")
