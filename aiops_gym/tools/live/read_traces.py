"""Printing exported traces."""

from __future__ import annotations

from aiops_gym.tools.live.get_traces import FOLDER
from aiops_gym.tools.registry import Context, read
from aiops_gym.tools.table import read_table
from aiops_gym.types import Result


@read
def read_traces(context: Context, file_path: str) -> Result:
    """Print a CSV file that get_traces wrote.

    Args:
        file_path: path of one file below trace_output.
    """
    return Result(read_table(context.backend.shell, file_path, "traces", FOLDER))
