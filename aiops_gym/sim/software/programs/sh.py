"""A shell as the main process of a container, and the small tools themselves; scripts run on virtual time.

State: `tasks` by pid (see `sim.machine.scripts.task`), `traps` by signal, `pending` signals that wait for a command
in the foreground, `next` pid, `ended` (exit codes of the last tasks that have ended), `open` line, `spin` (how long
it has been busy), `sizes` of large files, `serving` ports; or `typed`: it waits for somebody who attaches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container, Parent
from aiops_gym.sim.machine.program import Program, program_of
from aiops_gym.sim.machine.runtime import TASK_ENDED
from aiops_gym.sim.machine.scripts import task as tasks
from aiops_gym.sim.machine.scripts.allowance import Allowance
from aiops_gym.sim.machine.scripts.commands import run as run_command
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.machine.scripts.host import Host, Running
from aiops_gym.sim.machine.scripts.machine import Machine
from aiops_gym.sim.machine.scripts.main import Started, find_program, is_replaced, is_typed_into, read_main
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

SPIN_MS = (10, 1_000)
"""Time that passes for a task that does much without waiting: more and more, so that it cannot hold the clock."""

LATER_MS = 60_000
"""The same where the container, or all of them together, have used up what they may do."""

WAKING = 100
"""Units that it takes to go on with a task."""

START_MS = (40, 300)
FIRST = 7
"""Pid of the first task in the background."""

MOST_TASKS = 100
CODES = {"TERM": 143, "KILL": 137, "INT": 130, "HUP": 129, "QUIT": 131, "USR1": 138, "USR2": 140}


class Sh(Program):
    """Runs its command line."""

    def start(self, c: Container) -> None:
        """Parse the command line and begin."""
        try:
            main = read_main(c)
        except ScriptError as error:
            c.log(f"{c.argv[0]}: 1: {error}")
            c.exit_in(int(c.between(*START_MS, "start")), 2)
            return
        if is_typed_into(c):
            c.remember(tasks={}, typed=True)
            return
        c.remember(tasks={"1": main}, traps={}, pending=[], next=FIRST, open="", spin=0)
        c.after(int(c.between(*START_MS, "start")), "task.go", 1, 0)

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """A task goes on, has taken too much memory, or the program for which it waited has ended with a code."""
        pid, turn = int(arguments[0]), int(arguments[1])
        data = c.state["tasks"].get(str(pid))
        if data is not None and name == TASK_ENDED:
            c.remember(tasks={**c.state["tasks"], str(pid): {**data, "code": turn, "turn": data["turn"] + 1}})
            c.after(1, "task.go", pid, data["turn"] + 1)
            return
        if data is None or data["turn"] != turn:
            return
        if name == "task.oom":
            c.exit(137, "OOMKilled")
        else:
            Scripts(c).go(pid)

    def terminate(self, c: Container) -> None:
        """SIGTERM: the first process of a container takes no notice of it unless it is trapped."""
        Scripts(c).deliver("TERM")

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A small process; a busy one uses a core."""
        busy = process["state"].get("spin", 0) >= SPIN_MS[1]
        return {"cpu": 1.0 if busy else 0.0002, "memory": 1_200_000.0, "threads": 1.0}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """What a server started by the script answers."""
        for serving in process["state"].get("serving", {}).values():
            if "folder" in serving:
                return _file(world, process, serving["folder"], path.partition("?")[0])
            head, _, body = str(serving["text"]).replace("\r\n", "\n").partition("\n\n")
            words = head.split()
            return (int(words[1]), body) if len(words) > 1 and is_natural(words[1]) else (0, "")
        return 0, ""


class Scripts(Host):
    """The tasks of one container: see `machine.Host`.

    Args:
        c: the container.
    """

    def __init__(self, c: Container) -> None:
        self.c = c
        self.command = run_command
        self.starting: Started | None = None

    def launch(self, machine: Running, argv: list[str]) -> Stop | None:
        """Start a program of the image, in place of the shell or as its child; there is room for one at a time."""
        if isinstance(self.c, Parent):
            return None
        found = find_program(self.c, machine, argv)
        if found is not None:
            self.starting = found
            return Stop("program")
        return None

    def go(self, pid: int) -> None:
        """Let a task go on until it waits."""
        task = Task(self.c.state["tasks"][str(pid)])
        if pid == 1 and self._trapped(task):
            return
        allowance = Allowance(self.c)
        begins = allowance.may_begin
        if begins:
            allowance.left -= WAKING
        stop = Machine(self, task, allowance).run() if begins else Stop("busy")
        allowance.settle()
        task.turn += 1
        if stop.kind != "busy" and self.c.state["spin"] and pid == 1:
            self.c.remember(spin=0)
        if stop.kind == "exit":
            self._ended(task, stop.code)
            return
        self.c.remember(tasks={**self.c.state["tasks"], str(pid): task.data()})
        if stop.kind in ("sleep", "busy"):
            self.c.after(stop.ms if stop.kind == "sleep" else self._spin(begins), "task.go", pid, task.turn)
        elif stop.kind == "program" and self.starting is not None:
            command, env = self.starting
            replaced = pid == 1 and is_replaced(self.c, task)
            runtime.become(self.c.world, self.c.key, command, env, None if replaced else pid)
        elif stop.kind == "oom":
            self.c.after(stop.ms, "task.oom", pid, task.turn)

    def _spin(self, begins: bool) -> int:
        most = SPIN_MS[1] if begins else LATER_MS
        spin = min(most, max(SPIN_MS[0], 2 * int(self.c.state["spin"])))
        self.c.remember(spin=spin)
        return spin

    def _trapped(self, task: Task) -> bool:
        """Begin the script of a signal that has waited; True if the process ended instead."""
        for signal in self.c.state["pending"]:
            self._interrupt(task, signal)
        self.c.remember(pending=[])
        return False

    def _interrupt(self, task: Task, signal: str) -> None:
        script = self.c.state["traps"].get(signal)
        if script:
            task.push("resume", task.code)
            task.stack.append(_frame(script))

    def deliver(self, signal: str) -> None:
        """A signal for the first process: its trap runs when the command in the foreground has ended."""
        state = self.c.state
        if signal == "KILL":
            self.c.exit(137)
            return
        if not state.get("traps", {}).get(signal) or "1" not in state.get("tasks", {}):
            return
        self.c.remember(pending=[*state["pending"], signal])
        data = state["tasks"]["1"]
        if data["waits"] >= 0:
            turn = data["turn"] + 1
            code = CODES.get(signal, 143)
            self.c.remember(tasks={**state["tasks"], "1": {**data, "waits": -1, "code": code, "turn": turn}})
            self.c.after(5, "task.go", 1, turn)

    def _ended(self, task: Task, code: int) -> None:
        leaving = self.c.state["traps"].get("EXIT") if task.pid == 1 else None
        if leaving:
            self.c.remember(traps={k: v for k, v in self.c.state["traps"].items() if k != "EXIT"})
            task.stack = [["resume", code], _frame(leaving)]
            task.code = code
            self.c.remember(tasks={**self.c.state["tasks"], "1": task.data()})
            self.go(1)
            return
        if task.pid == 1:
            if self.c.state["open"]:
                self.c.log(self.c.state["open"])
            self.c.exit(code)
            return
        self._gone(task.pid, code)

    def _gone(self, pid: int, code: int) -> None:
        """A task in the background has ended: whoever waits for it goes on."""
        left = {k: v for k, v in self.c.state["tasks"].items() if k != str(pid)}
        for key, data in left.items():
            others = [k for k in left if k not in ("1", key)]
            if data["waits"] == pid or (data["waits"] == 0 and not others):
                turn = data["turn"] + 1
                left = {**left, key: {**data, "waits": -1, "code": code if data["waits"] else 0, "turn": turn}}
                self.c.after(1, "task.go", int(key), turn)
        ended = dict([*self.c.state.get("ended", {}).items()][-MOST_TASKS:])
        self.c.remember(tasks=left, ended={**ended, str(pid): code})

    def write(self, task: Task, text: str) -> None:
        """To the container's log, by the line."""
        *lines, rest = (self.c.state.get("open", "") + text).split("\n")
        if lines:
            self.c.log(*lines)
        if rest != self.c.state.get("open", ""):
            self.c.remember(open=rest)

    def complain(self, task: Task, text: str) -> None:
        """To the same log."""
        self.write(task, text)

    def spawn(self, data: dict[str, Json], now: int = 0, out: Host | None = None) -> int:
        """Run a task in the background; there is room for so many only."""
        if len(self.c.state.get("tasks", {})) > MOST_TASKS:
            self.write(Task(data), "sh: 1: Cannot fork\n")
            return 0
        pid = int(self.c.state.get("next", FIRST))
        table = {**self.c.state.get("tasks", {}), str(pid): {**data, "pid": pid, "turn": 0}}
        self.c.remember(next=pid + 1, tasks=table)
        self.c.after(1, "task.go", pid, 0)
        return pid

    def kill(self, pid: int, signal: str, now: int = 0) -> bool:
        """Send a signal to a task, or to the first process."""
        if pid == 1:
            if signal != "EXIT":
                self.deliver(signal) if signal != "KILL" else None
            return True
        if str(pid) not in self.c.state.get("tasks", {}):
            return False
        if isinstance(self.c, Parent) and self.c.child == pid and signal != "EXIT":
            self._stop_program(signal)
            return True
        if signal != "EXIT":
            self._gone(pid, CODES.get(signal, 143))
        return True

    def _stop_program(self, signal: str) -> None:
        own = Container(self.c.world, self.c.key)
        if signal == "KILL":
            own.exit(CODES["KILL"])
        else:
            program_of(own.world, own.process).terminate(own)

    def trap(self, signal: str, script: str | None) -> None:
        """What is to be done at a signal."""
        traps = {k: v for k, v in self.c.state["traps"].items() if k != signal}
        self.c.remember(traps=traps if script is None else {**traps, signal: script})

    def ended(self, pid: int) -> int:
        """Exit code of a task in the background that has ended."""
        return int(self.c.state.get("ended", {}).get(str(pid), 127))

    def children(self) -> list[int]:
        """Pids of the tasks in the background."""
        return [int(pid) for pid in self.c.state["tasks"] if pid != "1"]


def _frame(script: str) -> list[Json]:
    """The beginning of a trap's script; of one that makes no sense, of nothing."""
    try:
        frame: list[Json] = tasks.new_task(script, [])["stack"][0]
    except ScriptError:
        return ["list", ["list", []], 0]
    return frame


def _file(world: World, process: Process, folder: str, path: str) -> tuple[int, str]:
    files = Files(Container(world, f"{process['uid']}/{process['container']}"))
    name = f"{folder.rstrip('/')}{path}"
    text = files.read(f"{name.rstrip('/')}/index.html" if name.endswith("/") else name)
    return (200, text) if text is not None else (404, "404 Not Found\n")


program = Sh()
