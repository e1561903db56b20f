"""What counts as an agent, whoever wrote it: three kinds, plain or async, each asked in its own words."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym

from aiops_gym.agents.waiting import EventLoop

Env = gym.Env[str, str]

NEXT = "Please take the next action"
"""What AIOpsLab's orchestrator says at the start, and after each observation."""


@runtime_checkable
class Agent(Protocol):
    """Reads what was printed and says what to do next; plain, or with `async def`.

    It may have more: `reset(prompt)`, called when an episode begins; `name`; `report()`, JSON data about itself that
    are kept in the episode; `close()`, called at the end of an episode; and `interrupt()`, called from another thread
    to end an `act` that waits, with an `AgentError`. An async agent is interrupted without one.
    """

    def act(self, observation: str) -> str | Awaitable[str]:
        """The next action. The first observation of an episode is its prompt."""


@runtime_checkable
class ContextAgent(Protocol):
    """An agent of AIOpsLab: told the parts of the prompt at the start, and then asked for one action after another."""

    def init_context(self, problem_desc: str, instructions: str, apis: dict[str, str]) -> Any:
        """An episode begins. Where it takes `candidates` too, these are `PromptParts.candidates`."""

    def get_action(self, state: str) -> str | Awaitable[str]:
        """The next action. The first state is `NEXT`, each later one is an observation and `NEXT` on a line."""


AnyAgent = Agent | ContextAgent | Callable[[str], str | Awaitable[str]]


class Adapted:
    """Anybody's agent, as episodes are played with it; here one with `act`.

    Attributes:
        agent: as it was given.
        name: its own, or that of its class.

    >>> agent = adapt(lambda observation: observation.upper())
    >>> agent.act("x"), agent.report(), agent.close()
    ('X', {}, None)
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.name = str(getattr(agent, "name", type(agent).__name__.lower()))
        self._loop = EventLoop()

    @property
    def awaited(self) -> bool:
        """Whether it had an event loop in this episode: then it is closed with it."""
        return self._loop.opened

    def begin(self, env: Env, prompt: str) -> None:
        """An episode begins."""
        self._loop.interrupted = False
        self._asked("reset", prompt)

    def act(self, observation: str) -> str:
        """The next action."""
        action: str = self._waited(self.agent.act(observation))
        return action

    def report(self) -> Any:
        """What it tells of itself, where it does."""
        return self._asked("report") or {}

    def interrupt(self) -> None:
        """End what it waits for, where it can be ended; called from another thread."""
        if callable(end := getattr(self.agent, "interrupt", None)):
            end()
        self._loop.interrupt()

    def close(self) -> None:
        """The episode is over: what it holds open, if it has a `close`, is not needed any more."""
        self._loop.interrupted = False
        try:
            self._asked("close")
        finally:
            self._loop.close()

    def _asked(self, name: str, *given: Any) -> Any:
        method = getattr(self.agent, name, None)
        return self._waited(method(*given)) if callable(method) else None

    def _waited(self, found: Any) -> Any:
        return self._loop.wait(found) if inspect.isawaitable(found) else found


class _Function(Adapted):
    """A callable text -> text; the prompt comes as the first observation."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self.name = getattr(agent, "__name__", type(agent).__name__)

    def begin(self, env: Env, prompt: str) -> None:
        """An episode begins, of which it is not told."""
        self._loop.interrupted = False

    def act(self, observation: str) -> str:
        """Ask the function."""
        action: str = self._waited(self.agent(observation))
        return action


class _Context(Adapted):
    """An agent with `init_context` and `get_action`."""

    _begun = False

    def begin(self, env: Env, prompt: str) -> None:
        """Tell it the parts of the prompt. Raises TypeError where an environment does not say them."""
        self._loop.interrupted, self._begun = False, False
        parts = getattr(env.unwrapped, "prompt_parts", None)
        if parts is None:
            raise TypeError(f"an agent with init_context needs prompt_parts, and {env.unwrapped!r} has none")
        given: dict[str, Any] = {}
        if _takes_candidates(self.agent.init_context):
            known = parts.candidates
            given["candidates"] = known and {name: list(names) for name, names in known.items()}
        self._waited(self.agent.init_context(parts.task, parts.instructions, dict(parts.apis), **given))

    def act(self, observation: str) -> str:
        """The next action. The prompt is what it was told already."""
        state = f"{observation}\n{NEXT}" if self._begun else NEXT
        self._begun = True
        action: str = self._waited(self.agent.get_action(state))
        return action


class Around(Adapted):
    """An agent around another one: it does what the other does.

    Attributes:
        agent: the other one, adapted.
        name: of the other one.
    """

    agent: Adapted

    def __init__(self, agent: AnyAgent | Adapted) -> None:
        super().__init__(adapt(agent))

    @property
    def awaited(self) -> bool:
        """As of the other."""
        return self.agent.awaited

    def begin(self, env: Env, prompt: str) -> None:
        """As the other does."""
        self.agent.begin(env, prompt)


def adapt(agent: AnyAgent | Adapted) -> Adapted:
    """An agent of any kind, as episodes are played with it.

    Raises:
        TypeError: it is of no kind, or its methods do not take what they are given; one line that says what is missing.
    """
    if isinstance(agent, Adapted):
        return agent
    what = _shown(agent)
    if isinstance(agent, type):
        raise TypeError(f"{what} is a class, and an agent is made of it: give {agent.__name__}(...)")
    own, starts, asks = (callable(getattr(agent, name, None)) for name in ("act", "init_context", "get_action"))
    if own:
        _check(what, "act", agent.act, "observation")  # type: ignore[union-attr]
        _check(what, "reset", getattr(agent, "reset", None), "prompt")
        return Adapted(agent)
    if starts and asks:
        begin = agent.init_context  # type: ignore[union-attr]
        more = {"candidates": None} if _takes_candidates(begin) else {}
        _check(what, "init_context", begin, "problem_desc", "instructions", "apis", **more)
        _check(what, "get_action", agent.get_action, "state")  # type: ignore[union-attr]
        return _Context(agent)
    if starts or asks:
        has, lacks = CONTEXT if starts else CONTEXT[::-1]
        raise TypeError(f"{what} is no agent: it has {has}, and {lacks} is missing")
    if not callable(agent):
        kinds = f"act(observation), nor {' and '.join(CONTEXT)}"
        raise TypeError(f"{what} is no agent: it has neither {kinds}, and cannot be called with a text")
    _check(what, "", agent, "observation")
    return _Function(agent)


CONTEXT = ("init_context(problem_desc, instructions, apis)", "get_action(state)")


def _shown(agent: Any) -> str:
    """What it is in an error: a class, a function or an object, in a few words."""
    named = getattr(agent, "__name__", None)
    if isinstance(agent, type) or (named and callable(agent)):
        return str(named)
    kind = type(agent)
    return repr(agent)[:80] if kind.__module__ == "builtins" else f"an object of class {kind.__name__}"


def _takes_candidates(method: Callable[..., Any]) -> bool:
    """Whether a signature takes `candidates` by name."""
    try:
        parameters = inspect.signature(method).parameters
    except (TypeError, ValueError):  # of a builtin, which has none
        return False
    return "candidates" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _check(what: str, name: str, method: Any, *given: str, **more: Any) -> None:
    """Raises TypeError for a method, "" for the agent itself, that does not take what it will be given."""
    if not callable(method):
        return
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):  # of a builtin, which has none
        return
    try:
        signature.bind(*given, **more)
    except TypeError as error:
        called = f"its {name} is" if name else "it is"
        raise TypeError(
            f"{what} is no agent: {called} called with ({', '.join([*given, *more])}), and takes {signature}: {error}"
        ) from None
