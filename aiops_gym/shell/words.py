"""Lists of words, written as one text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(words("cat head tail"))
    ['cat', 'head', 'tail']
    """
    return frozenset(text.split())
