"""Lists of words, written as one text."""

from __future__ import annotations


def split_words(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(split_words("cat head tail"))
    ['cat', 'head', 'tail']
    """
    return frozenset(text.split())
