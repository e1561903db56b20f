"""Play every computed problem, and say which keep their promises."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from aiops_gym.catalog import registry
from aiops_gym.catalog.composed import HOW
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.runs.workers import collect_seldom
from aiops_gym.testing import figures
from aiops_gym.testing.admission import Admission, Pair, admit, list_pairs, name_pair
from aiops_gym.testing.adversary import table
from aiops_gym.testing.adversary.play import draw_mitigations
from aiops_gym.testing.kept import Kept

WIDE = 200
"""Columns of a table that no person reads at a terminal."""


def command(
    sample: Annotated[float, typer.Option(help="Share of the pairs, drawn by hash.", min=0.0, max=1.0)] = 1.0,
    app: Annotated[str | None, typer.Option(help="Only problems of this application.")] = None,
    fault: Annotated[str | None, typer.Option(help="Only problems of this fault, or composed so.")] = None,
    tier: Annotated[str | None, typer.Option(help="hard for the hard ones; without it all others.")] = None,
    seed: Annotated[int, typer.Option(help="Of the worlds in which they are posed.", min=0)] = 1,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
    scripts: Annotated[int, typer.Option(help="Drawn scripts without a question, played beside.", min=0)] = 0,
    per_family: Annotated[int, typer.Option(help="Problems of each family under attack.", min=0)] = 0,
    write: Annotated[Path | None, typer.Option(help="Write the page of figures to this file.")] = None,
    out: Annotated[Path | None, typer.Option(help="Keep results in this folder, and go on with those of it.")] = None,
) -> int:
    """Play every computed problem in every way, and print what was measured."""
    if fault is not None and fault not in {**registry.faults(), **HOW}:
        raise typer.BadParameter(f"no fault {fault!r}; docs/problems.md lists them")
    chosen = list_pairs(app, fault, sample, tier)
    shown = Console(stderr=True)
    attackable = draw_mitigations(1, family=fault, tier=tier) if per_family else ()
    families = {f"{p.fault}-{per_family}": p.fault for p in attackable}
    pairs, attacks, rote = Kept(Admission.read, out), Kept(table.Measured.read, out), Kept(table.Rote.read, out)
    with _open_pool(workers) as pool, Progress(console=shown, disable=not shown.is_terminal) as bar:
        tell = partial(bar.advance, bar.add_task("playing", total=len(chosen) + len(families) + scripts))
        attacked = attacks.work(partial(table.measure_family, per_family=per_family), families, pool, tell)
        drawn = rote.work(table.measure_script, {f"script-{n}": n for n in range(scripts)}, pool, tell)
        posed = {"-".join(["pair", *_key(pair), str(seed)]): pair for pair in chosen}
        found = pairs.work(partial(admit, seed=seed), posed, pool, tell)
    _print(figures.make_table(found))
    _print([("script", *SPLITS), *figures.measure_rote(found), *((each.name, *each.shares) for each in drawn)])
    if attacked:
        _print(table.make_rows(attacked))
    for row in attacked:
        sys.stdout.writelines(f"{row.family}: mistyped: {name}\n" for name in sorted(row.mistyped))
    broken = [each for each in found if each.broken]
    for each in broken:
        sys.stdout.write(f"{each.app} {each.fault} {each.target}: {'; '.join(each.broken)}\n")
    if write is not None:
        write.write_text(figures.render_page(found, attacked, drawn, tier), encoding="utf-8")
    return 1 if broken else 0


def _key(pair: Pair) -> tuple[str, ...]:
    return name_pair(pair[0])


@contextmanager
def _open_pool(workers: int) -> Iterator[Executor | None]:
    """So many processes; one that is alone plays here."""
    if workers == 1:
        yield None
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), collect_seldom) as pool:
        yield pool


def _print(rows: Sequence[Sequence[str]]) -> None:
    head, *rest = rows
    table = Table(*head, box=None, header_style="bold", pad_edge=False)
    for row in rest:
        table.add_row(*row)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    console.print(table)
