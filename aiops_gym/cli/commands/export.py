"""Write saved episodes as conversations to fine-tune a model on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aiops_gym.catalog.model import POSED
from aiops_gym.cli.common import show
from aiops_gym.runs.export import Wanted
from aiops_gym.runs.export import export as write

KINDS = (*POSED, "root_cause")
"""Tasks as episodes name them; the last one is that of recorded incidents."""


def command(
    source: Annotated[list[Path], typer.Argument(help="Saved episodes, or folders of them.")],
    out: Annotated[Path, typer.Option(help="JSONL file to write.")],
    min_reward: Annotated[float | None, typer.Option(help="Only episodes with at least this reward.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only episodes of this task; may be repeated.")] = None,
    split: Annotated[str | None, typer.Option(help="Only problems of this split, train or test.")] = None,
    system: Annotated[
        str | None, typer.Option(help='System message; that of the agent chat if not given, "" for none.')
    ] = None,
    tool_calls: Annotated[
        bool, typer.Option("--tool-calls", help="Write actions as calls of tools, and the tools beside them.")
    ] = False,
) -> None:
    """Write saved episodes as chat messages, a line each, to train a model on."""
    if split not in (None, "train", "test"):
        raise typer.BadParameter(f"--split is train or test, not {split!r}")
    for each in task or ():
        if each not in KINDS:
            raise typer.BadParameter(f"--task is one of {', '.join(KINDS)}, not {each!r}")
    wanted = Wanted(min_reward=min_reward, tasks=tuple(task or ()), split=split)
    written, left_out = write(source, out, wanted, system, tool_calls)
    show(f"{written} conversations in {out}, {left_out} left out")
