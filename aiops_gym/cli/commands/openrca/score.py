"""What a file of predictions is worth."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aiops_gym.cli.commands.openrca.report import show
from aiops_gym.cli.common import show_json
from aiops_gym.openrca import report


def command(
    predictions: Annotated[Path, typer.Argument(help="CSV with the column prediction, and row_id if it has one.")],
    questions: Annotated[Path, typer.Argument(metavar="QUERY", help="The query.csv that was asked.")],
    out: Annotated[Path | None, typer.Option(help="File for the score of each row; folders are made.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score predictions as the official script of OpenRCA does."""
    rows, notes = report.score_file(predictions, questions)
    if out is not None:
        report.write(out, rows)
    lines = report.summarise(rows)
    if as_json:
        show_json({"summary": [asdict(line) for line in lines], "notes": notes})
        return
    show(lines)
    for note in notes:
        typer.echo(f"Note: {note}.")
