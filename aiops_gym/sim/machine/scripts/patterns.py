"""Patterns of shells: stars, question marks, brackets, and bash's extended ones.

A backslash before a sign takes its meaning. Reference: Bash manual, 3.5.8.1; POSIX, Shell Command Language, 2.13.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

from aiops_gym import caches
from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError

SIGNS = re.compile(r"[*?\[\\]|[@+!]\(")
LONGEST_NEGATED = 100
"""Characters of a text that `!(...)` is tried on: all pairs of places are tried there."""

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\f\\v",
    "upper": "A-Z",
    "word": "\\w",
    "xdigit": "0-9a-fA-F",
}
_BRACKET = re.compile(r"\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^]\\])*)\]", re.DOTALL)


def quote(text: str) -> str:
    """A text as a pattern of itself.

    >>> matches("a*b", quote("a*b")), matches("axb", quote("a*b"))
    (True, False)
    """
    return re.sub(r"([*?\[\]\\@+!()|])", r"\\\1", text)


def matches(text: str, pattern: str, extended: bool = False, folded: bool = False) -> bool:
    """Whether the whole of a text matches.

    >>> matches("app-1", "app-[0-9]"), matches("x.tar.gz", "*.@(tar|zip)?(.gz)", extended=True)
    (True, True)
    """
    return read(pattern, extended, folded).matches(text)


@caches.function(512, "reading a pattern of a shell")
def read(pattern: str, extended: bool = False, folded: bool = False) -> Pattern:
    """A pattern that has been read."""
    return Pattern(pattern, extended, folded)


class Pattern:
    """A pattern of a shell.

    Args:
        text: as it is written.
        extended: whether it may have groups.
        folded: whether capitals are as small letters.
    """

    def __init__(self, text: str, extended: bool = False, folded: bool = False) -> None:
        self.text = text
        self.flags = re.DOTALL | re.IGNORECASE * folded
        self.groups = extended and re.search(r"[?*+@!]\(", text) is not None
        self.stars = text.count("*")
        place = re.search(r"!\(", text) if self.groups else None
        pieces = [text] if place is None else _split_negation(text, place.start())
        self._linear: list[Regex] = []
        if self.groups:
            with suppress(RegexError):
                self._linear = [Regex(f"(?i:{_translate(each)})" if folded else _translate(each)) for each in pieces]

    def _compile(self, form: str) -> re.Pattern[str]:
        try:
            return re.compile(form, self.flags)
        except re.error:
            return re.compile(re.escape(self.text), self.flags)

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return self._compile(_once(self.text))

    def matches(self, text: str) -> bool:
        """Whether the whole of a text matches."""
        if not self.groups:
            return self._whole.fullmatch(text) is not None
        if len(self._linear) == 1:
            return self._linear[0].matches(text)
        return len(text) <= LONGEST_NEGATED and bool(self._linear) and self._matches_around(text)

    def _matches_around(self, text: str) -> bool:
        """Whether a text has a fitting beginning and a fitting end, and between them what is not meant."""
        before, inner, after = self._linear
        places = range(len(text) + 1)
        ends = [end for end in places if after.matches(text[end:])]
        return any(
            not inner.matches(text[start:end])
            for start in places
            if before.matches(text[:start])
            for end in ends
            if end >= start
        )

    def measure(self, text: str) -> int:
        """How many steps it may take to look for this in a text: the square of its length where stars are tried."""
        return len(text) ** 2 if self.groups or self.stars > 1 else len(text)

    def trim(self, value: str, sign: str) -> str:
        """`${x%pattern}` and its like: the shortest or longest match cut from the end or the beginning.

        >>> Pattern("*/").trim("a/b/c.txt", "##"), Pattern(".*").trim("a.b.c", "%")
        ('c.txt', 'a.b')
        """
        if self.groups:
            return self._trim_slowly(value, sign)
        form = _tried(self.text, lazy=sign == "#")
        if sign[0] == "#":
            found = self._compile(form).match(value)
            return value[found.end() :] if found else value
        found = self._compile(rf"(.*)(?:{form})\Z" if sign == "%" else rf"(.*?)(?:{form})\Z").match(value)
        return found[1] if found else value

    def _trim_slowly(self, value: str, sign: str) -> str:
        cuts = range(len(value) + 1) if sign in ("#", "%%") else range(len(value), -1, -1)
        for cut in cuts:
            if self.matches(value[:cut] if sign[0] == "#" else value[cut:]):
                return value[cut:] if sign[0] == "#" else value[:cut]
        return value

    def replace(self, value: str, sign: str, into: Callable[[str], str]) -> str:
        """`${x/pattern/into}`: the longest match at the first place, with `//` at all, with `/#` and `/%` at an end.

        >>> Pattern("[bc]").replace("abcabc", "//", lambda found: "_"), Pattern("c").replace("abc", "/%", lambda _: "!")
        ('a__a__', 'ab!')
        """
        if sign in ("/#", "/%"):
            kept = self.trim(value, "##" if sign == "/#" else "%%")
            cut = len(value) - len(kept)
            piece = value[:cut] if sign == "/#" else value[len(kept) :]
            if not cut and not self.matches(""):
                return value
            return into(piece) + kept if sign == "/#" else kept + into(piece)
        if self.groups:
            return self._replace_slowly(value, sign, into)
        form = self._compile(_tried(self.text))
        return form.sub(lambda found: into(found[0]) if found[0] else "", value, count=sign == "/")

    def _replace_slowly(self, value: str, sign: str, into: Callable[[str], str]) -> str:
        found, at = "", 0
        while at < len(value):
            end = next((end for end in range(len(value), at, -1) if self.matches(value[at:end])), 0)
            if not end:
                found, at = found + value[at], at + 1
                continue
            found, at = found + into(value[at:end]), end
            if sign == "/":
                break
        return found + value[at:]


def _tried(pattern: str, lazy: bool = False) -> str:
    """A pattern without groups, whose stars take as much as they can, or as little."""
    found, at = "", 0
    while at < len(pattern):
        if pattern[at] == "*":
            found, at = found + (".*?" if lazy else ".*"), at + 1
        else:
            text, at = _single(pattern, at)
            found += text
    return found


def _once(pattern: str) -> str:
    """The same for whole texts: what follows a star is taken where it comes first, so that nothing is tried twice."""
    pieces, at = [""], 0
    while at < len(pattern):
        if pattern[at] == "*":
            pieces.append("")
            at += 1
        else:
            text, at = _single(pattern, at)
            pieces[-1] += text
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{middle}.*{pieces[-1]}"


def _single(pattern: str, at: int) -> tuple[str, int]:
    """What one sign is as a regular expression, and where the next begins."""
    char = pattern[at]
    if char == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2
    if char == "?":
        return "[\\s\\S]", at + 1
    if char == "[" and (match := _BRACKET.match(pattern, at)) and match[2]:
        return _bracket(match[1], match[2]), match.end()
    return re.escape(char), at + 1


def _bracket(negated: str, inner: str) -> str:
    named = re.split(r"\[:(\w+):\]", inner)
    found = ""
    for number, piece in enumerate(named):
        if number % 2:
            found += _CLASSES.get(piece, "")
        else:
            plain = re.sub(r"\\(.)", r"\1", piece)
            found += re.sub(r"([\\\[\]^&~|])", r"\\\1", plain)
    return f"[{'^' if negated else ''}{found}]"


def _split_negation(text: str, at: int) -> list[str]:
    """What stands before `!(...)`, in it, and after it; nothing where that has more of them."""
    end = _closing(text, at + 1)
    pieces = [text[:at], f"@{text[at + 1 : end + 1]}", text[end + 1 :]]
    return pieces if end > 0 and "!(" not in "".join(pieces) else ["(" * 3]


def _translate(pattern: str) -> str:
    """A pattern with groups."""
    found, at = "", 0
    while at < len(pattern):
        if pattern[at] in "?*+@!" and pattern[at + 1 : at + 2] == "(" and (end := _closing(pattern, at + 1)) > 0:
            kinds = "|".join(_translate(each) for each in _alternatives(pattern[at + 2 : end]))
            found += f"(?:{kinds}){pattern[at].replace('@', '')}"
            at = end + 1
        elif pattern[at] == "*":
            found, at = f"{found}[\\s\\S]*", at + 1
        else:
            text, at = _single(pattern, at)
            found += text
    return found


def _closing(pattern: str, at: int) -> int:
    depth = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        depth += {"(": 1, ")": -1}.get(pattern[at : at + 1], 0)
        if not depth:
            return at
        at += 1
    return -1


def _alternatives(inner: str) -> list[str]:
    found, depth, at = [""], 0, 0
    while at < len(inner):
        size = 2 if inner[at] == "\\" else 1
        char = inner[at : at + size]
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "|" and not depth:
            found.append("")
        else:
            found[-1] += char
        at += size
    return found
