"""The utilities of a machine that its interpreter does not have itself: bashkit's, over one tree of files.

Those in a pipeline are called together. What none of its counts would end runs in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from posixpath import basename
from shlex import quote

from aiops_gym.shell import chance, heavy
from aiops_gym.shell.analysis import CHECKED, Traits, look
from aiops_gym.shell.apart import FREE, SECONDS, run_apart
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.disk import STDIN, File, Tree, list_parents, make_absolute
from aiops_gym.shell.drive import Drive
from aiops_gym.shell.engine import Engine, borrow_engine, charge, is_overdue, measure_left, run_nested
from aiops_gym.shell.genuine import hide_interpreter
from aiops_gym.shell.host import ENVIRONMENT
from aiops_gym.shell.host_files import HostTree
from aiops_gym.shell.lending import Lending, Owner, Place, restore_names
from aiops_gym.shell.repair import repair
from aiops_gym.shell.running import Invocation
from aiops_gym.shell.words import split_words
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts.host import Call
from aiops_gym.types import Output

KILLED = Output("", "", 124)

TOO_MUCH = "resource limit exceeded: commands took too long"
MOST_UNITS = 3_000_000
"""Units of work, of about a microsecond each, that the commands of ours may do in all; the interpreter's own have
counts of theirs."""

PER_FILE = 40
"""Units for each of all files, which are looked at after a call that may have changed some."""

SHELLS, MARK = frozenset({"sh", "bash", "dash"}), "__"
"""Commands that `xargs` starts through `Utilities.start`, and what their names begin with there: the interpreter would
take others for its own."""

TAKING = split_words("-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --arg-file --replace")
"""Options of `xargs` that are followed by a word."""

OF_XARGS = 123
"""Exit code of `xargs` where what it started ended with another one, up to 125."""

DATING = "touch"
"""The command with which `Disk` dates files: there it has to be the interpreter's own."""

LONGEST_PATH = 4096
LONGEST_LINE = 131_072
"""Characters of the words of a call that runs apart, as of a script."""

OUTPUT = "/var/tmp/.output"
"""Where a pipeline leaves what it prints that may be no text."""

ERRORS = {"out": " 2>&1", "null": " 2>/dev/null"}
"""Where the errors of a command go, as bash has it."""

TELL_CODES = "printf '\\001%s' \"${PIPESTATUS[*]}\" >&2"
"""What has a pipeline tell the codes of its commands."""

Start = Callable[[Sequence[str], str, Place], Output]
"""Runs a command as a process of its own: (argv, stdin, place)."""


class Utilities:
    """All calls of one script.

    Args:
        owner: whose shell it is.
        clock: the cluster, until the time of the script is up.
        tree: the files.
        shells: names of commands that utilities start through `start`.
        start: runs one.

    Attributes:
        units: what its commands have done so far.
        error: why the script has to end, as `Ended.error` has it; "" while it may go on.
    """

    def __init__(self, owner: Owner, clock: Clock, tree: HostTree, shells: frozenset[str], start: Start) -> None:
        self.owner, self.clock, self.tree = owner, clock, tree
        self.shells, self.start = shells, start
        self.units = 0
        self.error = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """Commands that call back from within the interpreter."""
        return (self.owner.names - {DATING}) | self.shells | {f"{MARK}{name}" for name in self.shells}

    def run_utilities(
        self, calls: Sequence[Call], stdin: str, place: Place, first: str = ""
    ) -> tuple[Output, list[int]]:
        """Run utilities that are piped into each other: what came out, and their codes."""
        if self.units > MOST_UNITS:
            self.error = self.error or TOO_MUCH
            return KILLED, [KILLED.code] * len(calls)
        traits = [look(argv) for argv, _ in calls]
        deep = any(each.nests for each in traits)
        return run_nested(lambda: self._piped(calls, traits, stdin, place, first), deep)

    def _piped(
        self, calls: Sequence[Call], traits: Sequence[Traits], stdin: str, place: Place, first: str
    ) -> tuple[Output, list[int]]:
        writes, starts = any(each.writes for each in traits), any(each.starts for each in traits)
        stages, lent = self._stages(calls, place)
        if traits[-1].binary:
            stages += f" > {OUTPUT}"
        names = (self.names | CHECKED | heavy.ENDLESS) - {argv[0] for argv, _ in calls} if starts else self.names
        with borrow_engine(names) as machine:
            before = self.tree.freeze()
            start = {**before, **lent} if lent else before
            machine.disk.load(start)
            settings = set_variables(place.env) if any(each.exports for each in traits) else ""
            script = f"{first}{settings}{machine.lend_input(stdin)}{stages}"
            script += f"; {TELL_CODES}" if len(calls) > 1 else ""
            machine.go_to(place.cwd)
            if machine.disk.undated and any(each.timed for each in traits):
                machine.disk.date()
            job = _Nested(self, machine, writes)
            ended = machine.call(f"( {script} )" if first or settings or starts else script, job.call)
            stdout = _take(machine.disk.drive, OUTPUT) if traits[-1].binary else ended.stdout
            if writes or job.wrote:
                self.units += PER_FILE * len(start)
                self._save(machine, start, before, lent)
                for (argv, _), each in zip(calls, traits, strict=True):
                    if each.keeps:
                        self.tree.replace(_keep_times(argv[1:], place.cwd, before, self.tree.freeze()))
        self.error = ended.error or self.error
        stderr, codes = _read_codes(ended.stderr, len(calls), ended.code)
        if calls[-1].argv[0] == "xargs" and 0 < codes[-1] < OF_XARGS and not stderr.startswith("xargs:"):
            codes[-1] = OF_XARGS
        stderr = repair(stderr)
        if lent or chance.HIDDEN in stdout or chance.HIDDEN in stderr:
            stdout, stderr = restore_names(stdout), restore_names(stderr)
        return Output(stdout, stderr, codes[-1]), codes

    def _save(self, machine: Engine, start: Tree, before: Tree, lent: Tree) -> None:
        """Take over what a call did to the files."""
        after = machine.disk.save(self.clock.now())
        if after is not start:
            self.tree.replace(_without(after, start, before, lent))
        self.tree.full = self.tree.full or machine.disk.full

    def _stages(self, calls: Sequence[Call], place: Place) -> tuple[str, Tree]:
        """The pipeline as a text for the interpreter, and files that are there for it alone."""
        lending = Lending(self.owner, self.clock, self.tree)
        marked = [(_marked(argv) if self.shells else argv, errors) for argv, errors in calls]
        texts = [lending.stage(argv, place.cwd) + ERRORS.get(errors, "") for argv, errors in marked]
        return " | ".join(texts), lending.files

    def run_aside(self, argv: list[str], stdin: str, place: Place) -> Output:
        """Run the interpreter's own command in a process of its own, over a copy of the files."""
        tree, clock = self.tree.freeze(), self.clock
        if sum(map(len, argv)) > LONGEST_LINE:
            return Output("", f"bash: line 1: {argv[0]}: Argument list too long\n", 126)
        lending, chancy = Lending(self.owner, clock, self.tree), argv[0] in heavy.CHANCY
        script = f"cd {quote(place.cwd)}; {set_variables(place.env)}{lending.stage(argv, place.cwd)} < {STDIN}"
        if chancy:
            script = f"RANDOM={self.owner.draw() % 32768}; {script}"
        lent = lending.files
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
        stdout, stderr = (hide_interpreter(restore_names(each)) for each in (answer.stdout, answer.stderr))
        return Output(stdout, repair(stderr), answer.code)


class _Nested:
    """Commands that a utility starts, from within the interpreter."""

    def __init__(self, calls: Utilities, machine: Engine, writes: bool) -> None:
        self.calls, self.machine = calls, machine
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


def _marked(argv: list[str]) -> list[str]:
    """The words of a call in which `xargs` does not start the interpreter's own shell."""
    if argv[0] != "xargs":
        return argv
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in TAKING else 1
    return [*argv[:at], f"{MARK}{argv[at]}", *argv[at + 1 :]] if argv[at : at + 1] and argv[at] in SHELLS else argv


def _take(drive: Drive, path: str) -> str:
    """The content of a file, which is removed."""
    if not drive.exists(path):
        return ""
    text = drive.read_file(path).decode(errors="surrogateescape")
    drive.remove(path)
    return text


def _read_codes(stderr: str, count: int, last: int) -> tuple[str, list[int]]:
    """What was printed to stderr, and the codes of a pipeline's commands; where it was ended, they ended with it."""
    if count == 1:
        return stderr, [last]
    stderr, _, told = stderr.rpartition("\1") if "\1" in stderr else (stderr, "", "")
    codes = [int(word) for word in told.split() if is_natural(word)]
    return stderr, codes[-count:] if len(codes) >= count else [last] * count


def set_variables(env: Mapping[str, str]) -> str:
    """A script that gives a command its environment."""
    absent = " ".join(name for name in ENVIRONMENT if name not in env)
    names = [name for name in env if name not in ("PWD", "_") and name.isidentifier()]
    given = " ".join(f"{name}={quote(env[name])}" for name in names)
    return f"unset {absent}; " * bool(absent) + f"export {given}; " * bool(given)


def _keep_times(words: Sequence[str], cwd: str, before: Tree, after: Tree) -> Tree:
    """The tree after files were moved or copied with their times: each is as old as that from which it comes."""
    names = [make_absolute(word, cwd) for word in words if not word.startswith("-")]
    kept = dict(after)
    for source in names[:-1]:
        inside = f"{names[-1]}/{basename(source)}"
        target = inside if inside in after and before.get(inside) is not after[inside] else names[-1]
        for path, file in before.items():
            place = f"{target}{path.removeprefix(source)}"
            new = after.get(place) if path == source or path.startswith(f"{source}/") else None
            if new is not None and new is not before.get(place) and (new.kind, new.data) == (file.kind, file.data):
                kept[place] = replace(new, time=file.time)
    return kept


def _without(after: Tree, start: Tree, before: Tree, lent: Tree) -> Tree:
    """The tree after a call, without what was only put there for it."""
    kept = {path: file for path, file in after.items() if path not in lent and path != OUTPUT}
    return before if kept == before and start is not before else kept


def _paths(argv: Sequence[str], cwd: str) -> set[str]:
    """The files that the words of a call may name, and the folders above them."""
    named = {make_absolute(word, cwd) for word in argv[1:] if len(word) < LONGEST_PATH}
    return named | {cwd} | {folder for path in (*named, cwd) for folder in list_parents(path)}
