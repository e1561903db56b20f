"""Numbers in words that somebody typed."""

from __future__ import annotations

LONGEST = 40
"""Digits beyond which a number is only large; reading very many of them would take long, and Python refuses to."""


INT32 = 1 << 31


def amount(text: str) -> int | str:
    """A number, or else text: what Kubernetes makes of a port or an amount that may be either (`intstr.Parse`).

    >>> amount("80"), amount("http"), amount("99999999999")
    (80, 'http', '99999999999')
    """
    number = natural(text)
    return text if number is None or number >= INT32 else number


def natural(text: str) -> int | None:
    """The number that plain digits write, None for any other text.

    >>> natural("007"), natural("\N{SUPERSCRIPT TWO}"), natural("-1"), natural("9" * 100_000) == natural("9" * 99)
    (7, None, None, True)
    """
    if not (text.isascii() and text.isdigit()):
        return None
    return int(text) if len(text) <= LONGEST else min(int(text.lstrip("0")[: LONGEST + 1] or 0), 10**LONGEST)
