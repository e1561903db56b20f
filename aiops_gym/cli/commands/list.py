"""Which problems there are."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import POSED
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.cli.common import RECORDED, TIER, show_json
from aiops_gym.openrca.problems import problems_from_query_csv

WIDE = 10_000
"""Columns of a table that no person reads at a terminal."""

MORE = "Listed are those of AIOpsLab; --split train and --split test list the computed ones too."


def command(
    task: Annotated[
        str | None, typer.Option(help="Only problems of this task; openrca_bank, _market, _telecom too.")
    ] = None,
    app: Annotated[str | None, typer.Option(help="Only problems of this application.")] = None,
    split: Annotated[str | None, typer.Option(help="Only train or only test.")] = None,
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Show fault and target too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, answers included.")] = False,
) -> None:
    """List the problems of the catalogue, or with --task openrca_bank and its siblings those of recorded incidents."""
    found: Sequence[Any]
    task = task.lower() if task else None
    if recorded := task in RECORDED:
        if app is not None or tier is not None or split not in (None, *SPLITS):
            raise typer.BadParameter("recorded incidents have no --app and no --tier, and the splits train and test")
        found = [each for each in problems_from_query_csv(str(task)) if split in (None, each.split)]
        columns, told = ["id", "difficulty", "split", "instruction"], ["scoring_points"]
    else:
        found = registry.problems(task, app, split, tier)
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
    said = f"{len(found):,} problems" if split or tier or recorded else _counted(task, app)
    sys.stderr.write(f"\n{said}\n")  # whoever reads the list of a pipe gets problems only


def _counted(task: str | None, app: str | None) -> str:
    """How many problems there are of each task and application: those of AIOpsLab, and all of each split."""
    sets = {"AIOpsLab": None, **{split: split for split in SPLITS}}
    rows = [("", *sets), *(_row(name, sets.values(), name, app) for name in (POSED if task is None else ()))]
    rows += [_row(name, sets.values(), task, name) for name in (registry.apps() if app is None else ())]
    rows.append(_row("in all", sets.values(), task, app))
    lines = [f"{name:20}" + "".join(f"{count:>10}" for count in counts) for name, *counts in rows]
    return "\n".join([*lines, MORE])


def _row(name: str, splits: Iterable[str | None], task: str | None, app: str | None) -> tuple[str, ...]:
    return (name, *(f"{len(registry.problems(task, app, split)):,}" for split in splits))
