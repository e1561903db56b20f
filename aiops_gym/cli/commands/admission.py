"""Play every computed problem, and say which keep their promises."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.testing import figures
from aiops_gym.testing.admission import admit, list_pairs
from aiops_gym.testing.adversary import table
from aiops_gym.testing.adversary.play import draw_mitigations

Given = TypeVar("Given")
Found = TypeVar("Found")

WIDE = 200
"""Columns of a table that no person reads at a terminal."""


def command(
    sample: Annotated[float, typer.Option(help="Share of the pairs, drawn by hash.", min=0.0, max=1.0)] = 1.0,
    app: Annotated[str | None, typer.Option(help="Only problems of this application.")] = None,
    fault: Annotated[str | None, typer.Option(help="Only problems of this fault.")] = None,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
    scripts: Annotated[int, typer.Option(help="Drawn scripts without a question, played beside.", min=0)] = 0,
    per_family: Annotated[int, typer.Option(help="Problems of each family under attack.", min=0)] = 0,
    write: Annotated[Path | None, typer.Option(help="Write the page of figures to this file.")] = None,
) -> int:
    """Play every computed problem in every way, and print what was measured."""
    if fault is not None and fault not in registry.faults():
        raise typer.BadParameter(f"no fault {fault!r}; docs/problems.md lists them")
    chosen = list_pairs(app, fault, sample)
    shown = Console(stderr=True)
    found = list(
        track(_mapped(admit, chosen, workers), "playing", len(chosen), console=shown, disable=not shown.is_terminal)
    )
    families = [p.fault for p in draw_mitigations(1, family=fault)]
    attacked = list(
        _mapped(partial(table.measure_family, per_family=per_family), families if per_family else [], workers)
    )
    drawn = list(_mapped(table.measure_script, range(scripts), workers))
    _print(figures.make_table(found))
    _print([("script", *SPLITS), *figures.measure_rote(found), *drawn])
    if attacked:
        _print(table.make_rows(attacked))
    for row in attacked:
        sys.stdout.writelines(f"{row.family}: mistyped: {name}\n" for name in sorted(row.mistyped))
    broken = [each for each in found if each.broken]
    for each in broken:
        sys.stdout.write(f"{each.app} {each.fault} {each.target}: {'; '.join(each.broken)}\n")
    if write is not None:
        write.write_text(figures.render_page(found, attacked, drawn), encoding="utf-8")
    return 1 if broken else 0


def _mapped(work: Callable[[Given], Found], chosen: Sequence[Given], workers: int) -> Iterator[Found]:
    """The results in the order of what they are made from, from as many processes."""
    if workers == 1 or not chosen:
        yield from map(work, chosen)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, chosen, chunksize=1 + len(chosen) // (50 * workers))


def _print(rows: Sequence[Sequence[str]]) -> None:
    head, *rest = rows
    table = Table(*head, box=None, header_style="bold", pad_edge=False)
    for row in rest:
        table.add_row(*row)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    console.print(table)
