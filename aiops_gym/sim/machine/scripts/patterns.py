"""Regular expressions that scripts bring along: taken only where they cannot hold the world."""

from __future__ import annotations

import re
import warnings

from aiops_gym import caches

REPEATS = re.compile(r"[*+{]")
MOST_REPEATS = 4


@caches.function(256, "checking and compiling a pattern of grep or sed")
def compile_pattern(text: str, ignore_case: bool = False, fixed: bool = False) -> re.Pattern[str]:
    """The pattern; one that could take for ever, or is none, means its own letters.

    >>> bool(compile_pattern("^a.*b$").search("a-b")), bool(compile_pattern("(a+)+$").search("aaa"))
    (True, False)
    """
    plain = text.replace(r"\|", "|").replace(r"\(", "(").replace(r"\)", ")")
    groups = re.search(r"\)[*+?{]", plain) is not None
    literal = fixed or groups or len(REPEATS.findall(plain)) > MOST_REPEATS
    flags = re.IGNORECASE if ignore_case else 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(re.escape(text) if literal else plain, flags)
    except re.error:
        return re.compile(re.escape(text), flags)
