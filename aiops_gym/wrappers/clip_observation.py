"""Shorter observations, for learners and models with little room."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from aiops_gym.envs.space import LIMIT, UnicodeText
from aiops_gym.tools.clip import clip
from aiops_gym.wrappers.reading.turns import Env


class ClipObservation(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Keeps head and tail of each observation, the prompt included, and says how much is missing between them.

    Args:
        env: observes text.
        limit: characters at most.

    >>> import aiops_gym
    >>> env = ClipObservation(gym.make("aiops_gym/Detection-v0"), limit=400)
    >>> text, _ = env.reset(seed=1)
    >>> len(text) <= 400, "characters left out" in text
    (True, True)
    """

    def __init__(self, env: Env, limit: int = 4_000) -> None:
        RecordConstructorArgs.__init__(self, limit=limit)
        gym.ObservationWrapper.__init__(self, env)
        if not isinstance(env.observation_space, gym.spaces.Text):
            raise TypeError(f"ClipObservation cuts text, and {env.observation_space} is none: put it further inside")
        if not 1 <= limit <= LIMIT:
            raise ValueError(f"limit must be from 1 to {LIMIT:,}")
        self.limit = limit
        self.observation_space = UnicodeText(limit)

    def observation(self, observation: str) -> str:
        """Head and tail."""
        return clip(observation, self.limit)
