"""Who runs the tasks of a container: what a script asks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.scripts.allowance import Allowance
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

Run = Callable[..., Stop | None]
"""Runs a command: see `commands.run`."""


class Call(NamedTuple):
    """A command of a pipeline that needs no shell of its own.

    Attributes:
        argv: its words.
        errors: where its errors go: to the output (`out`), nowhere (`null`), or else to those of the script.
    """

    argv: list[str]
    errors: str = ""


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

    @property
    def top(self) -> Host:
        """Who runs those beside each other; itself, if it is not one of them."""
        return self

    def open_files(self, mask: int) -> Files:
        """The files that a task sees; new ones do not get the permissions of the mask."""
        return Files(self.c, mask)

    def locate(self, word: str) -> str:
        """Where the program lies that a word names, "" for none."""
        image = self.c.image()
        return (image and executables.find_path(image, word)) or ""

    def gather(self, machine: Running, stages: Sequence[Json]) -> list[Call]:
        """The first commands of a pipeline that need no shell of their own, to be run by `join`."""
        return []

    def join(self, machine: Running, calls: list[Call], text: str) -> tuple[Output, list[int]]:
        """Run commands that are piped into each other on a text: what came out, and the code of each."""
        raise NotImplementedError

    @property
    def over(self) -> bool:
        """Whether all that runs here has to end."""
        return False

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

    def move(self, now: int) -> None:
        """Let the clock go on, where it does so while a task runs, until so many ms have passed."""

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
