"""How an agent is found and made by its name; what counts as one is said in `kinds`."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

from aiops_gym.agents.kinds import Agent, AnyAgent, Around, Env, adapt
from aiops_gym.errors import AgentError, ArgumentError, ask_did_you_mean, make_hint
from aiops_gym.scan import list_modules as modules

__all__ = [
    "SECRETS",
    "Agent",
    "AgentError",
    "AnyAgent",
    "Around",
    "Env",
    "Fixed",
    "Planned",
    "adapt",
    "find",
    "hide_secrets",
    "list_agents",
    "list_options",
    "make",
    "pick_accepted",
    "pick_positional",
]

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

NO_AGENTS = ("base", "kinds", "waiting")
"""Modules here that are about agents, and none themselves."""

SECRETS = ("api_key",)
"""Options of agents that are never written down."""


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


class Planned:
    """Plays a plan that reads what its last action printed: `reset` of who inherits from it begins one.

    Attributes:
        plan: actions, one at a time.
        observed: what the last one printed.
    """

    def __init__(self) -> None:
        self.plan: Iterator[str] = iter(())
        self.observed = ""

    def act(self, observation: str) -> str:
        """The next look or repair, or the answer."""
        self.observed = observation
        return next(self.plan)


@cache
def list_agents() -> tuple[str, ...]:
    """The agents that can be made by name, sorted."""
    return tuple(name for name in modules("aiops_gym.agents") if name not in NO_AGENTS)


def find(name: str) -> Callable[..., AnyAgent]:
    """What makes the agent of this name: `(env, seed, **options)`, or `(**options)` where it needs neither.

    Args:
        name: of a module here, or `module:name` for what lies elsewhere: a function that makes an agent, a class, or
            an agent itself, of which each episode gets a copy.

    Raises:
        ArgumentError: there is none.
    """
    where, colon, wanted = name.partition(":")
    if not colon and name not in list_agents():
        raise ArgumentError(f"no agent {name!r}: {make_hint(name, list_agents())}; one of yours is module:name")
    try:
        module = importlib.import_module(where if colon else f"aiops_gym.agents.{name}")
    except ModuleNotFoundError as error:
        raise ArgumentError(f"there is no agent {name!r}: {error}") from None
    wanted = wanted if colon else "make"
    found: Any = getattr(module, wanted, None)
    if found is None:
        near = ask_did_you_mean(wanted, (each for each in vars(module) if not each.startswith("_")))
        raise ArgumentError(f"there is no agent {name!r}: {where} has no {wanted!r}{near and '; ' + near}")
    return _copying(name, found) if _is_agent(found) else _checked(name, found)


def _is_agent(found: Any) -> bool:
    """Whether it acts itself, rather than making who does: an object of a class, or a function of one text."""
    if isinstance(found, type):
        return False
    if any(hasattr(found, name) for name in ("act", "init_context", "get_action")):
        return True
    if not callable(found) or inspect.iscoroutinefunction(found):
        return callable(found)
    needed = [each for each in _parameters(found) if each.default is each.empty and each.kind in BY_POSITION]
    return len(needed) == 1 and needed[0].name != "env" and not _fits(found, None, 0)


def _copying(name: str, agent: AnyAgent) -> Callable[..., AnyAgent]:
    def another() -> AnyAgent:
        try:
            return copy.deepcopy(agent)
        except TypeError as error:
            raise ArgumentError(f"{name} cannot be copied for each episode, name its class: {error}") from None

    return another


def _checked(name: str, maker: Any) -> Callable[..., AnyAgent]:
    if not callable(maker):
        raise ArgumentError(f"there is no agent {name!r}: {maker!r} is neither an agent nor a function that makes one")
    return maker  # type: ignore[no-any-return]


def make(name: str, env: Env, seed: int = 0, **options: Any) -> Any:
    """The agent of this name, for an environment: an `AnyAgent`, as its maker gives it.

    Args:
        options: whatever this agent takes by name, JSON data; most take none.

    Raises:
        ArgumentError: there is none, it does not take such options, or what is made so is no agent.
    """
    made = find(name)(*pick_positional(name, env, seed, **options), **options)
    try:
        adapt(made)
    except TypeError as error:
        raise ArgumentError(f"what {name} makes cannot play: {error}") from None
    return made


def pick_positional(name: str, env: Env | None, seed: int, **options: Any) -> tuple[Any, ...]:
    """What an agent's maker is given by position: environment and seed, or nothing if it takes neither.

    Raises:
        ArgumentError: there is no such agent, or it cannot be made so.
    """
    maker, known = find(name), pick_accepted(name, options)
    for option in options:
        if option not in known:
            raise ArgumentError(f"the agent {name!r} has no option {option!r}: {make_hint(option, list_options(name))}")
    given = (env, seed) if _takes_env(maker, options) else ()
    try:
        inspect.signature(maker).bind(*given, **options)
    except TypeError as error:
        made = ", ".join([*(("env", "seed") if given else ()), *options]) or "nothing"
        rule = "what makes an agent takes (env, seed), or neither"
        raise ArgumentError(f"the agent {name!r} cannot be made with {made}: {error}; {rule}") from None
    return given


def read_needs(name: str) -> Mapping[str, Any]:
    """What environments must be made with for this agent: `NEEDS` of its module, if it has it.

    Live ones are made so for it by `evaluate` and the command line, unless they are told otherwise; recorded ones are
    to be asked for so.

    Raises:
        ArgumentError: there is no such agent.

    >>> read_needs("rules"), read_needs("noop")
    ({'tools': 'all'}, {})
    """
    module = inspect.getmodule(find(name))
    found: Mapping[str, Any] = getattr(module, "NEEDS", {})
    return found


def pick_accepted(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that an agent takes, where several agents are given the same.

    Raises:
        ArgumentError: there is no such agent.

    >>> pick_accepted("noop", {"model": "m"}), pick_accepted("chat", {"model": "m"})
    ({}, {'model': 'm'})
    """
    maker = find(name)
    anything = any(each.kind is each.VAR_KEYWORD for each in _parameters(maker))
    return {option: value for option, value in options.items() if anything or option in list_options(name, options)}


def list_options(name: str, given: Collection[str] = ()) -> tuple[str, ...]:
    """What the maker of an agent takes by name, where it is given these.

    Raises:
        ArgumentError: there is no such agent.
    """
    maker = find(name)
    own = _parameters(maker)[2 if _takes_env(maker, given) else 0 :]
    return tuple(each.name for each in own if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY))


def _takes_env(maker: Callable[..., Any], options: Collection[str]) -> bool:
    """Whether it is given (env, seed): not where these would land on options of its own, such as `model="m"`."""
    first = [each for each in _parameters(maker)[:2] if each.name not in ("env", "seed")]
    others = [each for each in first if each.default is not each.empty or each.name in options]
    return _fits(maker, None, 0) and not (first and len(others) == len(_parameters(maker)[:2]))


def _fits(maker: Callable[..., Any], *given: Any) -> bool:
    """Whether it takes these by position."""
    try:
        inspect.signature(maker).bind_partial(*given)
    except TypeError:
        return False
    return True


def _parameters(maker: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(maker).parameters.values())


def hide_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an agent as they may be written down: without secrets.

    >>> hide_secrets({"model": "m", "api_key": "sk-1"})
    {'model': 'm'}
    """
    return {name: value for name, value in options.items() if name not in SECRETS}
