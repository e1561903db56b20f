"""What an episode is worth that the limit of steps ends."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from aiops_gym.envs.branching import Branching
from aiops_gym.envs.episode import EpisodeEnv

Env = gym.Env[Any, Any]


class GradedAtLimit(Branching, RecordConstructorArgs):
    """Grades an episode at its last step with `evaluation="aiopslab"`, as the original does; else changes nothing.

    A `TimeLimit` is all that knows which step is the last, and the environment lies below it. So this stands right
    around it: the registration puts it there, and whoever puts a limit of their own around an environment adds it.

    >>> import aiops_gym
    >>> env = gym.make("aiops_gym/Mitigation-v0", problem="auth_miss_mongodb-mitigation-1", max_episode_steps=1)
    >>> env
    <GradedAtLimit<TimeLimit<OrderEnforcing<PassiveEnvChecker<LiveEnv<aiops_gym/Mitigation-v0>>>>>>
    """

    def __init__(self, env: Env) -> None:
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One turn, and after the last one its verdict."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if truncated:
            reward, info = grade_last_step(self.env, float(reward), info)
        return observation, float(reward), terminated, truncated, info


def grade_last_step(env: Env, reward: float, info: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Reward and info of a step that a limit made the last one; as they are where there is a verdict already."""
    inner = env.unwrapped
    if info["results"] or not isinstance(inner, EpisodeEnv):
        return reward, info
    gained, told = inner.grade()
    return reward + gained, {**info, **told}
