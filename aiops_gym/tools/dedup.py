r"""Leaving out log entries that differ from the one before in their times only, as AIOpsLab does.

Passes with blocks of 1, 2, ... `size` entries; of two equal neighbours the later one stays. Entries without a time are
never merged, and what an earlier pass made one block stays one.

>>> deduplicate("10:00:01 retry\n10:00:02 retry\n10:00:03 done", 1)
'10:00:02 retry\n10:00:03 done'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

_TIMES = re.compile(
    r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?"
    r"|\d{4}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?"
    r"|\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}\b"
    r"|\b\d{2}:\d{2}:\d{2}\b"
    r"|\b\d+m\d+s\b|\b\d+m\b|\b\d+s\b"
)
_SHAPE = str.maketrans("123456789", "000000000")
"""Where the times of a line are depends on where its digits are, and not on which ones."""

_Spans = tuple[tuple[int, int], ...]
_Rest = tuple[tuple[tuple[int, ...], str], ...]
"""Of each line where its times start, and the line with blanks in their places."""


class _Block(NamedTuple):
    lines: tuple[str, ...]
    rest: _Rest
    timed: bool


def deduplicate(text: str, size: int) -> str:
    """The text with repeated blocks of up to `size` entries left out; unchanged when `size` is 0."""
    if size <= 0:
        return text
    blocks = _entries(text.splitlines())
    for width in range(1, min(size, len(blocks)) + 1):
        grouped = (blocks[at : at + width] for at in range(0, len(blocks), width)) if width > 1 else ()
        blocks = _pass([_joined(group) for group in grouped] or blocks)
    return "\n".join(chain.from_iterable(block.lines for block in blocks))


def _pass(blocks: list[_Block]) -> list[_Block]:
    kept: list[_Block] = []
    before: _Rest = ()
    for block in blocks:
        if block.timed and block.rest == before:
            kept[-1] = block
        else:
            kept.append(block)
        before = block.rest
    return kept


def _joined(blocks: Sequence[_Block]) -> _Block:
    lines = tuple(chain.from_iterable(block.lines for block in blocks))
    rest = tuple(chain.from_iterable(block.rest for block in blocks))
    return _Block(lines, rest, any(block.timed for block in blocks))


def _entries(lines: Sequence[str]) -> list[_Block]:
    """Each line as a block. A log has thousands of lines and few shapes, so times are looked for once a shape."""
    shapes: dict[str, _Spans] = {}
    blocks = []
    for line in lines:
        shape = line.translate(_SHAPE)
        if (spans := shapes.get(shape)) is None:
            spans = shapes[shape] = tuple(found.span() for found in _TIMES.finditer(shape))
        rest = line
        for start, end in spans:
            rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
        blocks.append(_Block((line,), ((tuple([start for start, _ in spans]), rest),), bool(spans)))
    return blocks
