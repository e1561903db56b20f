"""What an environment asks of a world beyond what tools and tasks ask of it."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

from aiops_gym.backends.base import Backend


class World(Protocol):
    """Something with a clock that can be branched.

    Attributes:
        began: Unix seconds of its clock at which the episode began.
    """

    began: float

    def now(self) -> float:
        """Unix seconds on its clock."""

    def spend(self, seconds: float) -> None:
        """Let time pass, for the cost of an action."""

    def snapshot(self) -> bytes:
        """All of its state."""

    def fork(self) -> Self:
        """An independent copy that shares what does not change."""


class Incident(Backend, World, Protocol):
    """A running incident that can be branched."""


@runtime_checkable
class Watched(Protocol):
    """A world that can tell how its parts do, for people who watch; not every one can."""

    def calls(self) -> list[list[str]]:
        """Who calls whom, "" for users."""

    def health(self) -> dict[str, Any]:
        """How each component does now. Changes nothing."""

    def signals(self) -> dict[str, Any]:
        """What telemetry says of the time until now: alerts and golden signals. Changes nothing."""


@runtime_checkable
class Harmed(Protocol):
    """A world that can tell what was done to it; not every one can."""

    def harm(self) -> dict[str, float]:
        """What was done to users and to the system since the agent first looked. Changes nothing."""


@runtime_checkable
class Closing(Protocol):
    """A world that leaves something behind unless it is told that it is over."""

    def close(self) -> None:
        """Take back all that was done for it."""
