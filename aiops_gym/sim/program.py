"""What every kind of program in a container can be asked; `sim/programs/` has one kind a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aiops_gym.sim import draws
from aiops_gym.types import Output

if TYPE_CHECKING:
    from aiops_gym.sim.container import Container
    from aiops_gym.sim.world import World

Json = Any
Process = Mapping[str, Json]
"""A row of table `processes`."""

Tool = Callable[["Container", Sequence[str], str], Output]
"""(container, argv with the tool's own name first, stdin) -> what it left behind."""

MIB = 1 << 20


class Program:
    """A daemon that starts at once, says nothing and ends when asked; other kinds change what they do differently.

    Attributes:
        term_code: exit code after SIGTERM.
        term_ms: (shortest, longest) time it takes to end.
    """

    term_code = 0
    term_ms = (50, 300)

    def start(self, c: Container) -> None:
        """The process begins: open ports, write the first lines, plan what comes next."""
        for port in c.params.get("ports", ()):
            c.listen(int(port))

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """What the program planned with `Container.after` is due."""

    def terminate(self, c: Container) -> None:
        """SIGTERM."""
        low, high = self.term_ms
        c.exit_in(int(c.between(low, high, "terminate")), self.term_code)

    def hung_up(self, c: Container, peer: str) -> None:
        """The process `peer`, which `state["peers"]` of this one names, has ended."""

    def background(self, process: Process, start: int, end: int, seed: int) -> list[tuple[int, str]]:
        """Lines it writes by itself in [start, end) ms, whatever the load: a pure function."""
        return []

    def usage(self, process: Process, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """What it uses under a load: cpu in cores, memory in bytes, threads."""
        params = process["params"]
        memory = float(params.get("memory", 12 * MIB)) * (1.0 + 0.05 * min(1.0, rps / 1_000.0)) + 20_000.0 * min(
            rps, 400
        )
        return {
            "cpu": float(params.get("cpu", 0.001)) + cpu_seconds_per_s,
            "memory": memory,
            "threads": float(params.get("threads", 8)),
        }

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """Commands of its own that can be run beside it in the container."""
        return {}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """Status and body that a GET of `path` returns."""
        return 404, "404 page not found\n"

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """One line in the program's own log format."""
        return message


def ticks(begin: int, start: int, end: int, period: int, offset: int = 0) -> Iterator[tuple[int, int]]:
    """(number, time in ms) of what recurs each `period` ms since `begin`, within [start, end).

    >>> list(ticks(100, 1_000, 3_500, 1_000))
    [(1, 1100), (2, 2100), (3, 3100)]
    """
    first = begin + offset
    number = max(1, -((first - start) // period))
    while (time := first + number * period) < end:
        if time >= start:
            yield number, time
        number += 1


def jitter(process: Process, seed: int, purpose: str, number: int, spread: int) -> int:
    """Milliseconds in [0, spread) that belong to one recurrence of one process."""
    return draws.pick(spread, seed, purpose, str(process["id"]), number) if spread > 0 else 0
