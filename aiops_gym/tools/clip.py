"""Keeping a long text within a limit: its head and its tail, and how much is missing between them."""

from __future__ import annotations


def clip(text: str, limit: int) -> str:
    """At most `limit` characters of a text.

    >>> clip("a" * 50 + "z" * 50, 60)
    'aaaaaaaaaaaaa\\n[... 75 characters left out ...]\\nzzzzzzzzzzzz'
    """
    if len(text) <= limit:
        return text
    # The number's own width may grow with what is left out, so room is kept for the widest.
    room = limit - len(_marker(len(text)))
    if room < 2:
        return text[:limit]
    head, tail = room - room // 2, room // 2
    return f"{text[:head]}{_marker(len(text) - head - tail)}{text[len(text) - tail :]}"


def _marker(left_out: int) -> str:
    return f"\n[... {left_out} characters left out ...]\n"


def utf8(text: str) -> str:
    """The text without lone surrogates, which no file and no other process could take."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
