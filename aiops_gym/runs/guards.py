"""Environments that raise, in episodes that are kept nevertheless."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gymnasium as gym

from aiops_gym.agents.kinds import Adapted
from aiops_gym.envs.episode import BROKEN
from aiops_gym.errors import describe_error
from aiops_gym.runs import recording
from aiops_gym.runs.episode import Episode

Env = gym.Env[str, str]
Turn = tuple[str, float, bool, bool, dict[str, Any]]


class GuardedEnv(gym.Wrapper[str, str, str, str]):
    """An environment whose episode ends, as an error of the infrastructure, where it would raise in a step."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode."""
        text, self.info = self.env.reset(seed=seed, options=options)
        return text, self.info

    def step(self, action: str) -> Turn:
        """One turn, or the last one."""
        try:
            text, reward, terminated, truncated, self.info = self.env.step(action)
        except Exception as error:  # noqa: BLE001  # Anybody's wrappers, and our own bugs: a result like any other.
            nothing = {"tool": "", "error": "", "reward_components": {}, "results": {}}
            self.info = {**self.info, **nothing, "valid_action": False, "is_success": False, "infra_error": True}
            return BROKEN.format(describe_error(error)), 0.0, True, False, self.info
        return text, float(reward), terminated, truncated, self.info

    def close(self) -> None:
        """The episode is over, and kept however this ends."""
        with suppress(Exception):
            self.env.close()


def guard_episode(
    play: Callable[[Env, Adapted], Episode], env: Env, agent: Adapted, seed: int, options: dict[str, Any] | None
) -> Episode:
    """The episode that `play` makes of an environment and an agent, whatever the environment raises.

    Where it does, `infra_error` is set, and the last observation says why, or the prompt where it could not even begin.
    """
    try:
        return play(GuardedEnv(env), agent)
    except Exception as error:  # noqa: BLE001  # As in a step.
        return recording.record_unbegun(env, agent.name, seed, options, BROKEN.format(describe_error(error)))
