"""How good scored predictions are, by difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from aiops_gym.cli.common import show_json
from aiops_gym.openrca import report


def command(
    files: Annotated[list[Path], typer.Argument(help="Files that `openrca score --out` or the official script made.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print strict accuracy, mean score and the share partly correct, by difficulty, over all files."""
    lines = report.summarise([mark for file in files for mark in report.read(file)])
    if as_json:
        show_json({"summary": [asdict(line) for line in lines]})
        return
    show(lines)


def show(lines: Sequence[report.Line]) -> None:
    """Print a summary as a table."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("difficulty")
    for name in ("questions", "right", "strict", "mean score", "partly right"):
        table.add_column(name, justify="right")
    for line in lines:
        shares = (f"{share:.2%}" for share in (line.strict, line.mean, line.partly))
        table.add_row(line.difficulty, str(line.questions), str(line.right), *shares)
    Console().print(table)
