r"""Leaving out log entries that differ from the one before in their times only, as AIOpsLab does when asked to.

Passes with blocks of 1, 2, ... `size` entries; of two equal neighbours the later one stays. Entries without a time are
never merged, and what an earlier pass made one block stays one.

>>> deduplicate("10:00:01 retry\n10:00:02 retry\n10:00:03 done", 1)
'10:00:02 retry\n10:00:03 done'
"""

from __future__ import annotations

import re

_TIMES = re.compile(
    r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?"
    r"|\d{4}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?"
    r"|\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}\b"
    r"|\b\d{2}:\d{2}:\d{2}\b"
    r"|\b\d+m\d+s\b|\b\d+m\b|\b\d+s\b"
)
_LOGS = re.compile(r"kubectl\s+(?:logs|get\s+events|describe|get\s+\w+\s+-w)|docker\s+(?:logs|events)")


def looks_like_logs(command: str) -> bool:
    """Whether what a command prints is shortened; flags before the verb hide it, as they do in AIOpsLab."""
    return _LOGS.search(command) is not None


def deduplicate(text: str, size: int) -> str:
    """The text with repeated blocks of up to `size` entries left out; unchanged when `size` is 0."""
    if size <= 0:
        return text
    entries = text.splitlines()
    for width in range(1, min(size, len(entries)) + 1):
        entries = _pass(["\n".join(entries[at : at + width]) for at in range(0, len(entries), width)])
    return "\n".join(entries)


def _pass(blocks: list[str]) -> list[str]:
    kept: list[str] = []
    before: tuple[tuple[int, ...], str] = ((), "")
    for block in blocks:
        masked = _masked(block)
        if masked[0] and masked == before:
            kept[-1] = block
        else:
            kept.append(block)
        before = masked
    return kept


def _masked(block: str) -> tuple[tuple[int, ...], str]:
    """Where the times start, and the block with blanks in their places."""
    starts = tuple(found.start() for found in _TIMES.finditer(block))
    return starts, _TIMES.sub(lambda found: " " * len(found[0]), block) if starts else block
