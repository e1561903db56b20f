"""A person at the prompt."""

from __future__ import annotations

from typing import Annotated

import typer

from aiops_gym.agents.human import Human
from aiops_gym.cli.common import make_env, show
from aiops_gym.cli.typing import typing_aids
from aiops_gym.envs import render
from aiops_gym.runs import run_episode
from aiops_gym.runs.recording import UNLIMITED


def command(
    problem: Annotated[str | None, typer.Option(help="Id of the problem; without it one is drawn.")] = None,
    task: Annotated[str | None, typer.Option(help="Task to draw a problem of; detection if nothing is named.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same incident.")] = None,
) -> None:
    """Play an incident yourself: type shell commands or API calls, and submit(...) in the end."""
    env = make_env(problem, task, max_episode_steps=UNLIMITED)
    tools = tuple(env.get_wrapper_attr("tools"))
    try:
        with typing_aids(tools):
            episode = run_episode(env, Human(tools), seed)
    except EOFError:
        show("\nleft without a submission")
        return
    info = {"infra_error": episode.infra_error, "is_success": episode.success, "results": episode.results}
    show(render.verdict(episode.reward, info))
