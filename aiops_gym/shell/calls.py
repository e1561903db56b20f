"""Calls of commands from a script: of ours, and of utilities, over one tree of files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from aiops_gym.clients.context import Context
from aiops_gym.shell import archive, chance, heavy
from aiops_gym.shell.analysis import CHECKED, look
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.disk import make_absolute
from aiops_gym.shell.engine import is_overdue
from aiops_gym.shell.host_files import HostFiles, HostTree, OpenFiles, Overworked
from aiops_gym.shell.lending import Owner, Place
from aiops_gym.shell.utilities import KILLED, MOST_UNITS, TOO_MUCH, Start, Utilities
from aiops_gym.sim.machine.scripts.host import Call
from aiops_gym.types import Output

CALL_SECONDS = 0.3
CHARGED = frozenset({"kubectl", "helm", "docker", "curl", "wget"})
"""Commands that talk to the cluster, and what each call costs."""

WAITING = CHARGED | {"sleep", "watch", "timeout"}
"""Commands that do nothing once the time is up."""

PER_CALL, PER_PATH, PER_SPAWN, PER_UNIT = 200, 60, 4_000, 200
"""Units of work: of a call, of a file that it looks at, of a command that it starts, and for so many characters."""


class Calls(Utilities):
    """All calls of one script: see `Utilities`; what is started without a `start` is a call, too."""

    def __init__(
        self,
        owner: Owner,
        clock: Clock,
        tree: HostTree,
        shells: frozenset[str] = frozenset(),
        start: Start | None = None,
    ) -> None:
        super().__init__(owner, clock, tree, shells, start or self.run)

    def run(self, argv: Sequence[str], stdin: str, place: Place) -> Output:
        """Run a command, ours or a utility."""
        return self.join([Call(list(argv))], stdin, place)[0]

    def join(self, calls: Sequence[Call], text: str, place: Place) -> tuple[Output, list[int]]:
        """Run commands that are piped into each other on a text: what came out of all, and their codes."""
        codes, errors, output = list[int](), "", Output(text)
        now, draw = self.clock.now(), self.owner.draw
        settled = [call._replace(argv=chance.settle(call.argv, now, draw)) for call in calls]
        for own, group in groupby(settled, self.is_alone):
            for part in [[each] for each in group] if own else [list(group)]:
                output, found = self._once(part, output.stdout, place)
                codes += found
                errors += output.stderr
        return (output if len(codes) == 1 else Output(output.stdout, errors, codes[-1])), codes

    def is_alone(self, call: Call) -> bool:
        """Whether a command is not one of the interpreter's that can be piped into others there."""
        return call.argv[0] in self.owner.names or look(call.argv).alone

    def _once(self, calls: Sequence[Call], text: str, place: Place) -> tuple[Output, list[int]]:
        return (
            self.call_one(calls[0], text, place) if self.is_alone(calls[0]) else self.run_utilities(calls, text, place)
        )

    def call_one(self, call: Call, text: str, place: Place) -> tuple[Output, list[int]]:
        """Run a command of ours in a pipeline: what came out, and its code."""
        argv, errors = call
        output = self.call(argv, text, place)
        if errors == "out":
            output = Output(getattr(output, "together", output.stdout + output.stderr), "", output.code)
        elif errors == "null":
            output = Output(output.stdout, "", output.code)
        return output, [output.code]

    def call(self, argv: list[str], stdin: str, place: Place) -> Output:
        """Run one of our commands, or one that cannot run among others."""
        if is_overdue() or self.units > MOST_UNITS:
            self.error = self.error or TOO_MUCH
            return KILLED
        name = argv[0]
        if self.clock.expired and name in WAITING:
            return KILLED
        if name in CHARGED and not self.clock.wait(CALL_SECONDS):
            return KILLED
        command = self.owner.commands.get(name) or heavy.COMMANDS.get(name)
        if name == "tar":
            return self._pack(argv, stdin, place)
        if command is None:
            return self.run_utilities([Call(argv)], stdin, place)[0]
        stdin = replace_bytes(stdin) if name in self.owner.names else stdin
        files = OpenFiles(self.tree, place.cwd, stdin, (MOST_UNITS - self.units) // PER_PATH)
        try:
            answer = command(self._context(files, stdin, place), argv)
        except Overworked:
            self.units = MOST_UNITS + 1
            self.error = TOO_MUCH
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
        if heavy.may_start(argv) or argv[0] in CHECKED or first:
            return self.run_utilities([Call(argv)], stdin, place, first)[0]
        return self.run_aside(argv, stdin, place)

    def _pack(self, argv: list[str], stdin: str, place: Place) -> Output:
        """`tar`: what packs names its files one by one; see `archive`."""
        files = OpenFiles(self.tree, place.cwd, stdin, MOST_UNITS // PER_PATH)
        packing = archive.prepare(self._context(files, stdin, place), argv[1:])
        if packing is None:
            return self.run_utilities([Call(argv)], stdin, place)[0]
        output = self.run_utilities([Call(packing.argv)], "", place)[0]
        made = self.tree.get(archive.MADE)
        if made is None:
            return output
        data = archive.stamp(made.data, packing.times)
        self.tree.remove(archive.MADE)
        if packing.packer:
            piped = self.run_utilities([Call([packing.packer, "-c"])], data.decode(errors="surrogateescape"), place)[0]
            data = piped.stdout.encode(errors="surrogateescape")
        if packing.target == "-":
            return Output(data.decode(errors="surrogateescape"), output.stdout + output.stderr, output.code)
        target = make_absolute(packing.target, place.cwd)
        if HostFiles(self.tree).write(target, data.decode(errors="surrogateescape")):
            return output
        return Output("", archive.NOWHERE.format(packing.target), 2)


def replace_bytes(text: str) -> str:
    """A text in which a sign stands for bytes that are no text."""
    return text if text.isascii() else text.encode(errors="surrogateescape").decode(errors="replace")
