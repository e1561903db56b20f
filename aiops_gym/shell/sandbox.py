"""The shell behind `exec_shell`: each script is a new shell over the same files, in virtual time, within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import orjson

from aiops_gym.clients.context import CommandModule, Network
from aiops_gym.errors import SnapshotError
from aiops_gym.helm.dispatch import run as helm
from aiops_gym.kubectl import run as kubectl
from aiops_gym.shell import engine, repair
from aiops_gym.shell.apart import SECONDS
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.commands import COMMANDS
from aiops_gym.shell.disk import LARGEST, File, add, list_below, make_absolute, pack, unpack
from aiops_gym.shell.engine import BUSY, SLOW
from aiops_gym.shell.host import make_host_tree
from aiops_gym.shell.running import Ended
from aiops_gym.shell.tasks import HostTasks
from aiops_gym.sim.kernel.draws import bits
from aiops_gym.types import Cluster, Json, ShellRun

HOSTS = {**COMMANDS, "helm": helm}
"""What every operator's host has besides bash's own."""

LONGEST = 131_072
"""Characters of a script: what Linux takes as one argument (`sh -c`)."""


class Sandbox:
    """A shell on the host of a cluster.

    Args:
        cluster: the API and the clock.
        seed: of `$RANDOM`, `mktemp` and `shuf`; nothing of the world is drawn from it.
        commands: name -> command, beside or instead of those in `HOSTS`; kubectl when not given.
        network: what the host can reach.
        files: that the host has besides those of any machine, as pairs of path and text.
        patience: real seconds that the cluster may take beside the time of a script, which is real, too; None where its
            clock moves by itself.
    """

    def __init__(
        self,
        cluster: Cluster,
        seed: int,
        commands: Mapping[str, CommandModule] | None = None,
        network: Network | None = None,
        files: tuple[tuple[str, str], ...] = (),
        patience: float | None = None,
    ) -> None:
        self.cluster, self.patience = cluster, patience
        self.seed = seed
        self.network = network
        self.commands = {**HOSTS, **({"kubectl": kubectl} if commands is None else commands)}
        self.names = frozenset(self.commands)
        self.given = files
        self._base = make_host_tree(self.names, files=files)
        self._tree = self._base
        self._drawn = 0

    def run(self, script: str, timeout: float = 30.0) -> ShellRun:
        """Run a script for at most `timeout` seconds of the cluster's time.

        What it printed before a limit is kept. The exit code is then 124 and `limit` says which: `time`, `commands`,
        `output`, or `wall` for the processor time of what runs apart, and for the last resort.
        """
        refused = _unfit(script)
        if refused:
            return ShellRun("", refused, refused, 126)
        script = script.replace("\0", "")
        clock = Clock(self.cluster, self.cluster.now() + timeout)
        more = 0.0 if self.patience is None else timeout + self.patience
        tasks = HostTasks(self, clock, self._tree)
        with engine.wait_for_real(more) if more else nullcontext():
            ended = tasks.run(script)
        self._tree = tasks.tree.freeze()
        return _report(ended, clock, timeout, engine.WALL_SECONDS + more)

    def draw(self) -> int:
        """64 random bits of the shell's own stream."""
        self._drawn += 1
        return bits(self.seed, "shell", "", self._drawn)

    def fraction(self) -> float:
        """A number in [0, 1) of the shell's own stream."""
        return (self.draw() >> 11) * 2.0**-53

    def read_file(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError or IsADirectoryError."""
        file = self._tree.get(make_absolute(path, "/root"))
        if file is None:
            raise FileNotFoundError(path)
        if file.kind == "directory":
            raise IsADirectoryError(path)
        return file.data.decode(errors="replace")

    def write_file(self, path: str, text: str) -> None:
        """Write a file, with the folders above it. Raises OSError when the disk is full."""
        tree = dict(self._tree)
        add(tree, make_absolute(path, "/root"), File("file", 0o644, text.encode(), self.cluster.now()))
        if sum(len(file.data) for file in tree.values()) > LARGEST:
            raise OSError(28, "No space left on device", path)
        self._tree = tree

    def list_files(self, path: str) -> Sequence[str]:
        """Full paths of all files below a folder, sorted."""
        return tuple(list_below(self._tree, make_absolute(path, "/root")))

    def fork(self, cluster: Cluster, network: Network | None = None) -> Sandbox:
        """A shell with the same files that goes on by itself, on another cluster."""
        twin = Sandbox.__new__(Sandbox)
        twin.__dict__.update(self.__dict__)
        twin.cluster, twin.network = cluster, network
        return twin

    def snapshot(self) -> bytes:
        """What differs from a new shell: a few bytes as long as no file was written."""
        return orjson.dumps({"drawn": self._drawn, "files": pack(self._tree, self._base)})

    def restore(self, data: bytes) -> None:
        """Go on from a `snapshot`. Raises SnapshotError."""
        try:
            state = orjson.loads(data)
            drawn, files = int(state["drawn"]), state["files"]
        except (KeyError, TypeError, ValueError) as error:
            raise SnapshotError(f"not a snapshot of a shell: {error!r}") from error
        self._tree, self._drawn = unpack(files, self._base), drawn

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_base", "_tree", "commands", "names")}
        extra: Json = {name: run for name, run in self.commands.items() if HOSTS.get(name) is not run}
        extra = None if extra == {"kubectl": kubectl} else extra
        return {**state, "extra": extra, "files": self.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        given = (state["extra"], state["network"], state["given"], state["patience"])
        self.__init__(state["cluster"], state["seed"], *given)  # type: ignore[misc]
        self.restore(state["files"])


def _unfit(script: str) -> str:
    """Why a text cannot be a script at all, or ""."""
    if len(script) > LONGEST:
        return f"bash: Argument list too long ({len(script)} characters, at most {LONGEST})\n"
    if not script.isascii():
        try:
            script.encode()
        except UnicodeEncodeError:
            return "bash: cannot execute: the command is not valid UTF-8\n"
    return ""


def _report(ended: Ended, clock: Clock, timeout: float, wall: float) -> ShellRun:
    limit, message, stderr, output = "", "", ended.stderr, ended.output
    if ended.error == BUSY:
        limit, message = "wall", f"bash: killed: more than {SECONDS:g} seconds of processor time used\n"
    elif ended.error == SLOW:
        limit, message = "wall", f"bash: killed: more than {wall:g} seconds of real time used\n"
        stderr, output = repair.without_timeouts(stderr), repair.without_timeouts(output)
    elif clock.spent and ended.error:
        limit, message = "time", f"bash: killed after {timeout:g} seconds\n"
    elif ended.error:
        limit = "output" if "output" in ended.error else "commands"
        message = f"bash: killed: {ended.error.removeprefix('resource limit exceeded: ')}\n"
    stderr, output = repair.repair(stderr), repair.repair(output)
    return ShellRun(ended.stdout, stderr + message, output + message, 124 if limit else ended.code, limit)
