"""What a command of the sandbox is given: the cluster, the files, and where and with what it was called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from aiops_gym.sim.machine.executables.peer import Link
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Cluster, Output


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What `ls -l` tells of a file: `kind` is file, directory or symlink, `time` Unix seconds, `target` of a link."""

    kind: str
    mode: int
    size: int
    time: float
    target: str = ""


class Files(Protocol):
    """The files of a shell. Relative paths are those of the folder in which the command was called."""

    def read(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError or IsADirectoryError."""

    def write(self, path: str, text: str) -> None:
        """Write a file, with the folders above it."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""

    def about(self, path: str) -> FileInfo | None:
        """What is known of a file itself, links not followed; None when there is none."""

    def date(self, path: str, time: float) -> None:
        """Say when a file was last changed, in Unix seconds."""

    def make_folder(self, path: str) -> None:
        """Make a folder, with those above it."""

    def list(self, path: str) -> Sequence[str]:
        """Names in a folder, sorted. Raises FileNotFoundError or NotADirectoryError."""

    def entries(self, path: str) -> Sequence[tuple[str, FileInfo]]:
        """What is in a folder, sorted by name; nothing when there is no such folder."""

    def remove(self, path: str) -> bool:
        """Remove a file, link or empty folder; whether that could be done."""


class Network(Protocol):
    """The network as the host of the shell sees it: cluster addresses are reachable, service names do not resolve."""

    def resolve(self, host: str) -> Sequence[str]:
        """Addresses of a host name; empty when there is none."""

    def ask(self, server: str, host: str) -> Sequence[str] | None:
        """Addresses that a name server has for a full name; None where it does not answer."""

    def link(self, host: str, port: int) -> Link:
        """The way to a port, or with port 0 to the host itself, as echo requests take it."""

    def http(self, method: str, host: str, port: int, path: str, body: str = "") -> HttpAnswer | None:
        """Answer of an HTTP server after a connection that was `ok`; None when what listens does not speak HTTP."""

    def talk(self, host: str, port: int, text: str) -> str:
        """What comes back over a connection that was `ok` when plain text is sent."""


class Spawn(Protocol):
    """Runs another command, for those as `timeout` whose arguments are a command."""

    def __call__(
        self,
        argv: Sequence[str],
        stdin: str = "",
        seconds: float | None = None,
        *,
        own: bool = False,
        first: str = "",
    ) -> tuple[Output, bool]:
        """Run a command below the present one, as a process of its own.

        Args:
            argv, stdin: the command and its standard input.
            seconds: after which it is ended, on the cluster's clock.
            own: take the interpreter's own command of this name, not ours.
            first: a script to run before it in the same process, ending in a separator.

        Returns:
            What it printed, and whether it was ended.
        """


def cannot_spawn(
    argv: Sequence[str], stdin: str = "", seconds: float | None = None, *, own: bool = False, first: str = ""
) -> tuple[Output, bool]:
    """For a context outside a running script."""
    return Output("", f"{argv[0]}: cannot be started here\n", 126), False


@dataclass(frozen=True, slots=True)
class Context:
    """Where a command runs.

    Attributes:
        cluster: the Kubernetes API and the clock: `cluster.now()`, `cluster.wait(seconds)`.
        files, cwd, env: the shell's files, the folder in which the command was called, and exported variables.
        stdin: all of the standard input.
        network: what can be reached, None when nothing can.
        draw: the next random number in [0, 1) of the shell's own stream; never the world's.
        spawn: runs another command.
        spend: counts work, in units of about a microsecond; how much is left to the whole script.
    """

    cluster: Cluster
    files: Files
    cwd: str
    env: Mapping[str, str]
    stdin: str = ""
    network: Network | None = None
    draw: Callable[[], float] = lambda: 0.5
    spawn: Spawn = cannot_spawn
    spend: Callable[[int], int] = lambda units: 1_000_000 - units


CommandModule = Callable[[Context, list[str]], Output]
"""`run` of a module in `shell/commands`: (context, argv with its own name first)."""
