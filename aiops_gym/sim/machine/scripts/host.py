"""Who runs the tasks of a container: what a script asks of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from aiops_gym.sim.machine.scripts.allowance import Allowance
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

Run = Callable[..., Stop | None]
"""Runs a command: see `commands.run`."""


class Running(Protocol):
    """Who walks a task: see `machine.Machine`."""

    task: Task

    def environment(self) -> dict[str, str]:
        """What a command gets."""


class Walking(Running, Protocol):
    """The same, as far as those beside it look at it."""

    host: Host
    allowance: Allowance
    waited: int

    def run(self) -> Stop:
        """Go on until something takes time."""

    def write(self, number: str, text: str) -> None:
        """Write to a descriptor."""

    def elapsed(self) -> int:
        """Milliseconds that have passed for the task."""


Walker = Callable[["Host", Task, Allowance], Walking]
"""Makes one."""


class Host:
    """Who runs tasks; by itself, one that keeps nothing of them."""

    c: Container
    command: Run

    def launch(self, machine: Running, argv: list[str]) -> Stop | None:
        """Start a program of the image; None where it is none, or where there is no room for one."""
        return None

    def write(self, task: Task, text: str) -> None:
        """What a task prints to stdout."""

    def complain(self, task: Task, text: str) -> None:
        """What a task prints to stderr."""

    def spawn(self, data: dict[str, Json], now: int = 0, out: Host | None = None) -> int:
        """Run a task in the background, from so many ms on, with its output where that of `out` goes; its pid."""
        return 0

    def advance(self, now: int) -> None:
        """Let what is in the background go on, until so many ms have passed."""

    def drain(self, out: Host, now: int) -> int:
        """Let what is in the background and prints to `out` go on to its end; the ms that have passed then."""
        return now

    def jobs(self, now: int) -> Json:
        """What is told of what is in the background; see `jobs.Told`."""
        return []

    def kill(self, pid: int, signal: str, now: int = 0) -> bool:
        """Send a signal; False if there is no such process."""
        return False

    def trap(self, signal: str, script: str | None) -> None:
        """What is to be done at a signal; None for what is usual."""

    def trapped(self, signal: str) -> str | None:
        """The script that a signal has, None where there is none."""
        return None

    def children(self) -> list[int]:
        """Pids of the tasks in the background that have not ended."""
        return []

    def remaining(self, pid: int, now: int = 0) -> int:
        """Milliseconds until a task in the background ends, with pid 0 all of them, with -1 the first; 0 if unknown."""
        return 0

    def ended(self, pid: int) -> int:
        """Exit code of a task in the background that has ended; 127 if there was none."""
        return 127
