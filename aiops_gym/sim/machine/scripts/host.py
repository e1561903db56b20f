"""Who runs tasks, as the tasks see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

Run = Callable[[Any, list[str]], Stop | None]
"""Runs a command for the `machine.Machine` that is given: see `commands.run`."""


class Host(Protocol):
    """Who runs tasks."""

    c: Container

    @property
    def command(self) -> Run:
        """Runs a command of a script."""

    def write(self, task: Task, text: str) -> None:
        """What a task prints to stdout."""

    def complain(self, task: Task, text: str) -> None:
        """What a task prints to stderr."""

    def spawn(self, data: dict[str, Json]) -> int:
        """Run a task in the background; its pid."""

    def kill(self, pid: int, signal: str) -> bool:
        """Send a signal; False if there is no such process."""

    def trap(self, signal: str, script: str | None) -> None:
        """What is to be done at a signal; None for what is usual."""

    def children(self) -> list[int]:
        """Pids of the tasks in the background."""

    def ended(self, pid: int) -> int:
        """Exit code of a task in the background that has ended; 127 if there was none."""
