"""Calls of commands from a script: of ours, and of the interpreter's own utilities, over one tree of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from shlex import join as quoted
from shlex import quote
from typing import NamedTuple, Protocol
from uuid import UUID

from aiops_gym.clients.context import CommandModule, Context, Network
from aiops_gym.shell import archive, chance, heavy
from aiops_gym.shell.analysis import may_nest, may_write
from aiops_gym.shell.apart import FREE, SECONDS, run_apart
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.disk import STDIN, File, Tree, list_parents, make_absolute
from aiops_gym.shell.drive import Drive
from aiops_gym.shell.engine import (
    Engine,
    Invocation,
    borrow_engine,
    charge,
    is_overdue,
    measure_left,
    run_nested,
)
from aiops_gym.shell.host_files import HostTree, OpenFiles, Overworked
from aiops_gym.shell.host import ENVIRONMENT
from aiops_gym.shell.repair import repair
from aiops_gym.sim.machine.scripts.host import Call
from aiops_gym.types import Output

CALL_SECONDS = 0.3
CHARGED = frozenset({"kubectl", "helm", "docker", "curl", "wget"})
"""Commands that talk to the cluster, and what each call costs."""

KILLED = Output("", "", 124)

TIMES = re.compile(r"-[no]t\b|newer|touch|cp|mv|rsync|tar|zip|install")
"""What calls that look at the times of files have in them; our own commands know them anyway."""

PER_CALL, PER_PATH, PER_SPAWN, PER_UNIT = 200, 60, 4_000, 200
"""Units of work, of about a microsecond each: of a call, of a file that it looks at, of a command that it starts, and
for so many characters."""

MOST_UNITS = 3_000_000
"""That the commands of ours may do in all; the interpreter's own have counts of theirs."""

SHELLS, MARK = frozenset({"sh", "bash", "dash"}), "__"
"""Commands that utilities start through `Calls.start`, and what their names begin with there: the interpreter would
take others for its own."""

TAKING = frozenset("-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --arg-file --replace".split())
"""Options of `xargs` that are followed by a word."""

STARTING = frozenset({"xargs", "find", "parallel", "watch", "nice", "env"})
"""Utilities that start other commands."""

LONGEST_PATH = 4096
LONGEST_LINE = 131_072
"""Characters of the words of a call that runs apart, as of a script."""

_ENVIRONMENT = frozenset({"-exec", "-execdir", "env", "envsubst", "printenv", "watch", "xargs"})
"""Words of calls to which the variables of their environment make a difference."""


class Owner(Protocol):
    """Whose shell it is: its commands, and what they can reach."""

    network: Network | None

    @property
    def commands(self) -> Mapping[str, CommandModule]:
        """Commands by name."""

    @property
    def names(self) -> frozenset[str]:
        """Their names."""

    def draw(self) -> int:
        """64 random bits of the shell's own stream."""

    def fraction(self) -> float:
        """A number in [0, 1) of the same stream."""


class Place(NamedTuple):
    """Where a command is called: the folder, and the variables that are exported."""

    cwd: str
    env: Mapping[str, str]


Start = Callable[[Sequence[str], str, Place], Output]
"""Runs a command that is neither ours nor a utility, as a process of its own: (argv, stdin, place)."""


class Calls:
    """All calls of one script.

    Args:
        owner: whose shell it is.
        clock: the cluster, until the time of the script is up.
        tree: the files.
        shells: names of commands that utilities start through `start`.
        start: runs one; by itself, as a call.

    Attributes:
        units: what its commands have done so far.
        error: why the script has to end, as `Ended.error` has it; "" while it may go on.
    """

    def __init__(
        self,
        owner: Owner,
        clock: Clock,
        tree: HostTree,
        shells: frozenset[str] = frozenset(),
        start: Start | None = None,
    ) -> None:
        self.owner, self.clock, self.tree = owner, clock, tree
        self.shells = shells
        self.start = start or self.run
        self.units = 0
        self.error = ""
        self.names = owner.names | shells | {f"{MARK}{name}" for name in shells}

    def run(self, argv: Sequence[str], stdin: str, place: Place) -> Output:
        """Run a command, ours or a utility."""
        return self.join([Call(list(argv))], stdin, place)[0]

    def join(self, calls: Sequence[Call], text: str, place: Place) -> tuple[Output, list[int]]:
        """Run commands that are piped into each other on a text: what came out of all, and their codes."""
        codes, errors, output = list[int](), "", Output(text)
        for own, group in groupby(calls, self.is_alone):
            for part in [[each] for each in group] if own else [list(group)]:
                output, found = self._once(part, output.stdout, place)
                codes += found
                errors += output.stderr
        return (output if len(codes) == 1 else Output(output.stdout, errors, codes[-1])), codes

    def is_alone(self, call: Call) -> bool:
        """Whether a command is not one of the interpreter's that can be piped into others there."""
        name = call.argv[0]
        return name in self.owner.names or name == "tar" or name in heavy.CHECKED or _may_be_endless(call.argv)

    def _once(self, calls: Sequence[Call], text: str, place: Place) -> tuple[Output, list[int]]:
        if not self.is_alone(calls[0]):
            return self._utilities(calls, text, place)
        argv, errors = calls[0]
        output = self.call(argv, text, place)
        if errors == "out":
            output = Output(getattr(output, "together", output.stdout + output.stderr), "", output.code)
        elif errors == "null":
            output = Output(output.stdout, "", output.code)
        return output, [output.code]

    def call(self, argv: list[str], stdin: str, place: Place) -> Output:
        """Run one of our commands, or one that cannot run among others."""
        if is_overdue() or self.units > MOST_UNITS:
            self.error = self.error or "resource limit exceeded: commands took too long"
            return KILLED
        name = argv[0]
        if self.clock.expired and (name in CHARGED or name in ("sleep", "watch", "timeout")):
            return KILLED
        if name in CHARGED and not self.clock.wait(CALL_SECONDS):
            return KILLED
        command = self.owner.commands.get(name) or heavy.COMMANDS.get(name)
        if name == "tar":
            return self._pack(argv, stdin, place)
        if command is None:
            return self._utilities([Call(argv)], stdin, place)[0]
        stdin = replace_bytes(stdin) if name in self.owner.names else stdin
        files = OpenFiles(self.tree, place.cwd, stdin, (MOST_UNITS - self.units) // PER_PATH)
        try:
            answer = command(self._context(files, stdin, place), argv)
        except Overworked:
            self.units = MOST_UNITS + 1
            self.error = "resource limit exceeded: commands took too long"
            return KILLED
        output = answer if isinstance(answer, Output) else Output(*answer)
        moved = len(stdin) + len(output.stdout) + len(output.stderr)
        self.units += PER_CALL + PER_PATH * files.looked + moved // PER_UNIT
        return output

    def _context(self, files: OpenFiles, stdin: str, place: Place) -> Context:
        def spawn(
            argv: Sequence[str], stdin: str = "", seconds: float | None = None, *, own: bool = False, first: str = ""
        ) -> tuple[Output, bool]:
            self.units += PER_SPAWN
            if is_overdue() or self.units > MOST_UNITS:
                return KILLED, True
            with self.clock.limit(1e12 if seconds is None else seconds):
                output = self._child(list(argv), stdin, place, own, first)
                return output, self.clock.expired

        return Context(
            cluster=self.clock,
            files=files,
            cwd=place.cwd,
            env=place.env,
            stdin=stdin,
            network=self.owner.network,
            draw=self.owner.fraction,
            spawn=spawn,
            spend=self._spend,
        )

    def _spend(self, units: int) -> int:
        self.units += units
        return MOST_UNITS - self.units

    def _child(self, argv: list[str], stdin: str, place: Place, own: bool, first: str) -> Output:
        if not own:
            return self.start(argv, stdin, place)
        if heavy.may_start(argv) or argv[0] in heavy.CHECKED or first:
            return self._utilities([Call(argv)], stdin, place, first)[0]
        return self._apart(argv, stdin, place)

    # The interpreter's own

    def _utilities(self, calls: Sequence[Call], stdin: str, place: Place, first: str = "") -> tuple[Output, list[int]]:
        starts = any(argv[0] in STARTING or heavy.may_start(argv) for argv, _ in calls)
        return run_nested(
            lambda: self._piped(calls, stdin, place, first, starts), any(may_nest(argv) for argv, _ in calls)
        )

    def _piped(
        self, calls: Sequence[Call], stdin: str, place: Place, first: str, starts: bool
    ) -> tuple[Output, list[int]]:
        writes = any(may_write(argv) for argv, _ in calls)
        script, lent = self._script(calls, stdin, place)
        names = (self.names | heavy.CHECKED | heavy.ENDLESS) - {argv[0] for argv, _ in calls} if starts else self.names
        with borrow_engine(names) as machine:
            before = self.tree.freeze()
            start = {**before, **lent} if lent else before
            machine.disk.load(start)
            machine.lend_input(stdin)
            if machine.disk.undated and (starts or TIMES.search(script)):
                machine.disk.date()
            job = _Nested(self, machine, place, writes)
            ended = machine.call(f"( {first}{script} )" if first else script, job.call)
            if writes or job.wrote:
                after = machine.disk.save(self.clock.now())
                if after is not start:
                    self.tree.replace(_without(after, start, before, lent))
                self.tree.full = self.tree.full or machine.disk.full
            codes = _read_codes(machine.disk.drive, len(calls), ended.code)
            stdout = _take(machine.disk.drive, OUTPUT) if calls[-1].argv[0] in BINARY else ended.stdout
        if ended.error:
            self.error = ended.error
        stderr = repair(ended.stderr)
        if lent or chance.HIDDEN in stdout or chance.HIDDEN in stderr:
            stdout, stderr = _renamed(stdout), _renamed(stderr)
        return Output(stdout, stderr, codes[-1]), codes

    def _script(self, calls: Sequence[Call], stdin: str, place: Place) -> tuple[str, Tree]:
        """The pipeline as a text for the interpreter, and files that are there for it alone."""
        lent: dict[str, File] = {}
        stages = [self._stage(call, place.cwd, lent) for call in calls]
        if stdin:
            stages[0] += f" < {STDIN}"
        text = f"cd {quote(place.cwd)}; {' | '.join(stages)}"
        words = [word for argv, _ in calls for word in argv]
        if not _ENVIRONMENT.isdisjoint(words) or any("ENVIRON" in word or "system" in word for word in words):
            text = f"( {set_variables(place.env)}{text} )"
        if calls[-1].argv[0] in BINARY:
            text += f" > {OUTPUT}"
        return (f"{text}; printf '%s ' \"${{PIPESTATUS[@]}}\" > {CODES}" if len(calls) > 1 else text), lent

    def _stage(self, call: Call, cwd: str, lent: dict[str, File]) -> str:
        argv = chance.settle(call.argv, self.clock.now(), self.owner.draw)
        if "-f" in argv[1:-1] and argv[0] in chance.AWKS:
            place_of = argv.index("-f") + 1
            argv[place_of] = self._settled(argv[place_of], cwd, lent)
        argv = [self._hidden(word, lent) for word in (_marked(argv) if self.shells else argv)]
        return quoted(argv) + {"out": " 2>&1", "null": " 2>/dev/null"}.get(call.errors, "")

    def _settled(self, name: str, cwd: str, lent: dict[str, File]) -> str:
        """The file of a program, in which chance and time are settled, too."""
        file = self.tree.get(self.tree.find(make_absolute(name, cwd)))
        if file is None or not chance.is_suspect(file.data):
            return name
        program = file.data.decode(errors="surrogateescape")
        program = chance.settle_program(program, self.clock.now(), self.owner.draw)
        return self._lend(name, program.encode(errors="surrogateescape"), lent)

    def _lend(self, name: str, data: bytes, lent: dict[str, File]) -> str:
        """The name under which the interpreter finds what is there for one call."""
        hidden = f"{chance.PROC}/{name.lstrip('/').replace('/', '%')}"
        lent[chance.PROC] = File("directory", 0o755, b"", self.clock.now())
        lent[hidden] = File(data=data, time=self.clock.now())
        return hidden

    def _hidden(self, word: str, lent: dict[str, File]) -> str:
        """A word with names that the interpreter can open in place of those of the kernel."""
        if "/dev/" not in word and "/proc/" not in word:
            return word
        if word in self.tree.lent:
            return self._lend(word, self.tree.lent[word], lent)
        found = chance.hide_sources(word)
        if found != word:
            lent.update(self._random_files())
        return found

    def _random_files(self) -> Tree:
        """Stand-ins for the kernel's sources of chance."""
        data = b"".join(self.owner.draw().to_bytes(8, "big") for _ in range(512))
        name = str(UUID(int=self.owner.draw() << 64 | self.owner.draw(), version=4)) + "\n"
        now = self.clock.now()
        random = dict.fromkeys(chance.RANDOM_FILES, File("file", 0o444, data, now))
        return {**random, chance.UUID_FILE: File("file", 0o444, name.encode(), now)}

    def _apart(self, argv: list[str], stdin: str, place: Place) -> Output:
        """Run the interpreter's own command in a process of its own, over a copy of the files."""
        tree, clock = self.tree.freeze(), self.clock
        if sum(map(len, argv)) > LONGEST_LINE:
            return Output("", f"bash: line 1: {argv[0]}: Argument list too long\n", 126)
        lent: dict[str, File] = {}
        script = f"{self._stage(Call(argv), place.cwd, lent)} < {STDIN}"
        chancy = argv[0] in heavy.CHANCY
        script = f"cd {quote(place.cwd)}; {set_variables(place.env)}{script}"
        if chancy:
            script = f"RANDOM={self.owner.draw() % 32768}; {script}"
        start = {**tree, **lent}
        named = _paths(argv, place.cwd) | set(lent)
        links = any(start[path].kind == "symlink" for path in named if path in start)
        reads = not links and heavy.only_reads(argv)
        seen = {path: file for path, file in start.items() if not reads or path in named}
        answer = run_apart(
            script,
            {**seen, STDIN: File(data=stdin.encode(errors="surrogateescape"))},
            measure_left(SECONDS),
            writes=not reads,
            python=chancy,
        )
        if charge(answer.cpu - FREE, answer.late):
            return KILLED
        if answer.written or answer.removed:
            now = clock.now()
            after = {path: file for path, file in start.items() if path not in answer.removed}
            after |= {path: replace(file, time=now) for path, file in answer.written.items()}
            after.pop(STDIN, None)
            self.tree.replace(_without(dict(sorted(after.items())), start, tree, lent))
        return Output(_renamed(answer.stdout), repair(_renamed(answer.stderr)), answer.code)

    def _pack(self, argv: list[str], stdin: str, place: Place) -> Output:
        """`tar`: what packs names its files one by one; see `archive`."""
        files = OpenFiles(self.tree, place.cwd, stdin, MOST_UNITS // PER_PATH)
        packing = archive.prepare(self._context(files, stdin, place), argv[1:])
        if packing is None:
            return self._utilities([Call(argv)], stdin, place)[0]
        output = self._utilities([Call(packing.argv)], "", place)[0]
        made = self.tree.get(archive.MADE)
        if made is None:
            return output
        data = archive.stamp(made.data, packing.times)
        self.tree.remove(archive.MADE)
        if packing.packer:
            piped = self._utilities([Call([packing.packer, "-c"])], data.decode(errors="surrogateescape"), place)[0]
            data = piped.stdout.encode(errors="surrogateescape")
        if packing.target == "-":
            return Output(data.decode(errors="surrogateescape"), output.stdout + output.stderr, output.code)
        target = self.tree.find(make_absolute(packing.target, place.cwd))
        self.tree.put(target, File("file", 0o644, data, self.clock.now()))
        return output


def _marked(argv: list[str]) -> list[str]:
    """The words of a call in which `xargs` does not start the interpreter's own shell."""
    if argv[0] != "xargs":
        return argv
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in TAKING else 1
    return [*argv[:at], f"{MARK}{argv[at]}", *argv[at + 1 :]] if argv[at : at + 1] and argv[at] in SHELLS else argv


class _Nested:
    """Commands that a utility starts, from within the interpreter."""

    def __init__(self, calls: Calls, machine: Engine, place: Place, writes: bool) -> None:
        self.calls, self.machine, self.place = calls, machine, place
        self.writes, self.wrote = writes, False

    def call(self, invocation: Invocation) -> Output:
        """What the interpreter calls for a command of ours."""
        calls, disk = self.calls, self.machine.disk
        if is_overdue() or calls.units > MOST_UNITS or calls.clock.expired:
            self.machine.cancel()
            return KILLED
        if self.writes or self.wrote:
            calls.tree.replace(disk.save(calls.clock.now(), invocation.drive))
        before = calls.tree.freeze()
        place = Place(invocation.cwd, invocation.env)
        argv = [invocation.name.removeprefix(MARK), *invocation.argv[1:]]
        output = run_nested(lambda: calls.start(argv, invocation.stdin, place))
        if calls.tree.freeze() is not before:
            disk.load(calls.tree.freeze(), invocation.drive)
            self.wrote = True
        if calls.clock.expired:
            self.machine.cancel()
        return output


_LENT = re.compile(rf"{re.escape(chance.PROC)}/([\w.%]+)")
CODES, OUTPUT = "/var/tmp/.codes", "/var/tmp/.output"
"""Where a pipeline leaves the codes of its commands, and what it prints that may be no text."""

_BINARY = """
    gzip gunzip bzip2 bunzip2 zcat bzcat tar xxd base64 base32 basenc openssl iconv zip unzip dd cat head tail tac cut tr
"""
BINARY = frozenset(_BINARY.split())
"""Utilities that may print what is no text."""


def _take(drive: Drive, path: str) -> str:
    """The content of a file, which is removed."""
    if not drive.exists(path):
        return ""
    text = drive.read_file(path).decode(errors="surrogateescape")
    drive.remove(path)
    return text


def _read_codes(drive: Drive, count: int, last: int) -> list[int]:
    """The codes of a pipeline's commands; where it was ended, they ended with it."""
    if count == 1:
        return [last]
    codes = [int(word) for word in _take(drive, CODES).split()]
    return codes if len(codes) == count else [last] * count


def replace_bytes(text: str) -> str:
    """A text in which a sign stands for bytes that are no text."""
    return text if text.isascii() else text.encode(errors="surrogateescape").decode(errors="replace")


def _may_be_endless(argv: Sequence[str]) -> bool:
    name = argv[0]
    return name in heavy.ENDLESS and not heavy.may_start(argv) and heavy.may_be_endless(argv)


def set_variables(env: Mapping[str, str]) -> str:
    """A script that gives a command its environment."""
    absent = " ".join(name for name in ENVIRONMENT if name not in env)
    names = [name for name in env if name not in ("PWD", "_") and name.isidentifier()]
    given = " ".join(f"{name}={quote(env[name])}" for name in names)
    return f"unset {absent}; " * bool(absent) + f"export {given}; " * bool(given)


def _without(after: Tree, start: Tree, before: Tree, lent: Tree) -> Tree:
    """The tree after a call, without what was only put there for it."""
    kept = {path: file for path, file in after.items() if path not in lent and path not in (CODES, OUTPUT)}
    return before if kept == before and start is not before else kept


def _renamed(text: str) -> str:
    """What was printed, with the kernel's names of what stood for it."""
    text = chance.restore_output(text)
    return _LENT.sub(lambda found: "/" + found[1].replace("%", "/"), text) if chance.PROC in text else text


def _paths(argv: Sequence[str], cwd: str) -> set[str]:
    """The files that the words of a call may name, and the folders above them."""
    named = {make_absolute(word, cwd) for word in argv[1:] if len(word) < LONGEST_PATH}
    return named | {cwd} | {folder for path in (*named, cwd) for folder in list_parents(path)}
