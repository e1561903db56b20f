"""CSV files in the agent's shell: written by the tools that export, printed whole by the tools that read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from aiops_gym.errors import ToolError
from aiops_gym.types import Shell


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


def to_table(text: str) -> str:
    r"""A CSV file's text as pandas prints it without an index: columns right-aligned, one blank between them.

    Raises:
        csv.Error: it is no CSV.

    >>> print(to_table("name,value\ngeo,1\nfrontend,20\n"))
        name value
         geo     1
    frontend    20
    """
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    if not rows:
        raise csv.Error("No columns to parse from file")
    columns = rows[0]
    if len(rows) == 1:
        return f"Empty DataFrame\nColumns: [{', '.join(columns)}]\nIndex: []"
    count = len(columns)
    if any(len(row) > count for row in rows):
        raise csv.Error(f"Expected {count} fields in each line")
    cells = [[cell or "NaN" for cell in row] + ["NaN"] * (count - len(row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(" ".join(map(str.rjust, row, widths)) for row in cells)


def read_table(shell: Shell, path: str, what: str, folder: str) -> str:
    """A file of the shell, printed.

    Args:
        what: of the file, for the error: `metrics`.
        folder: where such files lie.

    Raises:
        ToolError: there is no such file, or it is no table.
    """
    try:
        return to_table(shell.read_file(path))
    except FileNotFoundError:
        there = shell.list_files(folder)[-3:]
        hint = f" There are, for example: {', '.join(there)}." if there else f" Call get_{what} first."
        raise ToolError(f"error: {what.capitalize()} file '{path[:200]}' not found.{hint}") from None
    except (OSError, ValueError, csv.Error) as error:
        raise ToolError(f"Failed to read {what}: {error}") from None
