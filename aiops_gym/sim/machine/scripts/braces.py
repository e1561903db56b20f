"""Brace expansion: `a{b,c}d`, `{1..9..2}`, `{a..e}`. Reference: Bash manual, 3.5.1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.types import Json

MOST = 100_000
"""Words of one; a shell that makes more has run out of memory."""

MOST_BRACES = 200
"""Of a word; those of longer ones are letters."""

_NUMBERS = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})(?:\.\.(-?\d{1,18}))?")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,18}))?")

Item = str | list[Json]
"""A sign as it is written, or a part that braces are not looked for in."""


def expand(word: Sequence[Json]) -> list[list[Json]]:
    """The words that a word becomes. Raises ScriptError where there are too many.

    >>> [each[0][1] for each in expand([["lit", "a{1..3}{x,y}"]])]
    ['a1x', 'a1y', 'a2x', 'a2y', 'a3x', 'a3y']
    """
    items: list[Item] = [each for part in word for each in (part[1] if part[0] == "lit" else [part])]
    found = list(islice(_words(items), MOST + 1))
    if len(found) > MOST:
        raise ScriptError("brace expansion: cannot allocate memory")
    return [_joined(each) for each in found]


def _joined(items: Sequence[Item]) -> list[Json]:
    parts: list[Json] = []
    for item in items:
        if not isinstance(item, str):
            parts.append(item)
        elif parts and parts[-1][0] == "lit":
            parts[-1] = ["lit", parts[-1][1] + item]
        else:
            parts.append(["lit", item])
    return parts or [["quo", ""]] if not items else parts


def _words(items: list[Item]) -> Iterator[list[Item]]:
    start = 0 if items.count("{") <= MOST_BRACES else len(items)
    while True:
        start = next((at for at in range(start, len(items)) if items[at] == "{"), -1)
        if start < 0:
            yield items
            return
        end, commas = _find_end(items, start)
        choices = _choices(items, start, end, commas) if end > 0 else None
        if choices is None:
            start += 1
            continue
        rest = items[end + 1 :]
        for choice in choices:
            for inner in _words(choice) if commas else (choice,):
                for after in _words(rest):
                    yield [*items[:start], *inner, *after]
        return


def _find_end(items: list[Item], start: int) -> tuple[int, list[int]]:
    depth, commas = 0, list[int]()
    for at in range(start, len(items)):
        if items[at] == "{":
            depth += 1
        elif items[at] == "}":
            depth -= 1
            if not depth:
                return at, commas
        elif items[at] == "," and depth == 1:
            commas.append(at)
    return -1, commas


def _choices(items: list[Item], start: int, end: int, commas: list[int]) -> Iterator[list[Item]] | None:
    if commas:
        edges = [start, *commas, end]
        return (items[a + 1 : b] for a, b in pairwise(edges))
    inner = items[start + 1 : end]
    if not all(isinstance(each, str) for each in inner):
        return None
    text = "".join(str(each) for each in inner)
    if match := _NUMBERS.fullmatch(text):
        return (list(each) for each in _numbers(match[1], match[2], match[3]))
    if match := _LETTERS.fullmatch(text):
        codes = _range(ord(match[1]), ord(match[2]), int(match[3] or 1))
        return ([chr(code)] for code in codes)
    return None


def _numbers(first: str, last: str, step: str | None) -> Iterator[str]:
    padded = any(re.match(r"-?0\d", each) for each in (first, last))
    width = max(len(first), len(last)) if padded else 0
    for number in _range(int(first), int(last), int(step or 1)):
        yield f"{number:0{width}d}" if width else str(number)


def _range(first: int, last: int, step: int) -> range:
    step = abs(step) or 1
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
