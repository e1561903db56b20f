"""What a verb of kubectl is, and one call of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import GLOBAL, Flag, Flags, Parsed
from aiops_gym.kubectl.client import Client


@dataclass(slots=True)
class Invocation:
    """One call of a verb: what it was given and what it has printed.

    Attributes:
        context: the shell around it: files, stdin, the cluster's clock.
        path: the command as it is named in messages, `kubectl rollout status`.
        flags: the parsed command line.
        client: the API server, with the namespace of the call.
        pieces: what it has printed, in order, each with its file descriptor: 1 or 2.
        kept: what the parts of one call share, such as its printer.
    """

    context: Context
    path: str
    flags: Parsed
    client: Client
    pieces: list[tuple[int, str]] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def args(self) -> list[str]:
        """What is not a flag."""
        return self.flags.args

    @property
    def namespace(self) -> str:
        """The namespace of the call: `-n`, or the kubeconfig's."""
        return self.client.namespace

    def say(self, line: str = "") -> None:
        """Print a line."""
        self.pieces.append((1, line + "\n"))

    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.pieces.append((1, text))

    def warn(self, line: str) -> None:
        """Print a line to the error stream."""
        self.pieces.append((2, line + "\n"))

    def complain(self, text: str) -> None:
        """Print a text to the error stream as it is."""
        self.pieces.append((2, text))


@dataclass(frozen=True)
class Verb:
    """A command of kubectl, or one of its subcommands.

    Attributes:
        name: as typed.
        run: does the work: prints to the invocation, returns the exit code (None is 0) or raises KubectlError. None for
            a verb that only has subcommands.
        flags: its own flags; the global ones are added.
        verbs: subcommands.
        aliases: other names.
        required: flags without which cobra refuses.
        usage: what follows `kubectl` in the usage line.
        short: one line for the list of commands.
        helpful: called without a subcommand, it prints its help to the output.
    """

    name: str
    run: Callable[[Invocation], int | None] | None = None
    flags: tuple[Flag, ...] = ()
    verbs: tuple[Verb, ...] = ()
    aliases: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    usage: str = ""
    short: str = ""
    helpful: bool = False

    @cached_property
    def table(self) -> Flags:
        """All flags it knows."""
        return Flags.of(*self.flags, *GLOBAL)

    @cached_property
    def children(self) -> Mapping[str, Verb]:
        """Subcommands by name and alias."""
        return {name: verb for verb in self.verbs for name in (verb.name, *verb.aliases)}
