"""Let an agent play one episode."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aiops_gym.agents.base import make
from aiops_gym.cli.common import make_env, show, show_json
from aiops_gym.runs import Episode, run_episode


def command(
    problem: Annotated[str | None, typer.Option(help="Id of the problem; without it one is drawn.")] = None,
    task: Annotated[str | None, typer.Option(help="Task to draw a problem of; detection if nothing is named.")] = None,
    agent: Annotated[str, typer.Option(help="random, reference or noop.")] = "reference",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the environment and of the agent.")] = 0,
    evaluation: Annotated[str, typer.Option(help="strict or aiopslab.")] = "strict",
    save: Annotated[Path | None, typer.Option(help="Write the episode to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole episode as JSON.")] = False,
) -> None:
    """Run one episode and say what came of it."""
    env = make_env(problem, task, evaluation=evaluation)
    episode = run_episode(env, make(agent, env, seed), seed)
    if save is not None:
        episode.save(save)
    if as_json:
        show_json(asdict(episode))
    else:
        show(_summary(episode))


def _summary(episode: Episode) -> str:
    how = "solved" if episode.success else "not solved" if episode.terminated else "out of steps"
    steps, seconds = len(episode.steps), episode.end_time - episode.start_time
    return (
        f"{episode.problem_id}  {episode.agent}  {how}  reward {episode.reward:.2f}  "
        f"{steps} steps  {seconds:.0f} virtual seconds"
    )
