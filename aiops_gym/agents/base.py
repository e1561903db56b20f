"""What an agent is, and how one is found."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, cast, runtime_checkable

import gymnasium as gym

from aiops_gym.errors import AiopsGymError, ArgumentError
from aiops_gym.scan import names as modules

Env = gym.Env[str, str]

SECRETS = ("api_key",)
"""Options of agents that are never written down."""


class AgentError(AiopsGymError):
    """An agent cannot go on, and says why in one line; what it did until then counts and is kept."""


@runtime_checkable
class Agent(Protocol):
    """Reads what was printed and says what to do next.

    It may have more: `name`; `report()`, JSON data about itself that are kept in the episode; `close()`, called at the
    end of an episode; and `interrupt()`, called from another thread to end an `act` that waits, with an `AgentError`.
    """

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


class Around:
    """An agent around another one: it does what the other does, and has what others need not have.

    Attributes:
        agent: the other one.
        name: of it, or of its class.

    >>> agent = Around(Fixed(["a"]))
    >>> agent.name, agent.act(""), agent.report(), agent.close()
    ('fixed', 'a', {}, None)
    """

    def __init__(self, agent: Agent | Callable[[str], str]) -> None:
        self.agent = adapt(agent)
        self.name = str(getattr(self.agent, "name", type(self.agent).__name__.lower()))

    def reset(self, prompt: str) -> None:
        """As the other does."""
        self.agent.reset(prompt)

    def act(self, observation: str) -> str:
        """As the other does."""
        return self.agent.act(observation)

    def report(self) -> Any:
        """What the other tells of itself, where it does."""
        return self._asked("report", {})

    def interrupt(self) -> None:
        """End what the other waits for, where it can be ended."""
        self._asked("interrupt")

    def close(self) -> None:
        """The episode is over: what the other holds open, if it has a `close`, is not needed any more."""
        self._asked("close")

    def _asked(self, name: str, unknown: Any = None) -> Any:
        method = getattr(self.agent, name, None)
        return method() if callable(method) else unknown


@cache
def names() -> tuple[str, ...]:
    """The agents that can be made by name, sorted."""
    return tuple(name for name in modules("aiops_gym.agents") if name != "base")


def find(name: str) -> Callable[..., Agent | Callable[[str], str]]:
    """What makes the agent of this name: `(env, seed, **options) -> Agent`, or `(**options)` where it needs neither.

    Args:
        name: of a module here, or `module:function` for one that lies elsewhere; a class will do.

    Raises:
        ArgumentError: there is none.
    """
    where, colon, function = name.partition(":")
    if not colon and name not in names():
        raise ArgumentError(f"there is no agent {name!r}; there are {', '.join(names())}, or module:function")
    try:
        module = importlib.import_module(where if colon else f"aiops_gym.agents.{name}")
    except ModuleNotFoundError as error:
        raise ArgumentError(f"there is no agent {name!r}: {error}") from None
    maker: Any = getattr(module, function if colon else "make", None)
    if not callable(maker):
        raise ArgumentError(f"there is no agent {name!r}: {where} has no function {function!r}")
    return cast("Callable[..., Agent | Callable[[str], str]]", maker)


def make(name: str, env: Env, seed: int = 0, **options: Any) -> Agent:
    """The agent of this name, for an environment.

    Args:
        options: whatever this agent takes by name, JSON data; most take none.

    Raises:
        ArgumentError: there is none, or it does not take such options.
    """
    maker = find(name)
    return adapt(maker(*fitting(name, env, seed, **options), **options))


def fitting(name: str, env: Env | None, seed: int, **options: Any) -> tuple[Any, ...]:
    """What an agent's maker is given by position: environment and seed, or nothing if it takes nothing.

    Raises:
        ArgumentError: there is no such agent, or it cannot be made so.
    """
    signature = inspect.signature(find(name))
    refused = ""
    for given in ((env, seed), ()):
        try:
            signature.bind(*given, **options)
        except TypeError as error:
            refused = refused or str(error)
        else:
            return given
    raise ArgumentError(
        f"the agent {name!r} cannot be made with {', '.join(options) or 'env, seed'}: {refused}; "
        "what makes an agent takes (env, seed)"
    )


def needs(name: str) -> Mapping[str, Any]:
    """What environments of recorded telemetry must be made with for this agent: `NEEDS` of its module, if it has it.

    Raises:
        ArgumentError: there is no such agent.

    >>> needs("rules"), needs("noop")
    ({'tools': 'all'}, {})
    """
    module = inspect.getmodule(find(name))
    return cast("Mapping[str, Any]", getattr(module, "NEEDS", {}))


def accepted(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that an agent takes, where several agents are given the same.

    Raises:
        ArgumentError: there is no such agent.

    >>> accepted("noop", {"model": "m"}), accepted("chat", {"model": "m"})
    ({}, {'model': 'm'})
    """
    parameters = inspect.signature(find(name)).parameters.values()
    named = {each.name for each in list(parameters)[2:] if each.kind is not each.VAR_KEYWORD}
    anything = any(each.kind is each.VAR_KEYWORD for each in parameters)
    return {option: value for option, value in options.items() if anything or option in named}


def shown(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an agent as they may be written down: without secrets.

    >>> shown({"model": "m", "api_key": "sk-1"})
    {'model': 'm'}
    """
    return {name: value for name, value in options.items() if name not in SECRETS}
