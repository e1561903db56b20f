r"""The text of one description: indented lines whose tabs become aligned columns.

>>> page = Page()
>>> page.line("Name:\tgeo")
>>> page.line("Start Time:\tnow")
>>> page.text()
'Name:        geo\nStart Time:  now\n'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

PADDING = 2
"""Blanks between a column and the next."""


class Page:
    """Lines in the order written; a tab ends a cell of the column it stands in."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str = "", level: int = 0) -> None:
        """Write a line, two blanks deeper a level. A newline inside begins another, unindented line."""
        self.lines.append("  " * level + text if level else text)

    def extend(self, lines: Iterable[str]) -> None:
        """Write lines that are already indented."""
        self.lines.extend(lines)

    def rows(self, rows: Iterable[Sequence[object]], level: int = 1) -> None:
        """Write a table, one line a row."""
        indent = "  " * level
        self.lines.extend(indent + "\t".join(map(str, row)) for row in rows)

    def text(self) -> str:
        """All of it, aligned."""
        return align("\n".join(self.lines))


def align(text: str) -> str:
    r"""Align the cells of each column over neighbouring lines, as an elastic tab writer does.

    >>> align("a:\tx\nlong:\ty\n\nb:\tz")
    'a:     x\nlong:  y\n\nb:  z\n'
    """
    if "\x1b" in text or "\r" in text:
        text = text.replace("\x1b", "^[").replace("\r", "\\r")
    rows = [line.split("\t") for line in text.split("\n")]
    counts = [len(row) - 1 for row in rows]
    for column in range(max(counts)):
        _pad(rows, counts, column)
    return "\n".join(["".join(row) for row in rows]) + "\n"


def _pad(rows: list[list[str]], counts: list[int], column: int) -> None:
    """Pad one column: each run of neighbouring lines that have a cell in it gets its own width."""
    begin, end, size = 0, 0, len(rows)
    while begin < size:
        if counts[begin] <= column:
            begin += 1
            continue
        end = begin
        while end < size and counts[end] > column:
            end += 1
        block = rows[begin:end]
        width = max([len(row[column]) for row in block]) + PADDING
        for row in block:
            row[column] = row[column].ljust(width)
        begin = end
