"""What a command beside the first process has in the background: it goes on while others wait.

Reference: Bash manual, 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aiops_gym.sim.machine.scripts.allowance import CLOSED
from aiops_gym.sim.machine.scripts.aside import Aside, ClosedPipe
from aiops_gym.sim.machine.scripts.host import Host
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.printing import show_list
from aiops_gym.sim.machine.scripts.signals import ENDING, NAMES
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

LEFT = 40
"""Turns that a job gets once nobody is there any more who could wait for it."""

LONGEST_TURN = 10
"""Of a job that does much at once each turn takes twice as long as the one before, until so many have been doubled."""


class Told(NamedTuple):
    """What is told of a job.

    Attributes:
        number: after `%`.
        pid: process number.
        state: `Running`, `Done`, `Exit 1` or what ended it.
        text: its command.
    """

    number: int
    pid: int
    state: str
    text: str


class Job(Aside):
    """A task in the background.

    Args:
        host: who runs it.
        out: where its output goes.
        number: of the job.
        data: the task.
        now: ms since the beginning.
    """

    def __init__(self, host: Host, out: Aside, number: int, data: dict[str, Json], now: int) -> None:
        super().__init__(host, allowance=out.allowance, walker=out.walker)
        self.out, self.number, self.base = out, number, now
        self.text_of = show_list(data["stack"][0][1])
        self.stop: Stop | None = None
        self.walking = self.told = False
        self.holds = ["out"] in data["fds"].values()
        self.begin(data)

    @property
    def ended_at(self) -> int:
        """When it ended, in ms since the beginning."""
        return self.base + self.stop.ms if self.stop is not None else -1

    @property
    def state(self) -> str:
        """In a word, as `jobs` has it."""
        code = self.stop.code if self.stop is not None else -1
        if self.stop is None or self.stop.kind != "exit":
            return "Running"
        return "Done" if not code else STATES.get(code, f"Exit {code}")

    def put(self, text: str, at: int) -> None:
        """Where whoever started it prints."""
        self.out.put(text, self.base + at - self.out.base)

    def complain(self, task: Task, text: str) -> None:
        """Likewise."""
        self.out.complain(task, text)

    def step(self) -> None:
        """Go on until time passes."""
        self.walking, busy = True, self.busy
        try:
            self.stop = self.go_on()
        except ClosedPipe:
            self.stop = Stop("exit", self.took, CLOSED)
        finally:
            self.walking = False
        self.took += 1 << min(self.busy, LONGEST_TURN) if self.busy > busy else 0

    def signal(self, signal: str, now: int) -> None:
        """Take a signal."""
        if signal in ("EXIT", "CHLD", "CONT", "WINCH", "URG", "STOP", "TSTP"):
            return
        self.took = max(self.took, now - self.base)
        trapped = self.task.traps.get(signal) if signal != "KILL" else None
        if trapped is not None:
            self.task.push("resume", self.task.code)
            self.task.push("list", parse(trapped), 0)
        elif signal in ENDING:
            self.stop = Stop("exit", self.took, 128 + NAMES.index(signal))


STATES = {129: "Hangup", 130: "Interrupt", 131: "Quit", 134: "Aborted", 137: "Killed", 143: "Terminated"}


class Jobs:
    """All of them.

    Args:
        host: who runs them.
        first: process number of the first one.
    """

    def __init__(self, host: Host, first: int) -> None:
        self.host, self.first = host, first
        self.all: list[Job] = []

    def start(self, data: dict[str, Json], now: int, out: Aside) -> int:
        """Put a task in the background; its process number."""
        number = max((job.number for job in self.all if not job.told), default=0) + 1
        pid = self.first + len(self.all)
        self.all.append(Job(self.host, out, number, {**data, "pid": pid}, now))
        return pid

    def find(self, pid: int) -> Job | None:
        """The job with that process number."""
        place = pid - self.first
        return self.all[place] if 0 <= place < len(self.all) else None

    def _next(self) -> Job | None:
        """The one whose turn it is."""
        going = [job for job in self.all if job.stop is None and not job.walking]
        return min(going, key=lambda job: job.elapsed, default=None)

    def _step(self, job: Job) -> None:
        self.host.move(job.elapsed)
        job.step()

    def advance(self, now: int) -> None:
        """Let all go on until then."""
        while (job := self._next()) is not None and job.elapsed <= now:
            self._step(job)

    def finish(self, wanted: Sequence[Job], now: int, some: bool = False) -> int:
        """Let all go on until those have ended, or one of them; when that is, if not for ever, in ms."""
        while not (any if some else all)(job.stop is not None for job in wanted):
            job = self._next()
            if job is None:
                break
            self._step(job)
        longest = now + self.all[0].allowance.longest if self.all else now
        ends = [longest if job.stop is None or job.stop.kind != "exit" else job.ended_at for job in wanted]
        return max(now, (min if some else max)(ends, default=now))

    def leave(self) -> None:
        """Nobody waits any more: what they do at once is done."""
        for job in self.all:
            for _ in range(LEFT):
                if job.stop is not None or job.walking:
                    break
                job.step()

    def tell(self, now: int) -> list[Told]:
        """What there is, with what has ended since that was last told."""
        self.advance(now)
        found = [
            Told(job.number, self.first + at, job.state, job.text_of) for at, job in enumerate(self.all) if not job.told
        ]
        for job in self.all:
            job.told = job.told or job.state != "Running"
        return found


class JobHost(Host):
    """Who runs a task, with others in the background.

    Args:
        first: process number of the first of those.

    Attributes:
        beside: the task.
        background: the others.
    """

    beside: Aside

    def __init__(self, first: int) -> None:
        self.background = Jobs(self, first)

    def spawn(self, data: dict[str, Json], now: int = 0, out: Host | None = None) -> int:
        """Let it go on whenever others wait."""
        return self.background.start(data, now, out if isinstance(out, Aside) else self.beside)

    def advance(self, now: int) -> None:
        """Let them go on until then."""
        self.background.advance(now)
        self.move(now)

    def drain(self, out: Host, now: int) -> int:
        """A pipe is at its end when nobody can write to it any more."""
        held = [job for job in self.background.all if job.out is out and job.holds] if out is not self.beside else []
        return self.background.finish(held, now) if held else now

    def jobs(self, now: int) -> list[Told]:
        """What `jobs` shows."""
        return self.background.tell(now)

    def remaining(self, pid: int, now: int = 0) -> int:
        """How long they would take; who waits for one without an end waits as long as anybody can."""
        job = self.background.find(pid)
        wanted = [job] if job is not None else [each for each in self.background.all if not each.told]
        if (pid > 0 and job is None) or not wanted:
            return 0
        ended = self.background.finish(wanted, now, some=pid < 0) - now
        for each in wanted:
            each.told = each.told or each.stop is not None
        return ended

    def ended(self, pid: int) -> int:
        """Exit code of what was left there."""
        job = self.background.find(pid)
        return UNKNOWN if job is None or job.stop is None else job.stop.code


UNKNOWN = 127
"""Exit code of a process that there was not."""
