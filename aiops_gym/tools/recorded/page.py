"""Tables as CSV within a budget of characters. Lines with `# ` first are notes; no more rows are made than printed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from aiops_gym.openrca.recording import Rows

BUDGET = 8_000
"""Characters of a page at most."""

CELL = 400
"""Characters of one cell at most."""

RESERVE = 300
"""Characters kept for the note on what was left out."""

_SPECIAL = re.compile(r'[,"\n\r]|^#').search

FETCHED = 64
"""Rows that are read at once: most pages have no more of an end."""

PROBE = 8
"""Rows from which the length of the others is guessed."""


def number(value: float, digits: int = 4) -> str:
    """So many significant digits, for numbers that were computed.

    >>> [number(each) for each in (0.1234567, 1234567.0, 12.0, float("nan"))]
    ['0.1235', '1235000', '12', '']
    """
    if math.isnan(value):
        return ""
    short = float(f"{value:.{digits}g}")
    return str(int(short)) if short.is_integer() else repr(short)


def pair(first: float, second: float) -> tuple[str, str]:
    """Two numbers with four significant digits, or as many more as tell them apart.

    >>> pair(1647705600.0, 1647706600.0)
    ('1647706000', '1647707000')
    """
    for digits in range(4, 16):
        texts = number(first, digits), number(second, digits)
        if texts[0] != texts[1] or first == second:
            break
    return texts


def line(values: Iterable[object]) -> str:
    """One line of CSV, without its end: numbers as Python writes them, quotes only where they are needed.

    >>> line([1.0, "a,b", "plain", float("nan"), 3])
    '1.0,"a,b",plain,,3'
    """
    return ",".join(map(_cell, values))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    text = str(value)
    if len(text) > CELL:
        text = f"{text[:CELL]}[... {len(text) - CELL} characters left out]"
    if _SPECIAL(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def top(columns: Sequence[str], rows: Iterable[Sequence[object]], total: int, notes: Sequence[str], hint: str) -> str:
    """The first rows, as many as there is room for.

    Args:
        total: how many there are.
        hint: how to see the others.
    """
    lines = [*(f"# {note}" for note in notes), line(columns)]
    printed = _fit(lines, rows, BUDGET - RESERVE - sum(len(each) + 1 for each in lines))
    if printed < total:
        lines.append(f"# {total - printed:,} of {total:,} rows left out. {hint}")
    return "\n".join(lines)


def ends(rows: Rows, notes: Sequence[str], limit: int | None, hint: str) -> str:
    """All rows where there is room; else the first of them and the last, or the first `limit`."""
    lines = [*(f"# {note}" for note in notes), line(rows.table.names)]
    room = BUDGET - RESERVE - sum(len(each) + 1 for each in lines)
    total = rows.count if limit is None else min(limit, rows.count)
    begin = rows.head(min(FETCHED, total))
    probe = [line(row) for row in begin[:PROBE]]
    length = sum(len(each) + 1 for each in probe) / max(1, len(probe))
    guess = max(PROBE, int(room / max(1.0, length)) + 1)
    if total <= 2 * guess:
        every = [line(row) for row in (begin if total <= len(begin) else rows.head(total))]
        if sum(len(each) + 1 for each in every) <= room:
            return _ended([*lines, *every], rows.count, total, hint)
    if limit is not None:
        few = min(guess, total)
        printed = _fit(lines, begin[:few] if few <= len(begin) else rows.head(few), room)
        return _ended(lines, rows.count, printed, hint)
    first: list[str] = []
    last: list[str] = []
    half = min(guess // 2 + 1, total)
    _fit(first, begin[:half] if half <= len(begin) else rows.head(half), room // 2)
    _fit(last, reversed(rows.tail(min(guess // 2 + 1, total - len(first)))), room - room // 2)
    left_out = total - len(first) - len(last)
    marker = f"# {left_out:,} of {total:,} rows left out here. {hint}"
    return "\n".join([*lines, *first, marker, *reversed(last)])


def _ended(lines: list[str], count: int, printed: int, hint: str) -> str:
    if printed < count:
        lines = [*lines, f"# {count - printed:,} of {count:,} rows left out. {hint}"]
    return "\n".join(lines)


def _fit(lines: list[str], rows: Iterable[Sequence[object]], room: int) -> int:
    """Add rows while there is room, and say how many."""
    added = 0
    for row in rows:
        text = line(row)
        room -= len(text) + 1
        if room < 0:
            break
        lines.append(text)
        added += 1
    return added
