"""Tools whose arguments depend on a domain: made from a list of parameters, where others are written as functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, cast

from aiops_gym.errors import BackendError, CatalogError
from aiops_gym.openrca.recording import Recording
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context, Tool
from aiops_gym.types import Result


class Parameter(NamedTuple):
    """One argument of a tool; it must be given unless it has a default."""

    name: str
    type: Any
    about: str
    default: Any = inspect.Parameter.empty


class Recorded(Protocol):
    """What these tools ask of a backend."""

    @property
    def began(self) -> float:
        """Unix seconds of the end of the window that is asked about."""

    @property
    def recording(self) -> Recording:
        """What was recorded."""

    def spend(self, seconds: float) -> None:
        """Let time pass."""


TIME = str | int | float

START = Parameter("start_time", TIME, "first moment, Unix seconds or milliseconds, or text in UTC+8.")
END = Parameter("end_time", TIME, "last moment, likewise.")


def optional(name: str, kind: Any, about: str, default: Any = None) -> Parameter:
    """An argument that may be left out."""
    return Parameter(name, kind | None if default is None else kind, about, default)


def make(
    name: str, about: str, parameters: Sequence[Parameter], answer: Callable[..., str], *, extra: bool = False
) -> Tool:
    """A tool that only looks.

    Args:
        about: what it does; the first sentence of its manual and more.
        answer: takes the backend and the arguments, and returns what is printed.
        extra: offered only to who asks for all tools.
    """
    defaults = {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}

    def function(context: Context, **given: Any) -> Result:
        backend = cast(Recorded, context.backend)
        backend.spend(TELEMETRY_SECONDS)
        try:
            return Result(answer(backend, **{**defaults, **given}))
        except CatalogError as error:  # a file of the data set that is missing or broken is nobody's answer
            raise BackendError(str(error)) from error

    lines = [f"    {each.name}: {each.about}" for each in parameters]
    function.__doc__ = "\n".join([about, "", "Args:", *lines]) if lines else about
    function.__name__ = function.__qualname__ = name
    return Tool(
        name=name,
        kind="read",
        function=function,
        signature=inspect.Signature([_shown(each) for each in parameters]),
        types={each.name: each.type for each in parameters},
        order=tuple(each.name for each in parameters),
        required=sum(each.default is inspect.Parameter.empty for each in parameters),
        extra=extra,
    )


def _shown(parameter: Parameter) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(parameter.name, kind, default=parameter.default, annotation=parameter.type)
