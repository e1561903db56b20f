"""Scripts of the agent's host: the interpreter of `sim.machine.scripts`, over files of a shell and on a real clock.

What takes time lets the cluster's clock go on at once. Builtins and small tools are the interpreter's, commands that
reach the cluster ours, all other utilities bashkit's: see `calls`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from aiops_gym.shell import host
from aiops_gym.shell.calls import Calls, replace_bytes
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.commands.sleep import parse_duration
from aiops_gym.shell.disk import Tree
from aiops_gym.shell.engine import MAX_OUTPUT, read_system, share_time, tell_lateness
from aiops_gym.shell.host_files import HostFiles, HostTree
from aiops_gym.shell.host_machine import LONGEST_WAIT, PATH, HostAllowance, HostMachine
from aiops_gym.shell.lending import Owner, Place
from aiops_gym.shell.pipelines import BESIDE, PROGRAMS, SCRIPTED, SHELLS, SMALL, Pipelines
from aiops_gym.shell.running import Ended
from aiops_gym.sim.machine.scripts import commands, tools
from aiops_gym.sim.machine.scripts.aside import Aside
from aiops_gym.sim.machine.scripts.files import Files, make_absolute
from aiops_gym.sim.machine.scripts.host import Call
from aiops_gym.sim.machine.scripts.machine import Machine
from aiops_gym.sim.machine.scripts.nodes import list_only_pipe
from aiops_gym.sim.machine.scripts.parser import make_call, parse_program
from aiops_gym.sim.machine.scripts.state import BUILTINS, OF_BASH
from aiops_gym.sim.machine.scripts.task import Stop, new_task
from aiops_gym.types import Output, Printed

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container
    from aiops_gym.sim.machine.scripts.host import Host
    from aiops_gym.types import Json

MOST_COMMANDS = 5_000
"""Of a script, builtins not counted."""

MOST_JOBS = 100
"""What runs in the background at once."""

FIRST = 631
"""Process number of a script."""

STEPS = "resource limit exceeded: maximum command count exceeded"
FORK_FAILED = "bash: fork: retry: Resource temporarily unavailable\nbash: fork: Resource temporarily unavailable\n"


class HostTasks(Pipelines):
    """One script and all that comes of it.

    Args:
        owner: whose shell it is.
        clock: the cluster, until the time of the script is up.
        tree: the files.
    """

    def __init__(self, owner: Owner, clock: Clock, tree: Tree) -> None:
        super().__init__(FIRST + 1)
        self.clock = clock
        self.tree = HostTree(tree, clock.now)
        self.calls = Calls(owner, clock, self.tree, SCRIPTED, self.start)
        self.owner = owner
        self.c = cast("Container", HostMachine(round(clock.started * 1000), owner.draw))
        self.command = self.dispatch
        self.allowance = HostAllowance()
        self.printed: list[tuple[str, str, str]] = []
        self.size = self.count = 0
        self.error = ""

    def run(self, script: str) -> Ended:
        """Run a script as `bash -c` does."""
        with share_time():
            return self._run(script)

    def _run(self, script: str) -> Ended:
        terminal = cast("Machine", _Terminal(self))
        self.beside = Aside(self, terminal, allowance=self.allowance, walker=Machine)
        node = parse_program(script, "bash")
        data = {**new_task(node, ["bash"], host.HOME, FIRST), "given": "c"}
        stop = self._run_plain(node, data) or self.beside.run(data)
        if stop.kind == "forever":
            self.move(LONGEST_WAIT)
        while held := [job for job in self.background.all if job.holds and job.stop is None and not job.walking]:
            self.background.finish(held, self.beside.elapsed)
        cut = stop.kind != "exit" or any(
            job.stop is not None and job.stop.kind != "exit" for job in self.background.all if job.holds
        )
        ending = self.error or ("killed" if cut else "")
        if self.tree.full:
            self.print("", "bash: write error: No space left on device\n")
            stop = stop._replace(code=stop.code or 1)
        out, err, both = self.printed[0] if len(self.printed) == 1 else ("".join(each) for each in self._parts())
        return Ended(out, err, both, stop.code, ending)

    def _run_plain(self, node: Json, data: dict[str, Json]) -> Stop | None:
        """Run a script that is one pipeline of commands which need no shell: nobody has to walk it. None for others."""
        stages = list_only_pipe(node)
        if not stages:
            return None
        self.beside.begin(data)
        machine = cast("Machine", self.beside.machine)
        calls = self.gather(machine, stages)
        if len(calls) < len(stages):
            return None
        output, codes = self.join(machine, calls, "")
        self._tell(machine, output)
        return Stop("killed" if self.over else "exit", code=codes[-1])

    def _parts(self) -> Sequence[Sequence[str]]:
        return tuple(zip(*self.printed, strict=True)) or ((), (), ())

    def open_files(self, mask: int) -> Files:
        """The files that a task sees."""
        return cast("Files", HostFiles(self.tree, mask))

    # What is over

    @property
    def over(self) -> bool:
        """Whether all that runs here has to end."""
        if not self.error:
            self.error = self.calls.error or tell_lateness()
            if self.allowance.left < 0:
                self.error = STEPS
        return bool(self.error) or self.clock.expired

    def move(self, now: int) -> None:
        """Let the cluster's clock go on until then."""
        left = now / 1000 - self.clock.elapsed()
        if left > 0:
            self.clock.idle(left)

    def _let_others(self, seconds: float) -> None:
        """Let what is in the background go on while a command waits."""
        self.background.advance(int(seconds * 1000))

    def print(self, out: str, err: str, both: str = "") -> None:
        """Keep what comes to the terminal."""
        if self.size > MAX_OUTPUT:
            return
        out, err = replace_bytes(out), replace_bytes(err)
        self.printed.append((out, err, replace_bytes(both) or out + err))
        self.size += len(out) + len(err)
        if self.size > MAX_OUTPUT:
            self.error = self.error or "output limit exceeded"

    def spawn(self, data: dict[str, Json], now: int = 0, out: Host | None = None) -> int:
        """Let it go on whenever others wait, where there are not too many."""
        if sum(job.stop is None for job in self.background.all) >= MOST_JOBS:
            self.print("", FORK_FAILED)
            self.error = self.error or STEPS
            return 0
        self.clock.others = self._let_others
        return super().spawn(data, now, out)

    def kill(self, pid: int, signal: str, now: int = 0) -> bool:
        """Signals reach what the script has in the background."""
        self.background.advance(now)
        job = self.background.find(pid)
        if job is None or job.stop is not None:
            return pid == FIRST and signal == "EXIT"
        job.signal(signal, now)
        return True

    # Commands

    def dispatch(self, machine: Machine, argv: list[str]) -> Stop | None:
        """Run a command; `$?` is 0 unless it says otherwise."""
        task, name = machine.task, argv[0]
        if name in task.functions and not machine.through:
            commands.call_function(machine, argv)
            return None
        machine.before, task.code = task.code, 0
        if self._is_builtin(machine, argv):
            return commands.COMMANDS[name](machine, argv)
        if name in SMALL and self.is_small(machine, argv):
            if name in commands.COMMANDS:
                return commands.COMMANDS[name](machine, argv)
            task.code = tools.TOOLS[name](machine, argv)
            return None
        self.count += 1
        if self.count > MOST_COMMANDS:
            self.error = STEPS
            return None
        if "/" in name:
            return self._run_path(machine, argv)
        if not self.knows(machine, name):
            return self._run_found(machine, argv)
        self._run_other(machine, argv)
        return Stop("busy") if self.over else None

    def _is_builtin(self, machine: Machine, argv: list[str]) -> bool:
        name = argv[0]
        if name not in commands.COMMANDS:
            return False
        if name == "sleep":
            return len(argv) > 1 and all(parse_duration(word) is not None for word in argv[1:])
        known = name in BUILTINS or name in SHELLS or name in BESIDE
        return known or (name in OF_BASH and (machine.dialect == "bash" or name == "source"))

    def _run_other(self, machine: Machine, argv: list[str]) -> None:
        """Run a command of ours or a utility."""
        fds, text = machine.task.fds, _text(machine)
        if argv[0] in self.owner.names:
            output = self.call(machine, argv, text)
        else:
            output, _ = self.join(machine, [Call(argv, "out" if fds.get("1") == fds.get("2") else "")], text)
        self._tell(machine, output)
        machine.task.code = output.code

    def _tell(self, machine: Machine, output: Output) -> None:
        fds = machine.task.fds
        plain = machine.host is self.beside and fds.get("1") == ["out"] and fds.get("2") == ["err"]
        if plain and isinstance(output, Printed):
            self.print(output.stdout, output.stderr, output.together)
            return
        machine.write("1", output.stdout)
        machine.write("2", output.stderr)

    def _run_path(self, machine: Machine, argv: list[str]) -> Stop | None:
        """Run a program that is named by its path."""
        path = make_absolute(argv[0], machine.task.cwd)
        folder, _, base = path.rpartition("/")
        if f"{folder}/" in ("/bin/", PROGRAMS) and (base in SHELLS or self.knows(machine, base)):
            return self.dispatch(machine, [base, *argv[1:]])
        kind = machine.files.kind(path)
        wrong = "Is a directory" if kind == "directory" else "" if kind else "No such file or directory"
        if kind == "file" and not machine.files.mode(path) & 0o111:
            wrong = "Permission denied"
        if wrong:
            machine.blame(f"{argv[0]}: {wrong}")
            machine.task.code = 126 if kind else 127
            return None
        return self._run_file(machine, path, argv)

    def _run_file(self, machine: Machine, path: str, argv: list[str]) -> Stop | None:
        """Run a script in a file by what its first line names."""
        text = machine.files.read(path) or ""
        first = text.partition("\n")[0] if text.startswith("#!") else ""
        words = [word for word in first[2:].split() if not word.endswith("/env") and word != "-S"]
        name = words[0].rpartition("/")[2] if words else "bash"
        if name not in SHELLS:
            return self.dispatch(machine, [*words, path, *argv[1:]])
        shell = "bash" if name == "bash" else "dash"
        node = parse_program(text, shell)
        machine.enter_shell(node, [path, *argv[1:]], fresh=True, shell=shell, given="")
        return None

    def _run_found(self, machine: Machine, argv: list[str]) -> Stop | None:
        """Run a script that lies on the path, or tell that there is none."""
        path = commands.find_file(machine, argv[0])
        if path:
            return self._run_file(machine, path, argv)
        if machine.through:
            machine.write("2", f"{commands.tell_absent(machine, argv[0])}\n")
        else:
            machine.blame(f"{argv[0]}: {'command ' if machine.dialect == 'bash' else ''}not found")
        machine.task.code = 127
        return None

    def locate(self, word: str) -> str:
        """Where the program lies that a word names, "" for none."""
        files = HostFiles(self.tree)
        places = (f"{folder}/{word}" for folder in PATH.split(":"))
        return next((place for place in places if files.kind(place) == "file" and files.mode(place) & 0o111), "")

    def start(self, argv: Sequence[str], stdin: str, place: Place) -> Output:
        """Run a command that another one starts, as a process of its own."""
        name = argv[0]
        native = name in commands.COMMANDS or name in SMALL or "/" in name
        if name in self.owner.names or (not native and name not in SCRIPTED and f"{PROGRAMS}{name}" in read_system()):
            return self.calls.run(argv, stdin, place)
        sink = _Sink()
        side = Aside(self, cast("Machine", sink), allowance=self.allowance, walker=Machine)
        side.base = round(self.clock.elapsed() * 1000)
        data = new_task(make_call(list(argv)), ["bash"], place.cwd, FIRST + MOST_JOBS)
        own = {name: value for name, value in place.env.items() if self.c.env.get(name) != value and name != "PWD"}
        exports = dict.fromkeys(own, True) | {name: False for name in self.c.env if name not in place.env}
        stop = side.run({**data, "vars": own, "exports": exports, "fds": {**data["fds"], "0": ["text", stdin]}})
        if stop.kind == "forever":
            self.move(LONGEST_WAIT)
        return Printed.of(sink.pieces, stop.code if stop.kind == "exit" else 124)


class _Terminal:
    """What a script prints to."""

    def __init__(self, tasks: HostTasks) -> None:
        self.tasks = tasks

    def write(self, number: str, text: str) -> None:
        """Print."""
        self.tasks.print(*((text, "") if number == "1" else ("", text)))


class _Sink:
    """What a process prints to that another one has started."""

    def __init__(self) -> None:
        self.pieces: list[tuple[int, str]] = []

    def write(self, number: str, text: str) -> None:
        """Keep it."""
        self.pieces.append((int(number), text))


def _text(machine: Machine) -> str:
    source = machine.stdin()
    return (
        str(source[1])
        if source[0] == "text"
        else "\0" * min(source[1], commands.MOST_ZEROS)
        if source[0] == "zero"
        else ""
    )
