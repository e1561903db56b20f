"""Short options as getopt reads them."""

from __future__ import annotations

from collections.abc import Container, Sequence


def parse_options(words: Sequence[str], valued: Container[str]) -> tuple[set[str], dict[str, str], list[str]]:
    """The letters given, the values of those in `valued`, and what is no option.

    >>> flags, values, rest = parse_options(["-zw2", "geo", "80"], "w")
    >>> sorted(flags), values, rest
    (['w', 'z'], {'w': '2'}, ['geo', '80'])
    """
    flags, values, others, rest = set[str](), dict[str, str](), list[str](), list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or len(word) < 2:
            others.append(word)
            continue
        for index, letter in enumerate(word[1:], 2):
            flags.add(letter)
            if letter in valued:
                values[letter] = word[index:] or (rest.pop(0) if rest else "")
                break
    return flags, values, others
