"""A command beside the process of a container, for `kubectl exec`, hooks and probes: what it prints, and its time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from aiops_gym.sim.machine import executables, runtime
from aiops_gym.sim.machine.container import Container, is_running
from aiops_gym.sim.machine.scripts import task as tasks
from aiops_gym.sim.machine.scripts.allowance import GRACE, KILLED, LONGEST_ASKED, Allowance
from aiops_gym.sim.machine.scripts.aside import Aside
from aiops_gym.sim.machine.scripts.commands import SHELLS
from aiops_gym.sim.machine.scripts.commands import run as run_command
from aiops_gym.sim.machine.scripts.jobs import JobHost
from aiops_gym.sim.machine.scripts.machine import Machine
from aiops_gym.sim.machine.scripts.parser import make_call
from aiops_gym.sim.machine.scripts.task import Task
from aiops_gym.sim.machine.toolbox import tools_of
from aiops_gym.types import Output, Timed

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

OCI = "OCI runtime exec failed: exec failed: unable to start container process: "
FIRST = 50
"""Pid of the command; those that it leaves in the background come after it."""


class Ran(NamedTuple):
    """How a command ended.

    Attributes:
        output, errors: what it printed to stdout and stderr.
        code: exit code; 126 with `absent` where the image does not have the command.
        ms: time it took, -1 if it never ends by itself, or is given no time to.
        steps: when each line of the output was there, in seconds.
    """

    output: str
    errors: str
    code: int
    ms: int
    absent: bool = False
    steps: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """Both, as a kubelet puts them together."""
        return self.output + self.errors


def execute(world: World, pod_key: str, container: str, argv: Sequence[str], stdin: str = "") -> Output:
    """Run a command as `kubectl exec` does; what takes time is a `Timed` output, since the world does not move.

    A command that is not in the image gives the container runtime's message and code 126 (127 from within a shell).
    """
    pod = world.store.by_key("pods", pod_key)
    key = f"{pod['metadata']['uid']}/{container}" if pod is not None else ""
    if not argv or not is_running(world, key):
        return Output("", f'container "{container}" is not running', 126)
    return execute_beside(world, key, argv, stdin)


def execute_beside(world: World, key: str, argv: Sequence[str], stdin: str = "") -> Output:
    """The same beside a process that runs, whoever started it."""
    ran = run(Container(world, key), argv, stdin, asked=not world.moving)
    if not ran.ms:
        return Output(ran.output, ran.errors, ran.code)
    seconds = ran.ms / 1000 if ran.ms > 0 else LONGEST_ASKED / 1000
    return Timed(ran.output, ran.errors, ran.code, seconds, ran.steps)


def run(c: Container, argv: Sequence[str], stdin: str = "", asked: bool = False) -> Ran:
    """Run a command in a running container; see `Allowance` for `asked`."""
    image, name = c.image(), argv[0].rpartition("/")[2] if argv else ""
    workdir = str(c.spec().get("workingDir") or (image.workdir if image is not None else "/"))
    known = argv and image is not None and executables.resolve(image, argv[0], workdir, c.env.get("PATH", ""))
    if not known and not (name in tools_of(c.world, c.key) and name not in executables.load_commands()):
        where = f"stat {argv[0]}: no such file or directory" if "/" in argv[0] else "executable file not found in $PATH"
        return Ran("", f'{OCI}exec: "{argv[0]}": {where}: unknown\n', 126, 0, absent=True)
    data = tasks.new_task(make_call(argv), [name if name in SHELLS else "sh"], workdir, FIRST)
    allowance = Allowance(c, asked)
    host = _Beside(c, allowance)
    if not allowance.may_begin:
        return Ran("", "", KILLED, -1)
    stop = host.beside.run({**data, "fds": {**data["fds"], "0": ["text", stdin]}})
    over = allowance.left < -GRACE
    host.background.leave()
    allowance.settle()
    lines = [took / 1000 for took, count in host.beside.steps for _ in range(count)]
    code, ms = (stop.code, stop.ms) if stop.kind == "exit" and not over else (KILLED, 0 if over and asked else -1)
    return Ran(host.beside.text, host.errors, code, ms, steps=tuple(lines) if ms else ())


class _Beside(JobHost):
    """Who runs it: see `machine.Host`. What it leaves in the background does at once what it can."""

    def __init__(self, c: Container, allowance: Allowance) -> None:
        super().__init__(FIRST + 1)
        self.c = c
        self.command = run_command
        self.errors = ""
        self.beside = Aside(self, allowance=allowance, walker=Machine)

    def complain(self, task: Task, text: str) -> None:
        """Keep what it prints to stderr."""
        self.errors += text

    def kill(self, pid: int, signal: str, now: int = 0) -> bool:
        """Signals reach the container's first process; it cannot be killed from within."""
        if pid == 1 and signal not in ("KILL", "EXIT"):
            runtime.signal(self.c.world, self.c.key, signal)
        self.background.advance(now)
        job = self.background.find(pid)
        if job is None or job.stop is not None:
            return pid in (1, FIRST) or (job is not None and job.stop is not None and job.stop.kind != "exit")
        job.signal(signal, now)
        return True
