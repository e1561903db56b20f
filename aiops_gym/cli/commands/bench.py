"""How fast it is, beside something that everybody's machine can measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from aiops_gym.backends.baseline import VARIANTS
from aiops_gym.cli.benches import incidents, recorded, vectors
from aiops_gym.cli.benches.page import TITLES, format_number, rewrite_page
from aiops_gym.cli.common import show_json
from aiops_gym.errors import ArgumentError


def command(
    subject: Annotated[
        str, typer.Argument(help="incidents, vectors, sessions, or openrca for recorded telemetry.")
    ] = "incidents",
    rounds: Annotated[int, typer.Option(min=1, help="Times that each thing is measured.")] = 20,
    envs: Annotated[int, typer.Option(min=2, help="Environments, or sessions, whose memory is measured.")] = 64,
    worlds: Annotated[
        int, typer.Option(min=1, max=VARIANTS, help="Healthy worlds of each application in which incidents begin.")
    ] = VARIANTS,
    spans: Annotated[int, typer.Option(min=10_000, help="Spans of the day that openrca reads.")] = 10_000_000,
    write: Annotated[Path | None, typer.Option(help="Write the figures into this page too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with all details.")] = False,
) -> None:
    """Measure steps, resets, branching and memory of incidents, or access to recorded telemetry; medians."""
    if subject not in TITLES:
        raise ArgumentError(f"nothing to measure called {subject!r}; there are {', '.join(TITLES)}")
    if subject == "openrca":
        report = recorded.measure(spans, min(rounds, 7))
    elif subject == "sessions":
        from aiops_gym.cli.benches import sessions  # noqa: PLC0415 an extra that other subjects do without

        report = sessions.measure(rounds, envs)
    elif subject == "vectors":
        report = vectors.measure(rounds, envs)
    else:
        report = incidents.measure(rounds, envs, worlds)
    if write is not None:
        old = write.read_text(encoding="utf-8") if write.exists() else ""
        write.write_text(rewrite_page(old, subject, report), encoding="utf-8")
    if as_json:
        show_json(report)
    else:
        _show(report)


def _show(report: dict[str, Any]) -> None:
    """A table of the plain figures, and one of each group of them."""
    groups = {name: value for name, value in report.items() if isinstance(value, dict)}
    console = Console()
    for title, rows in {"what": {k: v for k, v in report.items() if k not in groups}, **groups}.items():
        if title in groups:
            console.print()
        table = Table(title, "measured", box=None, header_style="bold", pad_edge=False)
        for name, value in rows.items():
            table.add_row(name, format_number(value))
        console.print(table)
