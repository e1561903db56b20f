"""Incidents in the shape that RLlib asks for: the mask of the actions is a part of the observation.

Nothing here imports Ray. `ActionMaskingTorchRLModule`, which reads such observations, lies among RLlib's examples:
newer versions of Ray may move it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

import aiops_gym  # noqa: F401  # Registers the environments, in processes of Ray too.
from aiops_gym.learning.stack import GAMMA, wrap


class MaskInObservation(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Shows which actions are allowed beside what there is to see, as RLlib and PettingZoo have it.

    The observation is a `Dict`: `action_mask`, a number for each action, 1 where it is allowed, and `observations`,
    all numbers of the environment in one box, since RLlib's networks take no `Dict`.

    Args:
        env: with numbers as observations, discrete actions and `action_masks()`.

    Raises:
        TypeError: other actions, or observations that are no fixed number of numbers.

    >>> from aiops_gym.learning.stack import wrap
    >>> env = MaskInObservation(wrap(gym.make("aiops_gym/Detection-v0")))
    >>> observation, info = env.reset(seed=1)
    >>> sorted(observation), observation in env.observation_space
    (['action_mask', 'observations'], True)
    >>> (observation["action_mask"] == env.get_wrapper_attr("action_masks")()).all()
    np.True_
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        if not isinstance(env.action_space, gym.spaces.Discrete):
            raise TypeError(f"a mask is about discrete actions, and {env.action_space} is none")
        flat = gym.spaces.flatten_space(env.observation_space)
        if not isinstance(flat, gym.spaces.Box):
            raise TypeError(f"RLlib takes numbers, and {env.observation_space} is none")
        mask = gym.spaces.Box(0.0, 1.0, (int(env.action_space.n),), np.float32)
        self.observation_space = gym.spaces.Dict({"action_mask": mask, "observations": flat})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._shown(observation), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._shown(observation), float(reward), terminated, truncated, info

    def _shown(self, observation: Any) -> dict[str, Any]:
        return {
            "action_mask": np.asarray(self.env.get_wrapper_attr("action_masks")(), np.float32),
            "observations": gym.spaces.flatten(self.env.observation_space, observation),
        }


def make(config: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """A live incident for RLlib: `ray.tune.register_env("incidents", make)`.

    Args:
        config: `task`, `gamma` (that of the learner, `stack.GAMMA` if not given: the potential in the reward needs it),
            `looks_first` and `price` of `stack.wrap`, and arguments of the environment, such as `split` or `problem`.

    >>> make({"task": "detection", "split": "train"}).action_space
    Discrete(...)
    """
    kwargs = dict(config)
    task, gamma = kwargs.pop("task"), kwargs.pop("gamma", GAMMA)
    given = {name: kwargs.pop(name) for name in ("looks_first", "price") if name in kwargs}
    return MaskInObservation(wrap(gym.make(f"aiops_gym/{task.capitalize()}-v0", **kwargs), gamma=gamma, **given))
