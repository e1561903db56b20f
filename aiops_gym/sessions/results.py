"""What an agent is told of an action, and what a trainer is told of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiops_gym.envs.episode import EpisodeEnv

Env = EpisodeEnv[Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What an action came to.

    Attributes:
        text: the observation.
        over: no further action counts: an answer was accepted, the steps are used up, or the session has ended.
    """

    text: str
    over: bool


@dataclass(frozen=True, slots=True)
class Score:
    """What a session is worth as it stands, for the trainer only.

    Attributes:
        reward: None where it is masked: leave the sample out, it is not 0.
        success: whether the evaluator calls it solved.
        over: the agent can do nothing more; before, the score is that of giving up here.
        masked: we failed, and not the agent; `reason` says how.
        info: of the last step, as the environment gives it; empty where there is none.
    """

    reward: float | None
    success: bool = False
    over: bool = True
    masked: bool = False
    reason: str = ""
    steps: int = 0
    info: Mapping[str, Any] = field(default_factory=dict)


def is_over(env: Env, steps: int) -> bool:
    """Whether an episode of so many steps at most has come to its end."""
    _, _, over, _, info = env.last
    return bool(over or info["step"] >= steps)


def grade(env: Env, steps: int) -> Score:
    """What it is worth, as the limit of steps of the registered environments gives it, see `envs.limit`."""
    text, reward, over, _, info = env.last
    if not over:
        gained, info = env.grade()
        reward += gained
    if info["infra_error"]:
        return Score(None, masked=True, reason=text if over else "grading failed", steps=info["step"], info=info)
    return Score(reward, info["is_success"], is_over(env, steps), steps=info["step"], info=info)
