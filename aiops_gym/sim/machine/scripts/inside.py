"""A command run beside the process of a container, for hooks and probes: what it prints, and the time it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.scripts import task as tasks
from aiops_gym.sim.machine.scripts.allowance import GRACE, Allowance
from aiops_gym.sim.machine.scripts.commands import COMMANDS, SHELLS
from aiops_gym.sim.machine.scripts.commands import run as run_command
from aiops_gym.sim.machine.scripts.host import Running
from aiops_gym.sim.machine.scripts.machine import KILLED, Aside
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.sim.machine.scripts.tools import TOOLS
from aiops_gym.sim.machine.toolbox import tools_of

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container
    from aiops_gym.types import Json

OCI = "OCI runtime exec failed: exec failed: unable to start container process: "


class Ran(NamedTuple):
    """How a command ended.

    Attributes:
        output, errors: what it printed to stdout and stderr.
        code: exit code; 126 with `absent` where the image does not have the command.
        ms: time it took, -1 if it never ends by itself, or is given no time to.
    """

    output: str
    errors: str
    code: int
    ms: int
    absent: bool = False

    @property
    def text(self) -> str:
        """Both, as a kubelet puts them together."""
        return self.output + self.errors


def run(c: Container, argv: Sequence[str]) -> Ran:
    """Run a command in a running container."""
    name = argv[0].rpartition("/")[2] if argv else ""
    image = c.image()
    small = image is not None and image.shell and (name in COMMANDS or name in TOOLS)
    if not small and name not in tools_of(c.world, c.key):
        where = f"stat {argv[0]}: no such file or directory" if "/" in argv[0] else "executable file not found in $PATH"
        return Ran("", f'{OCI}exec: "{argv[0]}": {where}: unknown', 126, 0, absent=True)
    word: list[Json] = [[["single", a]] for a in argv]
    script = ["list", [[["andor", [["", ["pipe", [["simple", [], word, []]], False]]]], False]]]
    data = tasks.new_task(script, [name if name in SHELLS else "sh"], cwd=image.workdir if image is not None else "/")
    host, allowance = _Beside(c), Allowance(c)
    if not allowance.may_begin:
        return Ran("", "", KILLED, -1)
    beside = Aside(host, allowance)
    stop = beside.run({**data, "pid": 50})
    allowance.settle()
    if stop.kind != "exit" or allowance.left < -GRACE:
        return Ran(beside.text, host.errors, KILLED, -1)
    return Ran(beside.text, host.errors, stop.code, stop.ms)


class _Beside:
    """Who runs it: see `machine.Host`. What it leaves in the background is forgotten."""

    def __init__(self, c: Container) -> None:
        self.c = c
        self.command = run_command
        self.errors = ""

    def launch(self, machine: Running, argv: list[str]) -> Stop | None:
        """A program of the image has no room beside the one that runs."""
        return None

    def write(self, task: Task, text: str) -> None:
        """Never asked: the one aside keeps it."""

    def complain(self, task: Task, text: str) -> None:
        """Keep what it prints to stderr."""
        self.errors += text

    def spawn(self, data: dict[str, Json]) -> int:
        """Nothing goes on after the command."""
        return 51

    def kill(self, pid: int, signal: str) -> bool:
        """Signals reach the container's first process; it cannot be killed from within."""
        if pid == 1 and signal not in ("KILL", "EXIT"):
            runtime.signal(self.c.world, self.c.key, signal)
        return pid == 1

    def trap(self, signal: str, script: str | None) -> None:
        """Nobody sends it signals."""

    def children(self) -> list[int]:
        """None."""
        return []

    def ended(self, pid: int) -> int:
        """Nothing that was left there."""
        return 127
