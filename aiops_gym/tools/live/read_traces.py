"""Printing exported traces."""

from __future__ import annotations

from aiops_gym.tools.live.get_traces import FOLDER
from aiops_gym.tools.registry import Context, read
from aiops_gym.tools.table import read_table
from aiops_gym.types import Result


@read
def read_traces(context: Context, file_path: str, offset: int = 0) -> Result:
    """Print a CSV file that get_traces wrote; a long one in pages, whose last line has the call for the next page.

    Args:
        file_path: path of one file below trace_output.
        offset: rows to leave out first.
    """
    return read_table(context, "read_traces", file_path, offset, FOLDER)
