"""Measure what can be told of an incident without its symptoms."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from aiops_gym.testing.leaks import measure, played


def command(
    resets: Annotated[
        int, typer.Option(help="Resets of Detection and of Localization; a quarter to repair.", min=60)
    ] = 800,
    split: Annotated[str, typer.Option(help="train or test.")] = "train",
    tier: Annotated[str | None, typer.Option(help="basic, standard or hard; without it all but the hard ones.")] = None,
    write: Annotated[Path | None, typer.Option(help="Write the page to this file.")] = None,
) -> int:
    """Measure what ages, counts, versions, names and rules of thumb tell of an incident: it should be nothing."""
    found = [list(measure.play(task, split, range(resets), tier)) for task in ("detection", "localization")]
    typed = played.play_scripts(split, range(resets // 4), tier)
    drawn = f"the split `{split}`" + (f" and tier `{tier}`" if tier else "")
    page = measure.render_page(found[0], found[1], typed, drawn)
    if write is None:
        sys.stdout.write(page + "\n")
    else:
        write.write_text(page + "\n", encoding="utf-8")
    return 0
