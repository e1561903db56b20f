"""The stack of wrappers that the learning runs use: numbers in and out, for each task."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from aiops_gym.wrappers import History, MacroActions, RewardShaping, Symptoms

GAMMA = 0.98
"""Discount of the learner where nothing else is asked for, which the potential of the reward needs too."""


def wrap(env: gym.Env[Any, Any], looks_first: bool = True, gamma: float = GAMMA) -> gym.Env[Any, Any]:
    """Puts the wrappers of the learning runs around a live incident.

    Args:
        env: as registered: observes and takes text.
        looks_first: whether answers are masked until all was looked at.
        gamma: discount of the learner.

    Returns:
        An environment with a `Dict` of boxes as observation, discrete actions and `action_masks()`.
    """
    return RewardShaping(
        History(Symptoms(MacroActions(env, looks_first=looks_first))), step=0.01, progress=0.5, gamma=gamma
    )
