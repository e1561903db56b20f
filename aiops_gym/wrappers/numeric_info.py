"""Infos of numbers alone, for libraries that make tensors of all that they find in them."""

from __future__ import annotations

from numbers import Number
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from aiops_gym.envs.branching import Branching
from aiops_gym.wrappers.reading.turns import Env, Turn


class NumericInfo(Branching, RecordConstructorArgs):
    """Keeps the numbers and arrays of each info, `action_mask` among them, and leaves out texts and dicts.

    The same keys are in every info, each of one type and shape, so that TorchRL's `auto_register_info_dict` takes them.

    Args:
        env: whose infos are read; put this outside of all that reads texts in them, `RecordEpisodes` for one.

    >>> import aiops_gym
    >>> env = NumericInfo(gym.make("aiops_gym/Detection-v0"))
    >>> sorted(env.reset(seed=1)[1])
    ['episode_seed', 'infra_error', 'is_success', 'step', 'time', 'valid_action']
    """

    def __init__(self, env: Env) -> None:
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, _numbers(info)

    def step(self, action: Any) -> Turn:
        """One turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward), terminated, truncated, _numbers(info)


def _numbers(info: dict[str, Any]) -> dict[str, Any]:
    return {name: np.asarray(value) for name, value in info.items() if isinstance(value, Number | np.ndarray)}
