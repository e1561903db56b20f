"""Numbers in words that somebody typed."""

from __future__ import annotations

LONGEST = 40
"""Digits beyond which a number is only large; reading very many of them would take long, and Python refuses to."""


INT32 = 1 << 31


def parse_amount(text: str) -> int | str:
    """A number, or else text: what Kubernetes makes of a port or an amount that may be either (`intstr.Parse`).

    >>> parse_amount("80"), parse_amount("http"), parse_amount("99999999999")
    (80, 'http', '99999999999')
    """
    number = parse_natural(text)
    return text if number is None or number >= INT32 else number


INT64 = 1 << 63


def integer(text: object) -> int | None:
    """The number that a text writes, with a sign or without, None for any other (`strconv.ParseInt(text, 10, 64)`).

    >>> integer("-7"), integer("+1"), integer("1e3"), integer("9" * 20), integer(None)
    (-7, 1, None, None, None)
    """
    if not isinstance(text, str):
        return None
    number = parse_natural(text[1:] if text[:1] in ("+", "-") else text)
    number = -number if number is not None and text.startswith("-") else number
    return number if number is not None and -INT64 <= number < INT64 else None


def is_natural(text: str) -> bool:
    """Whether a text is a number that `int` reads: plain digits, and not very many.

    >>> is_natural("007"), is_natural("\N{SUPERSCRIPT TWO}"), is_natural("9" * 5000), is_natural("")
    (True, False, False, False)
    """
    return text.isascii() and text.isdigit() and len(text) <= LONGEST


def parse_natural(text: str) -> int | None:
    """The number that plain digits write, None for any other text.

    >>> parse_natural("007"), parse_natural("\N{SUPERSCRIPT TWO}"), parse_natural("-1")
    (7, None, None)
    >>> parse_natural("9" * 100_000) == parse_natural("9" * 99)
    True
    """
    if not (text.isascii() and text.isdigit()):
        return None
    return int(text) if len(text) <= LONGEST else min(int(text.lstrip("0")[: LONGEST + 1] or 0), 10**LONGEST)
