"""Aligned columns as kubectl's tab writer lays them out: at least 6 wide, 3 blanks apart, the last one not padded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

MINIMUM = 6
PADDING = 3


def lay_out(rows: Sequence[Sequence[str]], padded_end: bool = False, least: list[int] | None = None) -> str:
    r"""Rows as lines.

    Args:
        rows: cells by row; all rows are equally long.
        padded_end: whether the last column is padded too, as in `kubectl top`.
        least: widths of the lines printed before, which columns do not fall below; brought up to date.

    >>> lay_out([["NAME", "AGE"], ["geo-5d8f", "3m"]])
    'NAME       AGE\ngeo-5d8f   3m\n'
    """
    if not rows:
        return ""
    columns = list(zip(*rows, strict=True))
    last = len(columns) if padded_end else len(columns) - 1
    widths = [max(MINIMUM, max(map(len, column)) + PADDING) for column in columns[:last]]
    if least is not None:
        widths = [max(pair) for pair in zip_longest(widths, least[: len(widths)], fillvalue=0)]
        least[:] = widths
    line = "".join([f"%-{width}s" for width in widths]) + ("%s" * (len(columns) - last)) + "\n"
    text = "".join([line % tuple(row) for row in rows])
    return elastic(rows, padded_end) if "\t" in text or "\x1b" in text or "\r" in text else text


def elastic(rows: Sequence[Sequence[str]], padded_end: bool = False) -> str:
    """The same for cells that hold tabs: each tab ends a cell, and columns are runs of lines that have one."""
    lines = [_escaped("\t".join(row) + ("\t" if padded_end else "")).split("\t") for row in rows]
    _align(lines, 0, len(lines), 0)
    return "".join(["".join(line) + "\n" for line in lines])


def _align(lines: list[list[str]], start: int, stop: int, column: int) -> None:
    """Pad one column over each run of lines in which it is ended by a tab, then the columns to its right."""
    at = start
    while at < stop:
        if len(lines[at]) - 1 <= column:
            at += 1
            continue
        end = at
        while end < stop and len(lines[end]) - 1 > column:
            end += 1
        width = max(MINIMUM, max(len(line[column]) for line in lines[at:end]) + PADDING)
        _align(lines, at, end, column + 1)
        for line in lines[at:end]:
            line[column] = line[column].ljust(width)
        at = end


def _escaped(text: str) -> str:
    """What kubectl writes for characters that would drive a terminal."""
    return text.replace("\x1b", "^[").replace("\r", "\\r")


def format_cell(value: Any) -> str:
    """The text of a Table cell: its first line."""
    text = value if isinstance(value, str) else scalar(value)
    if "\n" in text or "\r" in text or "\f" in text:
        cut = min(at for at in map(text.find, "\n\r\f") if at >= 0)
        return text[:cut] + "..."
    return text


def scalar(value: Any) -> str:
    """A JSON scalar as Go prints it; nothing for null.

    >>> scalar(True), scalar(None), scalar(3), scalar(2.5)
    ('true', '', '3', '2.5')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
