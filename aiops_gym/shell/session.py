"""One script and all that it starts, from the first command to the end of its time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import join as quoted
from shlex import quote
from typing import NamedTuple, Protocol
from uuid import UUID

from aiops_gym import caches
from aiops_gym.clients.context import CommandModule, Context, Network
from aiops_gym.shell import archive, heavy
from aiops_gym.shell.analysis import Script
from aiops_gym.shell.apart import FREE, SECONDS, run_apart
from aiops_gym.shell.chance import (
    HIDDEN,
    RANDOM_FILES,
    STDIN,
    UUID_FILE,
    find_special,
    is_suspect,
    needs_new_pids,
    restore_content,
    restore_output,
    settle_script,
)
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.disk import File, Tree, list_parents, make_absolute
from aiops_gym.shell.engine import (
    Ended,
    Engine,
    Invocation,
    borrow_engine,
    charge,
    count_depth,
    is_overdue,
    measure_left,
    run_nested,
)
from aiops_gym.shell.files import OpenFiles, Overworked
from aiops_gym.shell.host import HOME
from aiops_gym.shell.loops import TICK, make_patient, stops_reading
from aiops_gym.shell.reach import reach
from aiops_gym.shell.repair import repair
from aiops_gym.shell.single_command import SingleCommand, split_single
from aiops_gym.types import Output

CALL_SECONDS = 0.3
CHARGED = frozenset({"kubectl", "helm", "docker", "curl", "wget"})
"""Commands that talk to the cluster, and what each call costs."""

ANYTHING = Script(writes=True, deep=True, apart=heavy.ENDLESS)

CHANCE = frozenset({*RANDOM_FILES, UUID_FILE})
INTERNAL = frozenset({"__special", TICK, archive.ORDER})
"""Names that call back in every shell: variables that follow the clock, and turns of loops."""

DEEPEST = 4
"""Shells inside shells, as of `timeout 9 sh -c "timeout 5 sh -c ..."`."""

KILLED = Output("", "", 124)

SPENT = "the loop did not end by itself"
MOST_TURNS = 1_000_000
MOST_LATE = 20
"""Commands that are refused after the time is up before the script is ended by force."""

TIMES = re.compile(r"-[no]t\b|newer|touch|cp|mv|rsync|tar|zip|install")
"""What scripts that look at the times of files have in them; our own commands know them anyway."""

PER_CALL, PER_PATH, PER_SPAWN, PER_UNIT = 200, 60, 4_000, 200
"""Units of work, of about a microsecond each: of a call, of a file that it looks at, of a command that it starts, and
for so many characters."""

MOST_UNITS = 3_000_000
"""That the commands of ours may do in all; the interpreter's own have counts of theirs."""

LONGEST_PATH = 4096
LONGEST_LINE = 131_072
"""Characters of the words of a call that runs apart, as of a script."""

LONGEST_FILE = 100_000
"""Bytes of a script in a file."""


class Traits(NamedTuple):
    """What the text of a script says of how to run it.

    Attributes:
        new_pids: it asks for process numbers.
        timed: it looks at the times of files.
        opening: what has to be defined first.
        wide: commands that it may ask for more than there is room for.
        asking: the script with its loops asking for their turns, or "".
    """

    new_pids: bool
    timed: bool
    opening: str
    wide: frozenset[str]
    asking: str


@caches.function(512, "finding what a script looks at")
def traits(script: str) -> Traits:
    """Look at a script that is settled; see `shell.chance`."""
    timed = TIMES.search(script) is not None
    opening = archive.make_opening(script) + heavy.make_opening(script)
    return Traits(needs_new_pids(script), timed, opening, heavy.find_wide(script), make_patient(script))


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


class Session:
    """One script and all that it starts, until its time is up.

    Attributes:
        units: what its commands of ours have done so far, in all shells inside shells.
    """

    def __init__(self, shell: Owner, clock: Clock) -> None:
        self.shell = shell
        self.clock = clock
        self.units = 0

    def script(
        self, script: str, tree: Tree, about: Script, names: frozenset[str] | None = None, without: Sequence[str] = ()
    ) -> tuple[Ended, Tree]:
        """Run a script over a tree; what it printed, and the tree it left.

        Args:
            script: its text.
            tree: the files.
            about: what is known of it.
            names: commands that are ours; all of the shell's when not given.
            without: commands that are not, although they may have no end.
        """
        shell = self.shell
        names = (shell.names if names is None else names) | INTERNAL
        names = names | (about.apart - frozenset(without))
        now = self.clock.now()
        script = settle_script(script, now, shell.draw)
        look = traits(script)
        names = names | look.wide
        start = self._settled_tree(tree, now) if about.deep else tree
        if HIDDEN in script or start is not tree:
            start = {**start, **self._random_files()}
        with borrow_engine(names, look.new_pids) as machine:
            near = reach(script) if start is tree and not (about.writes or about.deep) else None
            machine.disk.load(start, only=near)
            if near is None and machine.disk.undated and (about.deep or look.timed):
                machine.disk.date()
            job = _Job(self, machine, f"RANDOM={shell.draw() % 32768}; {look.opening}", about)
            only = split_single(script) if start is tree and not look.opening else ()
            try:
                ended = (
                    job.run_single(only) if only and names.issuperset(a[0] for a in only) else job.run(script, start)
                )
            finally:
                if about.writes or job.wrote:
                    targets = None if job.wrote else about.targets
                    tree = _left(machine.disk.save(self.clock.now(), only=targets), start, tree)
        return _named(_without_room(ended) if machine.disk.full else ended), tree

    def lent(self, script: str, tree: Tree, chance: bool) -> tuple[str, Tree]:
        """A script for another process and its files: without the wall clock and real chance, as all are.

        Args:
            script: what is to run there.
            tree: the files.
            chance: whether it asks for chance by itself; then the shell's own stream goes on.
        """
        now = self.clock.now()
        script = settle_script(script, now, self.shell.draw, alone=True)
        start = self._settled_tree(tree, now) if chance else tree
        if HIDDEN in script.replace(STDIN, "") or start is not tree:
            start = {**start, **self._random_files()}
        return (f"RANDOM={self.shell.draw() % 32768}; {script}" if chance else script), start

    def _settled_tree(self, tree: Tree, now: float) -> Tree:
        """The tree with scripts in files settled as the text of a script is; the same when there are none."""
        changed = {}
        for path, file in tree.items():
            if file.kind == "file" and len(file.data) <= LONGEST_FILE and is_suspect(file.data):
                text = settle_script(file.data.decode(errors="surrogateescape"), now, self.shell.draw, alone=True)
                data = text.encode(errors="surrogateescape")
                if data != file.data:
                    changed[path] = replace(file, data=data)
        return {**tree, **changed} if changed else tree

    def _random_files(self) -> Tree:
        """Stand-ins for the kernel's sources of chance."""
        data = b"".join(self.shell.draw().to_bytes(8, "big") for _ in range(512))
        name = str(UUID(int=self.shell.draw() << 64 | self.shell.draw(), version=4)) + "\n"
        now = self.clock.now()
        random = dict.fromkeys(RANDOM_FILES, File("file", 0o444, data, now))
        return {**random, UUID_FILE: File("file", 0o444, name.encode(), now)}


def _left(after: Tree, start: Tree, tree: Tree) -> Tree:
    """The tree after a script, without what was only put there for the script to run."""
    if after is start and start is tree:
        return tree
    kept: dict[str, File] = {}
    for path, file in after.items():
        if path in CHANCE:
            continue
        before, origin = start.get(path), tree.get(path)
        if before is file or (before is not None and origin is not None and before.data == file.data):
            same = origin is not None and (before is file or file.mode == origin.mode)
            kept[path] = origin if same and origin is not None else replace(file, data=(origin or file).data)
        else:
            kept[path] = replace(file, data=restore_content(file.data))
    return kept


class _Job:
    """One script on one engine."""

    def __init__(self, session: Session, machine: Engine, opening: str, about: Script) -> None:
        self.session = session
        self.about = about
        self.machine = machine
        self.opening = opening
        self.wrote = False
        self.calls = self.late = 0
        self.turns = 0
        self.most_turns = MOST_TURNS
        self.patient = self.stopped = False

    def run_single(self, commands: Sequence[tuple[str, ...]]) -> Ended:
        """Call the only command of a script, and what it is piped into."""
        clock = self.session.clock
        return self.machine.run_single(lambda: self._stages(commands), clock.elapsed, lambda: clock.expired)

    def _stages(self, commands: Sequence[tuple[str, ...]]) -> Output:
        drive, errors, output = self.machine.disk.drive, "", Output()
        for argv in commands:
            output = self.call(SingleCommand(argv, drive, output.stdout))
            if argv is commands[-1]:
                break
            errors += output.stderr
            if self.session.clock.expired:  # nobody reads what would come out of the pipe
                return Output("", errors, KILLED.code)
        return Output(output.stdout, errors + output.stderr, output.code) if errors else output

    def run(self, script: str, start: Tree) -> Ended:
        """Run it; a loop that feeds a pipe keeps what it printed when a limit ends it."""
        asking = traits(script).asking
        if not asking:
            return self._once(script)
        self.patient = True
        ended = self._once(asking)
        if ended.error and not ended.stdout and self.turns > 1 and not self.calls:
            # A counter came before the time was up: run it again with as many turns as there is room for.
            self.most_turns = self.turns * 9 // 10
            self.turns = 0
            self.machine.disk.save(self.session.clock.now())
            self.machine.disk.load(start)
            self.machine.disk.date()
            ended = self._once(asking)
        if self.stopped and not ended.error and not stops_reading(script):
            ended = replace(ended, error=SPENT)
        return ended

    def _once(self, script: str) -> Ended:
        return self.machine.execute(self.opening + script, self.call, self.session.clock.elapsed)

    def _tick(self) -> Output:
        """One turn of a loop: code 1 when there is to be no other."""
        self.turns += 1
        if self.session.clock.expired or self.turns > self.most_turns:
            self.stopped = True
            return Output("", "", 1)
        return Output()

    def call(self, invocation: Invocation) -> Output:
        """What the interpreter calls for one of our commands."""
        clock = self.session.clock
        if invocation.name == TICK:
            return self._tick()
        self.calls += 1
        if is_overdue() or self.session.units > MOST_UNITS:
            self.machine.cancel()
            return KILLED
        if clock.expired:
            self.late += 1
            if not self.patient or self.late > MOST_LATE:
                self.machine.cancel()
            return KILLED
        output = self._command(invocation, invocation.argv, invocation.stdin)
        if clock.expired and not self.patient:
            if output.stdout or output.stderr:
                self.machine.end()
            else:
                self.machine.cancel()
        return output

    def _command(self, invocation: Invocation, argv: list[str], stdin: str) -> Output:
        clock, shell = self.session.clock, self.session.shell
        if argv[0] == "__special":
            name, other = (*argv[1:3], "", "")[:2]
            return Output(find_special(name, clock.now(), clock.started, shell.draw(), other))
        if argv[0] in CHARGED and not clock.wait(CALL_SECONDS):
            return KILLED

        def spawn(
            argv: Sequence[str], stdin: str = "", seconds: float | None = None, *, own: bool = False, first: str = ""
        ) -> tuple[Output, bool]:
            self.session.units += PER_SPAWN
            if is_overdue() or self.session.units > MOST_UNITS:
                self.machine.cancel()
                return KILLED, True
            with clock.limit(1e12 if seconds is None else seconds):
                output = self._child(invocation, list(argv), stdin, own, first)
                return output, clock.expired

        room = (MOST_UNITS - self.session.units) // PER_PATH
        files = OpenFiles(clock, self.machine.disk, invocation, still=self._still, room=room)
        context = Context(
            cluster=clock,
            files=files,
            cwd=invocation.cwd,
            env=invocation.env,
            stdin=stdin,
            network=shell.network,
            draw=shell.fraction,
            spawn=spawn,
            spend=self._spend,
        )
        if argv[0] == archive.ORDER:
            return self._archive(invocation, context, argv[1:])
        command = shell.commands.get(argv[0]) or heavy.COMMANDS[argv[0]]
        try:
            answer = command(context, argv)
        except Overworked:
            self.session.units = MOST_UNITS + 1
            self.machine.cancel()
            return KILLED
        output = answer if isinstance(answer, Output) else Output(*answer)
        self.wrote = self.wrote or files.wrote
        moved = len(stdin) + len(output.stdout) + len(output.stderr)
        self.session.units += PER_CALL + PER_PATH * files.looked + moved // PER_UNIT
        return output

    @property
    def _still(self) -> bool:
        """Whether nothing can have changed a file since the script began."""
        return not (self.about.writes or self.wrote)

    def _spend(self, units: int) -> int:
        self.session.units += units
        return MOST_UNITS - self.session.units

    def _archive(self, invocation: Invocation, context: Context, words: list[str]) -> Output:
        if words[:1] != [archive.STAMP]:
            return Output(archive.make_script(context, words))
        archive.stamp(invocation.drive, words[1:])
        self.wrote = True
        return Output()

    def _child(self, invocation: Invocation, argv: list[str], stdin: str, own: bool, first: str) -> Output:
        shell, disk = self.session.shell, self.machine.disk
        if argv[0] in shell.names and not own:
            return self._command(invocation, argv, stdin)
        if own and not heavy.may_start(argv):
            return self._apart(invocation, argv, stdin)
        if count_depth() >= DEEPEST:
            return Output("", "bash: fork: retry: Resource temporarily unavailable\n", 254)
        tree = disk.save(self.session.clock.now(), invocation.drive)
        names = shell.names - {argv[0]}
        script = f"{_setting(invocation)}{first}{quoted(argv)} < {STDIN}"
        start = {**tree, STDIN: File(data=stdin.encode())}
        without = argv[:1] if own else ()
        ended, after = run_nested(lambda: self.session.script(script, start, ANYTHING, names, without), deep=True)
        disk.load({path: file for path, file in after.items() if not path.startswith(STDIN)}, invocation.drive)
        self.wrote = True
        return Output(ended.stdout, repair(ended.stderr), 124 if ended.error else ended.code)

    def _apart(self, invocation: Invocation, argv: list[str], stdin: str) -> Output:
        """Run the interpreter's own command in a process of its own, over a copy of the files."""
        disk, clock = self.machine.disk, self.session.clock
        tree = disk.meant if self._still else disk.save(clock.now(), invocation.drive)
        if sum(map(len, argv)) > LONGEST_LINE:
            return Output("", f"bash: line 1: {argv[0]}: Argument list too long\n", 126)
        script = f"{_setting(invocation)}{quoted(argv)} < {STDIN}"
        chancy = argv[0] in heavy.CHANCY
        if not chancy and invocation.cwd == HOME:
            script = script.removeprefix(f"cd {HOME}; ")  # where it stands already: OLDPWD would tell
        script, start = self.session.lent(script, tree, chancy)
        named = _paths(argv, invocation.cwd)
        links = any(start[path].kind == "symlink" for path in named if path in start)
        reads = not links and heavy.only_reads(argv)
        seen = {path: file for path, file in start.items() if not reads or path in named}
        lent = {**seen, STDIN: File(data=stdin.encode(errors="replace"))}
        answer = run_apart(script, lent, measure_left(SECONDS), writes=not reads, python=chancy)
        if charge(answer.cpu - FREE, answer.late):
            self.machine.cancel()
            return KILLED
        if answer.written or answer.removed:
            now = clock.now()
            after = {path: file for path, file in start.items() if path not in answer.removed}
            after |= {path: replace(file, time=now) for path, file in answer.written.items()}
            after.pop(STDIN, None)
            disk.load(dict(sorted(_left(after, start, tree).items())), invocation.drive)
            self.wrote = True
        return Output(restore_output(answer.stdout), repair(restore_output(answer.stderr)), answer.code)


def _paths(argv: Sequence[str], cwd: str) -> set[str]:
    """The files that the words of a call may name, and the folders above them."""
    named = {make_absolute(word, cwd) for word in argv[1:] if len(word) < LONGEST_PATH}
    return named | {cwd} | {folder for path in (*named, cwd) for folder in list_parents(path)}


def _named(ended: Ended) -> Ended:
    if HIDDEN not in ended.output:
        return ended
    return replace(
        ended,
        stdout=restore_output(ended.stdout),
        stderr=restore_output(ended.stderr),
        output=restore_output(ended.output),
    )


def _without_room(ended: Ended) -> Ended:
    text = "bash: write error: No space left on device\n"
    return replace(ended, stderr=ended.stderr + text, output=ended.output + text, code=ended.code or 1)


def _setting(invocation: Invocation) -> str:
    """What a child inherits, as a script."""
    exports = "".join(f"export {k}={quote(v)}; " for k, v in invocation.env.items() if k != "PWD" and k.isidentifier())
    return f"cd {quote(invocation.cwd)}; {exports}"
