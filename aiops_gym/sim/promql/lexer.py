"""The words of a query, one at a time, so that the first thing that is wrong is told first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql.errors import QueryError, make_parse_error
from aiops_gym.sim.promql.golang import quote_char

AGGREGATIONS = (
    *("avg", "bottomk", "count", "count_values", "group", "max", "min", "quantile", "stddev", "stdvar", "sum", "topk"),
)
SETS = ("and", "or", "unless")
WORDS = ("offset", "by", "without", "on", "ignoring", "group_left", "group_right", "bool")
BOUNDS = ("start", "end")
KEYWORDS = frozenset((*AGGREGATIONS, *SETS, *WORDS, *BOUNDS, "atan2"))
SIGNS = ("==", "!=", "<=", ">=", "=~", "!~", "<", ">", "=", "+", "-", "*", "/", "%", "^", "@")
"""Operators, the longer ones first."""

_SPACE = re.compile(r"(?:[ \t\n\r]|#[^\n\r]*)*")
_BLANK = re.compile(r"[ \t\n\r]*")
_WORD = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?|[0-9]*(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?")
_UNITS = re.compile(r"[smhdwy]s?(?:[0-9]+[smhdw]s?)*")
_UNITS_BROKEN = re.compile(r"(?:[smhdwy]s?(?:[0-9]+[smhdw]s?)*(?:[0-9]+)?)?")
_AFTER = re.compile(r"[A-Za-z0-9_]")
_ESCAPED = re.compile(r"[abfnrtv\\]|[0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}")
_DIGITS = {"x": (2, "0123456789abcdefABCDEF"), "u": (4, "0123456789abcdefABCDEF")}
_DIGITS |= {"U": (8, "0123456789abcdefABCDEF")} | dict.fromkeys("01234567", (3, "01234567"))


class Token(NamedTuple):
    """A word.

    Attributes:
        kind: `identifier`, `metric`, `number`, `duration`, `string`, `eof`; a keyword or a sign is its own kind.
        text: as written.
        start: where, in characters.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next may begin."""
        return self.start + len(self.text)

    def describe(self) -> str:
        """As an error text names it."""
        shown = go_quote(self.text) if len(self.text) <= 10 else f"{go_quote(self.text[:10])}..."
        if self.kind == "eof":
            return "end of input"
        if self.kind in ("identifier", "metric"):
            return f"{'metric ' if self.kind == 'metric' else ''}identifier {go_quote(self.text)}"
        if self.kind in ("number", "duration", "string"):
            return f"{self.kind} {shown}"
        if self.kind == "@":
            return '"<Item 57385>" <op:@>'
        if self.kind in SETS or self.kind == "atan2" or (self.kind in SIGNS and self.kind != "="):
            return f"<op:{self.kind}>"
        if self.kind in AGGREGATIONS:
            return f"<aggr:{self.kind}>"
        return f"<{self.kind}>" if self.kind in KEYWORDS and self.kind not in BOUNDS else go_quote(self.text)


class Lexer:
    """Reads a query; what it knows of the words before is which brackets are open."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.at = 0
        self.parens = 0
        self.braces = self.brackets = self.colon = False

    def fail(self, at: int, text: str) -> QueryError:
        """What is wrong."""
        return make_parse_error(self.query, at, text)

    def read(self) -> Iterator[Token]:
        """All words, the last of them `eof`. Raises QueryError."""
        while True:
            token = self._in_braces() if self.braces else self._statement()
            self.at = token.end
            yield token
            if token.kind == "eof":
                return
            if token.kind == "[":
                yield self._range()

    def _skip(self) -> str:
        self.at = self._match(_SPACE).end()
        return self.query[self.at : self.at + 1]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.query, self.at)
        assert found is not None  # each of these patterns takes nothing, too, or is asked for where it begins
        return found

    def _sign(self, kind: str) -> Token:
        return Token(kind, kind, self.at)

    def _statement(self) -> Token:
        char = self._skip()
        if not char:
            if self.parens or self.brackets:
                raise self.fail(self.at, "unclosed left " + ("parenthesis" if self.parens else "bracket"))
            return Token("eof", "", self.at)
        if char in "()[]{}":
            return self._bracket(char)
        if char in "'\"`":
            return self._string(char)
        if "0" <= char <= "9" or (char == "." and "0" <= self.query[self.at + 1 : self.at + 2] <= "9"):
            return self._number()
        if _WORD.match(char):
            return self._word(char)
        return self._sign(",") if char == "," else self._operator(char)

    def _operator(self, char: str) -> Token:
        after = self.query[self.at + 1 : self.at + 2]
        if (char == "=" and after == "~") or (char == "!" and after != "="):
            shown = quote_char(after) if after else "'\ufffd'"
            raise self.fail(self.at, f"unexpected character after '{char}': {shown}")
        for sign in SIGNS:
            if self.query.startswith(sign, self.at):
                return self._sign(sign)
        raise self.fail(self.at, f"unexpected character: {quote_char(char)}")

    def _bracket(self, char: str) -> Token:
        names = {")": "right parenthesis", "[": "left bracket", "]": "right bracket"}
        wrong = (char == "[" and self.brackets) or (char == "]" and not self.brackets)
        if char == "}":
            raise self.fail(self.at, "unexpected character: '}'")
        self.parens += (char == "(") - (char == ")")
        if wrong or self.parens < 0:
            raise self.fail(self.at + (char == ")"), f"unexpected {names[char]} '{char}'")
        if char in "[]":
            self.brackets, self.colon = char == "[", False
        self.braces = char == "{"
        return self._sign(char)

    def _in_braces(self) -> Token:
        char = self._skip()
        if not char:
            raise self.fail(self.at, "unexpected end of input inside braces")
        if char in "'\"`":
            return self._string(char)
        if LABEL.match(char):
            return Token("identifier", self._match(LABEL)[0], self.at)
        after = self.query[self.at + 1 : self.at + 2]
        if char == "!" and (not after or after not in "=~"):
            raise self.fail(self.at, f"unexpected character after '!' inside braces: {quote_char(after)}")
        if char in "=!":
            return self._sign(char + after if char == "!" or after == "~" else char)
        if char == "{":
            raise self.fail(self.at, "unexpected left brace '{'")
        if char not in ",}":
            raise self.fail(self.at, f"unexpected character inside braces: {quote_char(char)}")
        self.braces = char != "}"
        return self._sign(char)

    def _word(self, char: str) -> Token:
        if self.brackets:
            if self.colon:
                raise self.fail(self.at, f"unexpected colon {quote_char(char)}")
            self.colon = True
            return Token(":", char, self.at)
        text = self._match(_WORD)[0]
        small = text.lower()
        if small in ("inf", "nan"):
            return Token("number", text, self.at)
        kind = small if small in KEYWORDS else "metric" if ":" in text else "identifier"
        return Token(kind, text, self.at)

    def _scan(self) -> tuple[str, str]:
        """What follows, and whether it is a number, a duration, or neither."""
        start, number = self.at, self._match(_NUMBER)[0]
        if not _AFTER.match(self.query, start + len(number)):
            return number, "number"
        units = _UNITS.match(self.query, start + len(number))
        if units and not _AFTER.match(self.query, units.end()):
            return number + units[0], "duration"
        broken = _UNITS_BROKEN.match(self.query, start + len(number))
        end = broken.end() if broken else start
        taken = units is not None and end == units.end()
        return self.query[start : end + taken], ""

    def _number(self) -> Token:
        text, kind = self._scan()
        if not kind:
            raise self.fail(self.at, f"bad number or duration syntax: {go_quote(text)}")
        return Token(kind, text, self.at)

    def _range(self) -> Token:
        """The duration after a left bracket."""
        self.at = self._match(_BLANK).end()
        text, kind = self._scan()
        if kind != "duration":
            wrong = "missing unit character in duration" if kind else f"bad duration syntax: {go_quote(text)}"
            raise self.fail(self.at, wrong)
        token = Token(kind, text, self.at)
        self.at = token.end
        return token

    def _string(self, mark: str) -> Token:
        at, query = self.at + 1, self.query
        while at < len(query) and query[at] != mark:
            if mark != "`" and query[at] == "\n":
                break
            at += self._escape(at + 1, mark) if query[at] == "\\" and mark != "`" else 1
        if query[at : at + 1] != mark:
            raise self.fail(self.at, "unterminated raw string" if mark == "`" else "unterminated quoted string")
        return Token("string", query[self.at : at + 1], self.at)

    def _escape(self, at: int, mark: str) -> int:
        """The length of what a backslash before `at` begins."""
        char = self.query[at : at + 1]
        if found := _ESCAPED.match(self.query, at):
            code = int(found[0][1:], 16) if char in "xuU" else int(found[0], 8) if char.isdigit() else 0
            most = 255 if char == "x" or char.isdigit() else 0x10FFFF
            if code > most or (char in "uU" and 0xD800 <= code < 0xE000):
                raise self.fail(self.at, "escape sequence is an invalid Unicode code point")
            return 1 + len(found[0])
        if char == mark:
            return 2
        if not char:
            raise self.fail(self.at, "escape sequence not terminated")
        if char not in _DIGITS:
            raise self.fail(self.at, f"unknown escape sequence {_unicode(char)}")
        many, digits = _DIGITS[char]
        rest = self.query[at if char.isdigit() else at + 1 :][:many]
        wrong = next((each for each in rest if each not in digits), "")
        if not wrong:
            raise self.fail(self.at, "escape sequence not terminated")
        raise self.fail(self.at, f"illegal character {_unicode(wrong)} in escape sequence")


def _unicode(char: str) -> str:
    """As Go's `%#U`."""
    return f"U+{ord(char):04X} '{char}'" if char.isprintable() else f"U+{ord(char):04X}"


def unquote(text: str) -> str:
    r"""What a string of a query says.

    >>> unquote('"a\\n\\x41"'), unquote("`a\\n`")
    ('a\nA', 'a\\n')
    """
    if text[0] == "`":
        return text[1:-1]
    simple = dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True))
    found, at, inner = bytearray(), 0, text[1:-1]
    while at < len(inner):
        if inner[at] != "\\":
            found += inner[at].encode()
            at += 1
            continue
        char = inner[at + 1]
        if char in simple:
            found += simple[char].encode()
            at += 2
        else:
            many, base = {"x": (2, 16), "u": (4, 16), "U": (8, 16)}.get(char, (3, 8))
            begin = at + (1 if base == 8 else 2)
            code = int(inner[begin : begin + many], base)
            found += bytes((code,)) if char not in "uU" else chr(code).encode()
            at = begin + many
    return found.decode(errors="replace")
