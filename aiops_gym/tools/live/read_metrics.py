"""Printing exported metrics."""

from __future__ import annotations

from aiops_gym.tools.live.get_metrics import FOLDER
from aiops_gym.tools.registry import Context, read
from aiops_gym.tools.table import read_table
from aiops_gym.types import Result


@read
def read_metrics(context: Context, file_path: str) -> Result:
    """Print a CSV file that get_metrics wrote.

    Args:
        file_path: path of one file below metrics_output.
    """
    return Result(read_table(context.backend.shell, file_path, "metrics", FOLDER))
