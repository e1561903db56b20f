"""Which problems there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.cli.common import RECORDED, show_json
from aiops_gym.openrca.problems import problems_from_query_csv

WIDE = 10_000
"""Columns of a table that no person reads at a terminal."""


def command(
    task: Annotated[
        str | None, typer.Option(help="Only problems of this task; openrca_bank, _market, _telecom too.")
    ] = None,
    app: Annotated[str | None, typer.Option(help="Only problems of this application.")] = None,
    split: Annotated[str | None, typer.Option(help="Only train or only test.")] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Show fault and target too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, answers included.")] = False,
) -> None:
    """List the problems of the catalogue, or with --task openrca_bank and its siblings those of recorded incidents."""
    found: Sequence[Any]
    if (task or "").lower() in RECORDED:
        if app is not None or split not in (None, *SPLITS):
            raise typer.BadParameter("recorded incidents have no --app, and the splits train and test")
        found = [each for each in problems_from_query_csv(str(task)) if split in (None, each.split)]
        columns, told = ["id", "difficulty", "split", "instruction"], ["scoring_points"]
    else:
        found = registry.problems(task.lower() if task else None, app, split)
        columns, told = ["id", "task", "app", "split"], ["fault", "target"]
    if as_json:
        show_json([asdict(problem) for problem in found])
        return
    columns += told if answers else []
    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for problem in found:
        table.add_row(*(str(getattr(problem, column)) for column in columns))
    console = Console()
    if not console.is_terminal:  # a pipe gets whole lines, however narrow its terminal would have been
        console = Console(width=WIDE)
    console.print(table)
    if console.is_terminal:
        console.print(f"[dim]{len(found)} problems[/dim]")
