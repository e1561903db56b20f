"""Counting tokens without a tokenizer: no download, and the same number everywhere.

An estimate: pieces of up to seven letters, up to three digits, up to two other marks, and runs of line ends each count
as one. It compares agents with one another, not with a bill.
"""

from __future__ import annotations

import re

METHOD = "regex-1"
"""Name of this way of counting, `token_method` in the results."""

_PIECE = re.compile(r"[^\W\d_]{1,7}|\d{1,3}|[^\w\s]{1,2}|_+|\n+")


def count(text: str) -> int:
    """How many tokens a text has.

    >>> count("kubectl get pods -n test-hotel-reservation")
    10
    """
    return len(_PIECE.findall(text))
