"""Patterns of shells: stars, question marks, brackets, and bash's extended ones.

A backslash before a sign takes its meaning. Reference: Bash manual, 3.5.8.1; POSIX, Shell Command Language, 2.13.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from aiops_gym import caches
from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError

Match = Callable[[str], bool]
SIGNS = re.compile(r"[*?\[\\]|[@+!]\(")
LONGEST_NEGATED = 300
"""Characters of a text that `!(...)` is tried on: ways to match are tried one after the other there."""

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
    return read(pattern, extended, folded)(text)


@caches.function(512, "reading a pattern of a shell")
def read(pattern: str, extended: bool = False, folded: bool = False) -> Match:
    """What tells whether a text matches."""
    if not SIGNS.search(pattern):
        return (lambda text: text.lower() == pattern.lower()) if folded else pattern.__eq__
    groups = extended and re.search(r"[?*+@!]\(", pattern) is not None
    if groups and not re.search(r"!\(", pattern):
        try:
            return Regex(f"(?i:{_translate(pattern, True)})" if folded else _translate(pattern, True)).matches
        except RegexError:
            return pattern.__eq__
    try:
        found = re.compile(
            _translate(pattern, groups) if groups else _stars(pattern), re.DOTALL | re.IGNORECASE * folded
        )
    except re.error:
        return pattern.__eq__
    return lambda text: (not groups or len(text) <= LONGEST_NEGATED) and found.fullmatch(text) is not None


def _stars(pattern: str) -> str:
    """A pattern without groups: what follows a star is taken where it comes first, so that nothing is tried twice."""
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


def _translate(pattern: str, extended: bool, ending: str = "") -> str:
    """A pattern with groups."""
    found, at = "", 0
    while at < len(pattern):
        if pattern[at] in "?*+@!" and pattern[at + 1 : at + 2] == "(" and (end := _closing(pattern, at + 1)) > 0:
            kinds = "|".join(_translate(each, extended) for each in _alternatives(pattern[at + 2 : end]))
            if pattern[at] == "!":
                rest = _translate(pattern[end + 1 :], extended)
                return f"{found}(?!(?:{kinds}){rest}\\Z)[\\s\\S]*?{rest}"
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


def trim(value: str, sign: str, match: Match) -> str:
    """`${x%pattern}` and its like: the shortest or longest match cut from the end or the beginning.

    >>> trim("a/b/c.txt", "##", read("*/")), trim("a.b.c", "%", read(".*"))
    ('c.txt', 'a.b')
    """
    cuts = range(len(value) + 1) if sign in ("#", "%%") else range(len(value), -1, -1)
    for cut in cuts:
        if match(value[:cut] if sign[0] == "#" else value[cut:]):
            return value[cut:] if sign[0] == "#" else value[:cut]
    return value


def replace(value: str, sign: str, match: Match, into: Callable[[str], str]) -> str:
    """`${x/pattern/into}`: the longest match at the first place, with `//` at all, with `/#` and `/%` at an end.

    >>> replace("abcabc", "//", read("[bc]"), lambda found: "_"), replace("abc", "/%", read("c"), lambda found: "!")
    ('a__a__', 'ab!')
    """
    if sign in ("/#", "/%"):
        ends = range(len(value), -1, -1) if sign == "/#" else range(len(value) + 1)
        for cut in ends:
            piece = value[:cut] if sign == "/#" else value[cut:]
            if match(piece):
                return into(piece) + value[cut:] if sign == "/#" else value[:cut] + into(piece)
        return value
    found, at = "", 0
    while at < len(value):
        end = next((end for end in range(len(value), at, -1) if match(value[at:end])), 0)
        if not end:
            found, at = found + value[at], at + 1
            continue
        found, at = found + into(value[at:end]), end
        if sign == "/":
            break
    return found + value[at:]
