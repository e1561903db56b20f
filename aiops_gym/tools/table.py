"""CSV files in the agent's shell: written by the tools that export, printed in pages by the tools that read."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable, Sequence

from aiops_gym.errors import ToolError
from aiops_gym.tools.registry import Context
from aiops_gym.types import Call, Result, Shell


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A CSV file's text, with the names of the columns first."""
    cells = [columns, *rows]
    text = "\n".join([",".join(row) for row in cells]) + "\n"
    if _plain(text, list(map(len, cells))):
        return text
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(cells)
    return out.getvalue()


def _plain(text: str, lengths: Sequence[int]) -> bool:
    """Whether cells that were only joined need no quotes: each has nothing in it that has a meaning."""
    separators = len(lengths) * (lengths[0] - 1)
    even = lengths[0] > 1 and lengths.count(lengths[0]) == len(lengths)
    return (
        even
        and text.count(",") == separators
        and text.count("\n") == len(lengths)
        and '"' not in text
        and "\r" not in text
    )


def save(shell: Shell, path: str, text: str) -> None:
    """Write a file into the agent's shell. Raises ToolError when it has no room left."""
    try:
        shell.write_file(path, text)
    except OSError as error:
        raise ToolError(f"Error: cannot write {path}: {error.strerror or error}.") from None


class Table:
    r"""A CSV file's text as pandas prints it without an index: columns right-aligned, one blank between them.

    Args:
        text: of the file.

    Attributes:
        count: of its rows, the header apart.

    Raises:
        csv.Error: it is no CSV.

    >>> print(Table("name,value\ngeo,1\nfrontend,20\n"))
        name value
         geo     1
    frontend    20
    """

    def __init__(self, text: str) -> None:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
        if not rows:
            raise csv.Error("No columns to parse from file")
        self.columns, self.count = rows[0], len(rows) - 1
        fields = len(self.columns)
        if any(len(row) > fields for row in rows):
            raise csv.Error(f"Expected {fields} fields in each line")
        self._cells = [[cell or "NaN" for cell in row] + ["NaN"] * (fields - len(row)) for row in rows]
        self._widths = [max(map(len, column)) for column in zip(*self._cells, strict=True)]

    def __str__(self) -> str:
        if not self.count:
            return f"Empty DataFrame\nColumns: [{', '.join(self.columns)}]\nIndex: []"
        return "\n".join(map(self._line, range(self.count + 1)))

    def fits(self, limit: int) -> bool:
        """Whether all of it has at most so many characters."""
        return not self.count or (self.count + 1) * self._length - 1 <= limit

    def page(self, offset: int, limit: int, call: Callable[[int], str]) -> str:
        """The header, the rows after `offset` that fit, and a line that says which they are and how to go on.

        There is one row in any case, and the rows of all pages one after another are those of the table.

        Args:
            offset: rows to leave out first.
            limit: characters of the page.
            call: what shows the page after so many rows.
        """
        room = limit - self._length - len(self._last_line(self.count, self.count, call))
        end = min(self.count, offset + max(1, room // self._length))
        last = self._last_line(offset + 1, end, call if end < self.count else None)
        return "\n".join([self._line(0), *map(self._line, range(offset + 1, end + 1)), last])

    @property
    def _length(self) -> int:
        """Characters of each line, its end among them: they are padded to the same."""
        return sum(self._widths) + len(self._widths)

    def _line(self, at: int) -> str:
        return " ".join(map(str.rjust, self._cells[at], self._widths))

    def _last_line(self, first: int, last: int, call: Callable[[int], str] | None) -> str:
        return f"[rows {first} to {last} of {self.count}; {f'next: {call(last)}' if call else 'no more'}]"


def read_table(context: Context, tool: str, path: str, offset: int, folder: str) -> Result:
    """A file of the agent's shell, printed: all of it where it fits, else a page.

    Args:
        context: of the call.
        tool: that prints it, `read_metrics`.
        path: of the file.
        offset: rows to leave out first.
        folder: where such files lie.

    Raises:
        ToolError: there is no such file, it is no table, or it has no rows after so many.
    """
    what, shell = tool.removeprefix("read_"), context.backend.shell
    try:
        table = Table(shell.read_file(path))
    except FileNotFoundError:
        there = shell.list_files(folder)[-3:]
        hint = f" There are, for example: {', '.join(there)}." if there else f" Call get_{what} first."
        raise ToolError(f"error: {what.capitalize()} file '{path[:200]}' not found.{hint}") from None
    except (OSError, ValueError, csv.Error) as error:
        raise ToolError(f"Failed to read {what}: {error}") from None
    if offset and not 0 < offset < table.count:
        raise ToolError(f"Error: {tool}: offset must be 0 or more and below {table.count}, its rows, not {offset}.")
    if not offset and (context.limit is None or table.fits(context.limit)):
        return Result(str(table))
    limit = sys.maxsize if context.limit is None else context.limit
    return Result(table.page(offset, limit, lambda rows: Call(tool, (path,), {"offset": rows}).line))
