"""The actions as methods, and the marks of what only looks and what changes something.

Each method does what the call of that name does in an episode; its docstring is the manual that agents are shown.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from aiops_gym.adapters.aiopslab.responses import SubmissionStatus
from aiops_gym.errors import ToolError
from aiops_gym.openrca.dataset import Dataset
from aiops_gym.openrca.recording import Recording
from aiops_gym.tools import Context, Tool, run, toolbox
from aiops_gym.tools.clip import clip
from aiops_gym.types import Call

F = TypeVar("F", bound=Callable[..., Any])
A = TypeVar("A", bound=type)


def action(method: F) -> F:
    """Mark a method that an agent may call."""
    method.is_action = True  # type: ignore[attr-defined]
    return method


def read(method: F) -> F:
    """Mark one that only looks."""
    method.action_type = "read"  # type: ignore[attr-defined]
    return action(method)


def write(method: F) -> F:
    """Mark one that changes something."""
    method.action_type = "write"  # type: ignore[attr-defined]
    return action(method)


SHOWN = 16_000
"""Characters of what a getter prints, where no environment says how many."""

MARKS: dict[str, Callable[[Any], Any]] = {"action": action, "read": read, "write": write}


def _offers(name: str) -> Callable[[A], A]:
    """Give a class the tools of a task or domain as methods, those that it does not have yet."""

    def add(actions: A) -> A:
        for tool in toolbox(name).values():
            if not hasattr(actions, tool.name):
                setattr(actions, tool.name, _make_method(tool, actions))
        return actions

    return add


def _make_method(tool: Tool, actions: type) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._perform(Call(tool.name, args, kwargs))

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__name__, method.__qualname__ = tool.name, f"{actions.__name__}.{tool.name}"
    method.__doc__ = tool.manual
    given = [own, *tool.signature.parameters.values()]
    method.__signature__ = tool.signature.replace(parameters=given)  # type: ignore[attr-defined]
    marked: Callable[..., Any] = MARKS[tool.kind](method)
    return marked


def _hide(performer: Any) -> Callable[[Call], Any]:
    """What it does, without it: a method would have it as its `__self__`, and an agent may be given the actions."""

    def perform(call: Call) -> Any:
        return performer.perform(call)

    return perform


@_offers("live")
class TaskActions:
    """What all tasks about a live incident share.

    Args:
        problem: a task that is being played, whose episode they act in; each call is one step of it.
    """

    def __init__(self, problem: Any) -> None:
        self._perform = _hide(problem)


@_offers("detection")
class DetectionActions(TaskActions):
    """With the `submit` of Detection."""


@_offers("localization")
class LocalizationActions(TaskActions):
    """With the `submit` of Localization."""


@_offers("analysis")
class AnalysisActions(TaskActions):
    """With the `submit` of Analysis."""


@_offers("mitigation")
class MitigationActions(TaskActions):
    """With the `submit` of Mitigation."""


class RecordedActions:
    """What a domain's telemetry is asked; nothing of `TaskActions` makes sense here.

    Args:
        source: a data set, which is read without an episode, or a problem that is being played.
    """

    domain: str

    def __init__(self, source: Any) -> None:
        self._perform = _hide(_Reader(source.recording, self.domain) if isinstance(source, Dataset) else source)


@_offers("openrca_bank")
class BankActions(RecordedActions):
    """The getters of the bank, and `submit`."""

    domain = "openrca_bank"


@_offers("openrca_market")
class MarketActions(RecordedActions):
    """The getters of the market, and `submit`."""

    domain = "openrca_market"


@_offers("openrca_telecom")
class TelecomActions(RecordedActions):
    """The getters of the telecom operator, and `submit`; there are no logs."""

    domain = "openrca_telecom"


class _Reader:
    """Reads telemetry where nobody keeps time, and shows as much of it as an environment does."""

    began = 0.0

    def __init__(self, recording: Recording, domain: str) -> None:
        self.recording, self.tools = recording, toolbox(domain)

    def spend(self, seconds: float) -> None:
        """Let time pass, of which there is none."""

    def perform(self, call: Call) -> str | SubmissionStatus:
        """What a call prints, mistakes too."""
        try:
            found = run(call, self.tools, Context(self, limit=SHOWN))
        except ToolError as error:
            return str(error)
        return SubmissionStatus.VALID_SUBMISSION if found.final else clip(found.text, SHOWN)
