"""The words of a jq program."""

from __future__ import annotations

import re
from typing import NamedTuple

KEYWORDS = frozenset(
    [
        "def",
        "if",
        "then",
        "elif",
        "else",
        "end",
        "as",
        "and",
        "or",
        "reduce",
        "foreach",
        "try",
        "catch",
        "label",
        "import",
        "include",
        "module",
        "__loc__",
    ]
)
_TOKEN = re.compile(
    r"""
    (?:[ \t\r\n]|\#[^\n]*)*
    (?:
        (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
        |(?P<field>\.[a-zA-Z_][a-zA-Z_0-9]*)
        |(?P<format>@[a-zA-Z0-9_]+)
        |(?P<word>(?:[a-zA-Z_][a-zA-Z_0-9]*::)*[a-zA-Z_][a-zA-Z_0-9]*)
        |(?P<quote>")
        |(?P<sign>\?//=?|//=|\.\.|[!=<>|+*/%-]=|//|[.?=;,:|+*/%$<>\[\]{}()-])
        |(?P<wrong>.)
        |(?P<end>$)
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_NAMES = {"number": "LITERAL", "field": "FIELD", "format": "FORMAT", "word": "IDENT", "quote": "QQSTRING_START"}
_NAMES |= {"wrong": "INVALID_CHARACTER", "end": "$end"}


class Token(NamedTuple):
    """A word: what it is (`number`, `field`, `format`, `word`, `quote`, `sign`, `wrong`, `end`), and where it is."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """What jq's messages call it."""
        if self.kind == "word" and self.text in KEYWORDS:
            return self.text
        if self.kind == "sign":
            return f"'{self.text}'" if len(self.text) == 1 else self.text
        return _NAMES[self.kind]


def read_token(text: str, at: int) -> Token:
    """The word that stands at a place, blanks and comments before it left out."""
    found = _TOKEN.match(text, at)
    assert found is not None
    name = found.lastgroup
    assert name is not None
    if found[name] == "?//=":
        return Token("sign", "?//", found.start(name), found.end(name) - 1)
    return Token(name, found[name], found.start(name), found.end(name))
