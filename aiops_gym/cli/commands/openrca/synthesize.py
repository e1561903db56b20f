"""Telemetry made up, in the original's files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from aiops_gym.errors import BackendError
from aiops_gym.openrca import synth
from aiops_gym.openrca.profiles import HARD
from aiops_gym.openrca.synth.shares import Share, compute_shares


def command(
    out: Annotated[Path, typer.Argument(help="Folder for Bank, Market and Telecom.")],
    domain: Annotated[str, typer.Option(help="bank, market, market/cloudbed-1, telecom.")] = "bank",
    days: Annotated[int, typer.Option(min=1, help="How many days.")] = 2,
    scale: Annotated[float, typer.Option(help="Share of the full volume, up to 1.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    records: Annotated[
        Path | None, typer.Option(help="A record.csv whose failures are played (market: the folder of both).")
    ] = None,
    profile: Annotated[str, typer.Option(help="hard: no single look solves a question; or easy.")] = HARD,
) -> None:
    """Write labels, questions and telemetry of a domain; say how many failures show in it."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def progress(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        try:
            synth.synthesize(
                out, domain, days=days, scale=scale, seed=seed, records=records, progress=progress, profile=profile
            )
        except OSError as error:
            raise BackendError(f"{out} cannot be written: {error.strerror or error}") from error
    show(compute_shares(synth.plan_jobs(domain, days=days, scale=scale, seed=seed, records=records, profile=profile)))


def show(found: Iterable[Share]) -> None:
    """Print which share of the failures can be told from the telemetry."""
    table = Table("reason", box=None, header_style="bold", pad_edge=False)
    for name in ("failures", "show", "share", "declared"):
        table.add_column(name, justify="right")
    for each in found:
        share = f"{each.shown / each.failures:.0%}" if each.failures else "-"
        table.add_row(each.reason, str(each.failures), str(each.shown), share, f"{each.declared:.0%}")
    Console().print(table)
