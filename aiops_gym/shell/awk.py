"""What an awk program may do besides printing, from its text alone."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t]+|\\\n|\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<word>[A-Za-z_]\w*|\d+(?:\.\d*)?|\.\d+)
    |(?P<sign>&&|\|\||[<>=!]=|\+\+|--|[-+*%^]=|[-+*%^<>=!~?:,;$|(){}\[\]\n])
    |(?P<slash>/)
    """,
    re.VERBOSE,
)
_REGEX = re.compile(r'/(?:[^/\\\["\n]|\\.)*/')
"""A regular expression without brackets, in which a slash could stand."""

OUTSIDE = frozenset({"getline", "system", "close", "fflush", "ARGV", "ARGC"})
ENDS = frozenset({";", "{", "}", "\n"})
GOES_ON = frozenset({",", "&&", "||"})
"""Signs after which a line break ends nothing."""

BEFORE_REGEX = frozenset({"print", "printf", "return", "in", "else", "do", "case", "exit", "delete"})
UNCLEAR = frozenset({"++", "--", "$"})
"""Signs after which a slash may divide or begin a regular expression."""


@lru_cache(maxsize=256)
def only_prints(program: str) -> bool:
    """Whether a program certainly neither writes a file, nor reads one that it names, nor starts another command.

    >>> only_prints('NR > 1 { if ($2 > 3) print $1 " > " ($3 > 4); sub(/a.*b/, "", name) }')
    True
    >>> [only_prints(f"{{ {each} }}") for each in ('print > "f"', 'print | "sh"', 'system("ls")', 'getline x < "f"')]
    [False, False, False, False]
    """
    at = depth = 0
    printing, last = False, ""
    while at < len(program):
        found = _TOKEN.match(program, at)
        if found is None:
            return False
        at, text = found.end(), found[0]
        if found["space"]:
            continue
        if found["slash"] and not _divides(last):
            whole = None if last in UNCLEAR else _REGEX.match(program, found.start())
            if whole is None:
                return False
            at, text = whole.end(), ")"
        elif text in OUTSIDE or text == "|" or (text == ">" and printing and depth <= 0):
            return False
        elif text in ("print", "printf"):
            printing, depth = True, 0
        elif text in ENDS and not (text == "\n" and last in GOES_ON):
            printing = False
        elif found["sign"]:
            depth += (text in ("(", "[")) - (text in (")", "]"))
        last = text
    return True


def _divides(last: str) -> bool:
    """Whether a slash after this divides, and does not begin a regular expression."""
    return last in (")", "]") or (last not in BEFORE_REGEX and (last[-1:].isalnum() or last[-1:] in ("_", '"')))
