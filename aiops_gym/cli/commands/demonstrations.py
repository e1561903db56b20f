"""Keep episodes of players that know what to do as a Minari data set."""

from __future__ import annotations

from typing import Annotated

import typer

from aiops_gym.cli.common import TIER, blame_arguments, show
from aiops_gym.learning.demonstrations import record


def command(
    name: Annotated[str, typer.Argument(help="Of the data set, such as aiops_gym/detection/reference-v0.")],
    task: Annotated[str, typer.Option(help="detection, localization, analysis or mitigation.")],
    player: Annotated[
        str, typer.Option(help="reference or script, in numbers with masks; text:NAME for an agent, in texts.")
    ] = "reference",
    episodes: Annotated[int, typer.Option(min=1, help="So many.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Draws problems and episodes.")] = 0,
    split: Annotated[str, typer.Option(help="train or test.")] = "train",
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
) -> None:
    """Play episodes, and keep them as a Minari data set on this machine (extra `minari`)."""
    with blame_arguments():
        found = record(name, task.lower(), player, episodes, seed=seed, split=split, tier=tier)
    show(f"{found.total_episodes} episodes, {found.total_steps} steps in {found.spec.dataset_id}")
