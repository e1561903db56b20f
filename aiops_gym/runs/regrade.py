"""Grading again what somebody else has played: each action is carried out once more, and what comes of it compared.

Nothing that a file claims is believed: problem and seed pose the episode, its actions are played, and the verdict is
ours. No code and no path of a file is used: environments are registered ones, made with the grader's arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import AgentError
from aiops_gym.envs.naming import ENVS
from aiops_gym.errors import AiopsGymError, describe_error
from aiops_gym.runs.arguments import make_env
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.runner import run_episode

COMPARED = ("problem_id", "task", "episode_seed", "prompt", "reward", "success", "submitted", "terminated", "truncated")
"""What an episode and its repetition must agree in, beside the observations."""

TURN = ("action", "observation", "error")


@dataclass(frozen=True, slots=True)
class Regraded:
    """One episode, graded again.

    Attributes:
        claimed: the reward that the file names; `reward` is what it is worth.
        difference: the first thing that is otherwise than the file says, "" where nothing is.
        refused: why it was not graded, "" where it was; then `reward` is 0.
    """

    agent: str
    task: str
    problem: str
    seed: int | None
    claimed: float
    reward: float = 0.0
    success: bool = False
    difference: str = ""
    refused: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


class _Again:
    """Plays given actions in order, and gives up after them."""

    def __init__(self, actions: Iterable[str]) -> None:
        self.actions = iter(actions)

    def act(self, observation: str) -> str:
        action = next(self.actions, None)
        if action is None:
            raise AgentError("the file has no more actions")
        return action


def regrade(episodes: Iterable[Episode], env_kwargs: Mapping[str, Any] | None = None) -> Iterator[Regraded]:
    """Grade episodes again, one after another.

    Args:
        episodes: as they were saved.
        env_kwargs: of the environments; episodes that were played with others are refused.
    """
    allowed = dict(env_kwargs or {})
    for episode in episodes:
        told = (episode.agent, episode.task, episode.problem_id, episode.seed, episode.reward)
        refused = _refuse(episode, allowed)
        if refused:
            yield Regraded(*told, refused=refused)
            continue
        try:
            with make_env(episode.env, allowed) as env:
                asked = {"problem": episode.problem_id}
                seeded = asked if episode.seed is not None else {**asked, "episode_seed": episode.episode_seed}
                actions = [step["action"] for step in episode.steps]
                again = run_episode(env, _Again(actions), episode.seed, seeded)
        except (AiopsGymError, KeyError, TypeError, ValueError) as error:
            yield Regraded(*told, refused=describe_error(error))
        else:
            yield Regraded(*told, again.reward, again.success, find_difference(episode, again))


def find_difference(claimed: Episode, played: Episode) -> str:
    """The first thing in which two episodes differ, "" for nothing."""
    for number, (one, other) in enumerate(zip(claimed.steps, played.steps, strict=False), 1):
        for name in TURN:
            if one.get(name) != other[name]:
                return f"step {number}: another {name}"
    if len(claimed.steps) != len(played.steps):
        return f"{len(claimed.steps)} steps, of which {len(played.steps)} can be played"
    return next((f"another {name}" for name in COMPARED if getattr(claimed, name) != getattr(played, name)), "")


def _refuse(episode: Episode, allowed: Mapping[str, Any]) -> str:
    if episode.env not in ENVS.values():
        return "an environment that is not registered"
    if episode.env_kwargs != {**gym.spec(episode.env).kwargs, **allowed}:
        return "played with other arguments of the environment"
    return ""
