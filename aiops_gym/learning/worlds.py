"""The environments of a training run."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.wrappers import TimeLimit

from aiops_gym.backends import warmup
from aiops_gym.envs.naming import ENVS
from aiops_gym.ids import STEPS
from aiops_gym.learning.again import Again
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.stack import wrap
from aiops_gym.sim.kernel import draws
from aiops_gym.wrappers import Curriculum

Env = gym.Env[Any, Any]

FIRST_SEED = 2**32
"""Seeds of training lie from here on, those of evaluations below: no healthy episode is in both."""


def draw_seed(seed: int, purpose: str, at: int) -> int:
    """The seed of the episode with this number, among those of training."""
    return FIRST_SEED + draws.bits(seed, purpose, "", at) % 2**31


def make_world(settings: Settings, times: int = 1, curriculum: bool = False) -> gym.Env[Any, Any]:
    """One environment with the stack around it, and so many episodes from each start."""
    warmup.keep_all()
    drawn = {"split": settings.split, **({"tier": settings.tier} if settings.tier else {})}
    given: dict[str, Any] = {"problem": list(settings.problems)} if settings.problems else drawn
    given["tools"] = settings.tools
    if settings.recorded:
        given |= {"tools": "all", "root": settings.root or None, "profile": settings.profile}
    plain: gym.Env[str, str] = gym.make(f"aiops_gym:{ENVS[settings.task]}", disable_env_checker=True, **given)
    assert plain.spec is not None
    again = Again(plain.unwrapped, times)
    limited: gym.Env[Any, Any] = TimeLimit(again, plain.spec.max_episode_steps or STEPS)
    return wrap(
        Curriculum(limited) if curriculum else limited,
        gamma=settings.number("gamma"),
        price=settings.number("price"),
        before_repairs=bool(settings.number("before_repairs")),
        without=settings.without,
    )


def make_vector(settings: Settings, processes: int) -> Any:
    """All environments of a run, as Stable-Baselines3 wants them.

    Args:
        processes: that play them; 0 plays in this one.
    """
    from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: PLC0415

    from aiops_gym.learning.workers import Workers  # noqa: PLC0415

    makers = [partial(_watched, settings)] * settings.envs
    return Workers(makers, processes) if processes else DummyVecEnv(makers)


def _watched(settings: Settings) -> gym.Env[Any, Any]:
    """One environment whose returns are noted."""
    from stable_baselines3.common.monitor import Monitor  # noqa: PLC0415

    world = make_world(
        settings, int(settings.number("again")), bool(settings.number("curriculum")) and not settings.recorded
    )
    watched: gym.Env[Any, Any] = Monitor(world)
    return watched
