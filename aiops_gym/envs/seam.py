"""What an environment asks of a backend beyond what tools and tasks ask of it."""

from __future__ import annotations

from typing import Protocol, Self

from aiops_gym.backends.base import Backend


class Incident(Backend, Protocol):
    """A running incident that can be branched."""

    def snapshot(self) -> bytes:
        """All of its state. `restored` of its class goes on from it."""

    def fork(self) -> Self:
        """An independent copy that shares what does not change."""
