"""The stack of wrappers that the learning runs use: numbers in and out, for each task."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import gymnasium as gym

from aiops_gym.learning.ablations import Ablated, list_macros
from aiops_gym.tasks import root_cause
from aiops_gym.wrappers import History, MacroActions, RecordedLooks, RewardShaping, Symptoms
from aiops_gym.wrappers.macro_actions import find_offered

GAMMA = 0.98
"""Discount of the learner where nothing else is asked for, which the potential of the reward needs too."""

PRICE = 0.01
"""Of each call, where a right answer is worth 1: all looks around together cost a tenth of it."""


def wrap(
    env: gym.Env[Any, Any],
    looks_first: bool | float = False,
    gamma: float = GAMMA,
    *,
    price: float = PRICE,
    before_repairs: bool = False,
    without: str = "",
) -> gym.Env[Any, Any]:
    """Puts the wrappers of the learning runs around an incident, live or recorded.

    Args:
        env: as registered: observes and takes text.
        looks_first: whether answers are masked until all was looked at, or in what share of the episodes. By default
            each look is free to choose, and has its price.
        gamma: discount of the learner.
        price: of each call.
        before_repairs: whether repairs are masked likewise.
        without: what is left out, a name of `ablations.ABLATIONS`; "" for nothing.

    Returns:
        An environment with a `Dict` of boxes as observation, discrete actions and `action_masks()`.
    """
    if env.get_wrapper_attr("task") == root_cause.task.name:
        looks = RecordedLooks(env, looks_first)
        return gym.wrappers.TransformReward(looks, partial(operator.add, -price))
    macros = list_macros(str(env.get_wrapper_attr("task")), without, find_offered(env))
    acting: dict[str, Any] = {"macros": macros, "looks_first": looks_first, "before_repairs": before_repairs}
    prices = {"step": price, "progress": 0.5, "gamma": gamma}
    stack = RewardShaping(History(Symptoms(MacroActions(env, **acting))), **prices)
    return Ablated(stack, without) if without else stack
