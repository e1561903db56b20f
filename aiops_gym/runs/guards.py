"""Agents and environments that raise, in episodes that are kept nevertheless."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gymnasium as gym

from aiops_gym.agents.base import Agent, AgentError, Around
from aiops_gym.envs.episode import BROKEN
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import recording
from aiops_gym.runs.episode import Episode

Env = gym.Env[str, str]
Turn = tuple[str, float, bool, bool, dict[str, Any]]


class GuardedAgent(Around):
    """An agent that gives up where it would raise.

    Attributes:
        trouble: what it raised first, "" for nothing.

    >>> agent = GuardedAgent(lambda observation: 1 / 0)
    >>> with suppress(AgentError):
    ...     agent.act("")
    >>> agent.trouble
    'ZeroDivisionError: division by zero'
    """

    def __init__(self, agent: Agent | Callable[[str], str]) -> None:
        super().__init__(agent)
        self.trouble = ""

    def reset(self, prompt: str) -> None:
        """As the agent does; what it raises is said when it is to act."""
        self._do(super().reset, prompt)

    def act(self, observation: str) -> str:
        """What the agent does. Raises AgentError for whatever that raises."""
        action: str = "" if self.trouble else self._do(super().act, observation)
        if self.trouble:
            raise AgentError(self.trouble)
        return action

    def report(self) -> Any:
        """What the agent tells of itself, where it does."""
        return self._do(super().report) or {}

    def close(self) -> None:
        """As the agent does, if it does."""
        self._do(super().close)

    def _do(self, what: Callable[..., Any], *given: Any) -> Any:
        try:
            return what(*given)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # Anybody's agent: a result like any other.
            self.trouble = self.trouble or told(error)
            return None


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
            return BROKEN.format(told(error)), 0.0, True, False, self.info
        return text, float(reward), terminated, truncated, self.info

    def close(self) -> None:
        """The episode is over, and kept however this ends."""
        with suppress(Exception):
            self.env.close()


def kept(
    play: Callable[[Env, Agent], Episode], env: Env, agent: Agent, seed: int, options: dict[str, Any] | None
) -> Episode:
    """The episode that `play` makes of an environment and an agent, whatever these raise.

    What the agent raised is in `agent_error`. Where the environment did, `infra_error` is set, and the last observation
    says why, or the prompt where it could not even begin.
    """
    guard = GuardedAgent(agent)
    try:
        episode = play(GuardedEnv(env), guard)
    except Exception as error:  # noqa: BLE001  # As in a step.
        episode = recording.unbegun(env, guard.name, seed, options, BROKEN.format(told(error)))
    episode.agent_error = episode.agent_error or guard.trouble
    return episode


def told(error: BaseException) -> str:
    """An error in one line: those of this package speak for themselves."""
    text = " ".join(str(error).split())
    return text if isinstance(error, AiopsGymError) else f"{type(error).__name__}: {text}"
