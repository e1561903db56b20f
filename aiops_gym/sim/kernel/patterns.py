"""Regular expressions that users bring along, as Go reads them: no text is tried in ever more ways."""

from __future__ import annotations

import re

MOST_REPEATS = 4
"""Of unbounded repeats in one branch: the work grows with the text's length to that power."""

_REPEATS = re.compile(r"(?<!\\)(?:[*+]|\{\d*,)")
_ENDLESS = re.compile(r"(?<!\\)\)(?:[*+]|\{)|\\[1-9]|\(\?[=!<]")


def compile_pattern(text: str) -> re.Pattern[str]:
    """The pattern. Raises re.error where it is none, or one that Python might try for ever and Go would not.

    >>> compile_pattern("geo.*|rate-.*").fullmatch("rate-1") is not None
    True
    >>> compile_pattern("(a+)+")
    Traceback (most recent call last):
    re.error: expression too large
    """
    if _ENDLESS.search(text) or any(len(_REPEATS.findall(branch)) > MOST_REPEATS for branch in text.split("|")):
        raise re.error("expression too large")
    return re.compile(text)
