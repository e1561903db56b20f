"""One script and all that it starts, from the first command to the end of its time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import join as quoted
from shlex import quote
from typing import Protocol
from uuid import UUID

from aiops_gym.shell.chance import RANDOM_FILE, UUID_FILE, needs_new_pids, settled, special
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.context import CommandModule, Context, Network
from aiops_gym.shell.disk import File, Tree
from aiops_gym.shell.engine import Ended, Engine, Invocation, depth, engine, nested
from aiops_gym.shell.files import OpenFiles
from aiops_gym.shell.repair import repair
from aiops_gym.types import Output

CALL_SECONDS = 0.3
CHARGED = frozenset({"kubectl", "helm", "curl", "wget"})
"""Commands that talk to the cluster, and what each call costs."""

CHANCE = frozenset({RANDOM_FILE, UUID_FILE})
INTERNAL = frozenset({"__special"})
"""Names that call back in every shell: variables that follow the clock."""

STDIN = "/var/tmp/.stdin"
DEEPEST = 4
"""Shells inside shells, as of `timeout 9 sh -c "timeout 5 sh -c ..."`."""

KILLED = Output("", "", 124)


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
    """One script and all that it starts, until its time is up."""

    def __init__(self, shell: Owner, clock: Clock) -> None:
        self.shell = shell
        self.clock = clock

    def script(
        self, script: str, tree: Tree, writes: bool, names: frozenset[str] | None = None, python: bool = False
    ) -> tuple[Ended, Tree]:
        """Run a script over a tree; what it printed, and the tree it left."""
        shell = self.shell
        names = (shell.names if names is None else names) | INTERNAL
        script = settled(script, self.clock.now(), shell.draw)
        start = tree
        if RANDOM_FILE in script or UUID_FILE in script:
            start = {**tree, **self._random_files()}
        with engine(names, python, needs_new_pids(script)) as machine:
            machine.disk.load(start)
            job = _Job(self, machine)
            try:
                ended = machine.execute(f"RANDOM={shell.draw() % 32768}; {script}", job.call, self.clock.elapsed)
            finally:
                if writes or job.wrote:
                    after = machine.disk.save(self.clock.now())
                    tree = (
                        after if start is tree else {path: file for path, file in after.items() if path not in CHANCE}
                    )
        return (_without_room(ended) if machine.disk.full else ended), tree

    def _random_files(self) -> Tree:
        """Stand-ins for the kernel's sources of chance."""
        data = b"".join(self.shell.draw().to_bytes(8, "big") for _ in range(512))
        name = str(UUID(int=self.shell.draw() << 64 | self.shell.draw(), version=4)) + "\n"
        now = self.clock.now()
        return {RANDOM_FILE: File("file", 0o444, data, now), UUID_FILE: File("file", 0o444, name.encode(), now)}


class _Job:
    """One script on one engine."""

    def __init__(self, session: Session, machine: Engine) -> None:
        self.session = session
        self.machine = machine
        self.wrote = False

    def call(self, invocation: Invocation) -> Output:
        """What the interpreter calls for one of our commands."""
        clock = self.session.clock
        if clock.expired:
            self.machine.cancel()
            return KILLED
        output = self._command(invocation, invocation.argv, invocation.stdin)
        if clock.expired:
            if output.stdout or output.stderr:
                self.machine.end()
            else:
                self.machine.cancel()
        return output

    def _command(self, invocation: Invocation, argv: list[str], stdin: str) -> Output:
        clock, shell = self.session.clock, self.session.shell
        if argv[0] in INTERNAL:
            return Output(special(argv[1], clock.now(), clock.started, shell.draw()) if len(argv) > 1 else "")
        if argv[0] in CHARGED and not clock.wait(CALL_SECONDS):
            return KILLED

        def spawn(
            argv: Sequence[str], stdin: str = "", seconds: float | None = None, *, own: bool = False
        ) -> tuple[Output, bool]:
            with clock.limit(1e12 if seconds is None else seconds):
                output = self._child(invocation, list(argv), stdin, own)
                return output, clock.expired

        files = OpenFiles(clock, self.machine.disk, invocation)
        context = Context(
            cluster=clock,
            files=files,
            cwd=invocation.cwd,
            env=invocation.env,
            stdin=stdin,
            network=shell.network,
            draw=shell.fraction,
            spawn=spawn,
        )
        output = Output(*shell.commands[argv[0]](context, argv))
        self.wrote = self.wrote or files.wrote
        return output

    def _child(self, invocation: Invocation, argv: list[str], stdin: str, own: bool) -> Output:
        shell, disk = self.session.shell, self.machine.disk
        if argv[0] in shell.names and not own:
            return self._command(invocation, argv, stdin)
        if depth() >= DEEPEST:
            return Output("", "bash: fork: retry: Resource temporarily unavailable\n", 254)
        tree = disk.save(self.session.clock.now(), invocation.drive)
        names = shell.names - {argv[0]}
        script = f"{_setting(invocation)}{quoted(argv)} < {STDIN}"
        start = {**tree, STDIN: File(data=stdin.encode())}
        ended, after = nested(lambda: self.session.script(script, start, True, names, own))
        disk.load({path: file for path, file in after.items() if path != STDIN}, invocation.drive)
        self.wrote = True
        return Output(ended.stdout, repair(ended.stderr), 124 if ended.error else ended.code)


def _without_room(ended: Ended) -> Ended:
    text = "bash: write error: No space left on device\n"
    return replace(ended, stderr=ended.stderr + text, output=ended.output + text, code=ended.code or 1)


def _setting(invocation: Invocation) -> str:
    """What a child inherits, as a script."""
    exports = "".join(f"export {k}={quote(v)}; " for k, v in invocation.env.items() if k != "PWD" and k.isidentifier())
    return f"cd {quote(invocation.cwd)}; {exports}"
