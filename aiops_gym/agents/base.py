"""What an agent is, and how one is found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym

from aiops_gym import agents
from aiops_gym.errors import CatalogError

Env = gym.Env[str, str]


@runtime_checkable
class Agent(Protocol):
    """Reads what was printed and says what to do next."""

    def reset(self, prompt: str) -> None:
        """A new episode begins."""

    def act(self, observation: str) -> str:
        """The next action. The first observation of an episode is its prompt."""


class Function:
    """A callable text -> text as an agent."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def reset(self, prompt: str) -> None:
        """Nothing: the prompt comes as the first observation."""

    def act(self, observation: str) -> str:
        """Ask the function."""
        return self.function(observation)


class Fixed:
    """Plays given actions in order, and then repeats the last one.

    >>> agent = Fixed(["a", "b"])
    >>> agent.reset("prompt")
    >>> [agent.act("") for _ in range(3)]
    ['a', 'b', 'b']
    """

    def __init__(self, actions: list[str], name: str = "fixed") -> None:
        self.actions, self.name, self.at = list(actions), name, 0

    def reset(self, prompt: str) -> None:
        """Begin with the first action again."""
        self.at = 0

    def act(self, observation: str) -> str:
        """The next action."""
        action = self.actions[min(self.at, len(self.actions) - 1)]
        self.at += 1
        return action


def adapt(agent: Agent | Callable[[str], str]) -> Agent:
    """An agent from an agent or a callable.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(agent, Agent):
        return agent
    if callable(agent):
        return Function(agent)
    raise TypeError(f"an agent has reset(prompt) and act(observation), or is callable; {agent!r} is neither")


@cache
def names() -> tuple[str, ...]:
    """The agents that can be made by name, sorted."""
    found = (module.name for module in pkgutil.iter_modules(agents.__path__))
    return tuple(sorted(name for name in found if name != "base"))


def make(name: str, env: Env, seed: int = 0) -> Agent:
    """The agent of this name, for an environment.

    Raises:
        CatalogError: there is none.
    """
    if name not in names():
        raise CatalogError(f"there is no agent {name!r}; there are {', '.join(names())}")
    agent: Any = importlib.import_module(f"aiops_gym.agents.{name}").make(env, seed)
    assert isinstance(agent, Agent)
    return agent
