"""Tasks that are run beside another one, at once, counting the time they would take."""

from __future__ import annotations

from typing import cast

from aiops_gym.sim.machine.scripts.allowance import CLOSED, GRACE, KILLED, MOST_NESTED, REFUSAL, Allowance
from aiops_gym.sim.machine.scripts.host import Host, Walker, Walking
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

NO_FORK, UNABLE = "bash: fork: retry: Resource temporarily unavailable\n", 254
"""What is said where there is no room for another process, and the exit code of who wanted it."""


class ClosedPipe(Exception):
    """Nobody reads any more what is written."""


class Aside(Host):
    """Runs a task to its end at once, counting the time it would take: substitutions, pipelines, hooks.

    Args:
        of: the task beside it, or who runs all of them.
        through: where output goes; kept as `text` without it.
        errors: where errors go; to the one beside without it.
        walker: what walks the task; the kind of the one beside it.
        allowance: what it may do, shared by all that come of one run; that of the task beside it.

    Attributes:
        steps: of the output: (ms since the beginning, lines).
        took: ms since this task began.
        base: ms that had passed before.
        room: lines that are read of the output, -1 for all.
    """

    def __init__(
        self,
        of: Walking | Host,
        through: Walking | None = None,
        errors: Walking | None = None,
        allowance: Allowance | None = None,
        walker: Walker | None = None,
    ) -> None:
        self.host: Host = of if isinstance(of, Host) else of.host
        self._top = self.host.top
        self.base = 0 if isinstance(of, Host) else of.elapsed()
        self.walker: Walker = walker or cast("Walker", type(of))
        found = allowance if isinstance(of, Host) else of.allowance
        self.allowance = Allowance(self.host.c) if found is None else found
        self.c = self.host.c
        self.command = self.host.command
        self.through, self.errors = through, through or errors
        self.text = ""
        self.steps: list[tuple[int, int]] = []
        self.traps: dict[str, str | None] = {}
        self.took = self.busy = 0
        self.room = -1
        self.zero: Json = None

    @property
    def top(self) -> Host:
        """Who runs all of them."""
        return self._top

    @property
    def elapsed(self) -> int:
        """Milliseconds since whoever runs all of them began."""
        return self.base + self.took

    def begin(self, data: dict[str, Json]) -> None:
        """Take a task, to be walked by `go_on`."""
        self.task = Task(data)
        self.machine = self.walker(self, self.task, self.allowance)

    def run(self, data: dict[str, Json]) -> Stop:
        """The end: kind `exit` with code and the ms it took, or why it never ends."""
        allowance = self.allowance
        allowance.asides -= 1
        if allowance.asides < 0 or allowance.nested >= MOST_NESTED:
            self.complain(Task(data), NO_FORK)
            allowance.left -= REFUSAL
            return Stop("exit", code=UNABLE)
        allowance.nested += 1
        try:
            return self._walk(data)
        finally:
            allowance.nested -= 1

    def _walk(self, data: dict[str, Json]) -> Stop:
        self.begin(data)
        try:
            while (stop := self.go_on()) is None:
                self.top.advance(self.elapsed)
        except ClosedPipe:
            return Stop("exit", self.took + self.machine.waited, CLOSED)
        if stop.kind != "exit" or self.through is not None:
            return stop
        return stop._replace(ms=self.top.drain(self, self.base + stop.ms) - self.base)

    def go_on(self) -> Stop | None:
        """Walk the task until time passes; how it ended, None where it has not."""
        if self.top.over:
            return Stop("killed", self.took, KILLED)
        if self.allowance.left < -GRACE:
            return Stop("exit", self.took, KILLED)
        stop = self.machine.run()
        if stop.kind == "exit" and not self._leave(stop.code):
            return Stop("exit", self.took + self.machine.waited, stop.code)
        self.took += stop.ms
        self.busy += stop.kind == "busy"
        over = self.busy > self.allowance.turns or self.took > self.allowance.longest
        if stop.kind in ("forever", "wait", "oom", "killed") or over:
            return stop if stop.kind in ("oom", "killed") else Stop("forever")
        return None

    def _leave(self, code: int) -> bool:
        """Begin what is to be done at the end, if there is something."""
        script = self.traps.pop("EXIT", None)
        if script:
            self.task.code, self.task.stack = code, [["resume", code], ["list", parse(script), 0]]
        return bool(script)

    def write(self, task: Task, text: str) -> None:
        """Keep it, or pass it on."""
        self.put(text, self.took)

    def put(self, text: str, at: int) -> None:
        """Keep what was printed at a time, or pass it on."""
        if self.through is not None:
            self.through.write("1", text)
        else:
            if self.room >= 0 and self.text.count("\n") >= self.room:
                raise ClosedPipe
            self.text += text
            self.steps.append((at, text.count("\n")))

    def complain(self, task: Task, text: str) -> None:
        """Errors are not what the one beside asked for."""
        if self.errors is not None:
            self.errors.write("2", text)
        else:
            self.host.complain(task, text)

    def spawn(self, data: dict[str, Json], now: int = 0, out: Host | None = None) -> int:
        """In the background of whoever is beside."""
        return self.host.spawn(data, now, out or self)

    def trap(self, signal: str, script: str | None) -> None:
        """A shell of its own has traps of its own, of which only that for its end comes to act."""
        self.traps[signal] = script

    def trapped(self, signal: str) -> str | None:
        """What is trapped here."""
        return self.traps.get(signal)
