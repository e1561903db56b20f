"""A person at the prompt."""

from __future__ import annotations

import secrets
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import gymnasium as gym
import typer

from aiops_gym.agents.human import Human
from aiops_gym.cli.common import APP, SPLIT, TIER, make_env, show
from aiops_gym.cli.ending import render_ending
from aiops_gym.cli.typing import offer_typing_aids
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.recording import UNLIMITED
from aiops_gym.runs.together import RAISE, run_episodes

SEEDS = 1_000_000
"""A seed that nobody named is below this, and short enough to type."""


class _Kept(gym.Wrapper[str, str, str, str]):
    """Stays as it is when its episode is over: there is more to be asked about it."""

    def close(self) -> None:
        """Not yet."""


def command(
    problem: Annotated[str | None, typer.Option(help="Id of the problem; without it one is drawn.")] = None,
    task: Annotated[str | None, typer.Option(help="Task to draw a problem of; detection if nothing is named.")] = None,
    split: Annotated[str | None, typer.Option(help=SPLIT)] = None,
    app: Annotated[str | None, typer.Option(help=APP)] = None,
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same incident.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the episode to this file, finished or not.")] = None,
) -> None:
    """Play an incident yourself: type shell commands or API calls, and submit in the end. `help` says more."""
    env = _Kept(make_env(problem, task, split, app, tier=tier, max_episode_steps=UNLIMITED))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    chosen = secrets.randbelow(SEEDS) if seed is None else seed
    with offer_typing_aids((*env.get_wrapper_attr("tools"), "submit", "help", "exit")), suppress(KeyboardInterrupt):
        for episode in run_episodes(lambda: env, lambda env, _: Human(env, width), [chosen], at_once=1, on_error=RAISE):
            if save is not None:
                episode.save(save)
            show(render_ending(env, episode, width))
            if episode.agent_traceback:  # nobody's answer, but an error in what reads them
                sys.stderr.write(episode.agent_traceback)
                raise AiopsGymError(episode.agent_error)
