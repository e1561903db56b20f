"""One incident, posed as each of the four tasks and solved."""

from __future__ import annotations

from typing import Annotated

import typer

from aiops_gym.agents.base import make
from aiops_gym.catalog.model import TASKS
from aiops_gym.cli.common import make_env, shorten, show, show_turn
from aiops_gym.errors import AiopsGymError

INCIDENT = "revoke_auth_mongodb-{task}-1"


def command(
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another cluster.")] = 7,
    lines: Annotated[int, typer.Option(min=3, help="Lines shown of each output.")] = 14,
) -> None:
    """Show one incident from the first look to the repair, with the reference agent."""
    rewards = [_play(task, seed, lines) for task in TASKS]
    if min(rewards) < 1.0:
        raise AiopsGymError("the reference agent did not solve every task")
    show(f"All four tasks solved: rewards {', '.join(f'{reward:.1f}' for reward in rewards)}.")


def _play(task: str, seed: int, lines: int) -> float:
    env = make_env(INCIDENT.format(task=task))
    observation, info = env.reset(options={"episode_seed": seed})
    agent = make("reference", env)
    agent.reset(observation)
    show(f"\n===== {task.capitalize()}: {info['problem']} =====\n\n{shorten(observation, 2 * lines)}\n")
    total, over = 0.0, False
    while not over:
        action = agent.act(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        total, over = total + float(reward), terminated or truncated
        show_turn(action, observation, float(reward), over, info, lines)
    return total
