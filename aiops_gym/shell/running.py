"""What is running on an interpreter: a call from a script, what it printed so far, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

from bashkit import BuiltinContext

from aiops_gym.types import Output, Printed

if TYPE_CHECKING:
    from aiops_gym.shell.drive import Drive

Callback = Callable[["Invocation"], Output]


class Invocation:
    """One call of a command from a running script."""

    __slots__ = ("_context", "argv", "name", "stdin")

    def __init__(self, context: BuiltinContext) -> None:
        self._context = context
        self.name = context.name
        self.argv = [context.name, *context.argv]
        self.stdin = context.stdin or ""

    @property
    def cwd(self) -> str:
        """Where the script stood."""
        return self._context.cwd

    @property
    def env(self) -> Mapping[str, str]:
        """Exported variables."""
        return self._context.env

    @property
    def drive(self) -> Drive:
        """The files, from inside a callback."""
        return self._context.fs


@dataclass(slots=True)
class Run:
    """What is running on an engine, and what it printed so far.

    Attributes:
        call: what to do when the script calls one of the engine's commands.
        elapsed: seconds since it began, on the cluster's clock.
        ending: the script's time is up: it ends at the next boundary.
        failure: an exception of a command, which is ours and not the script's.
        chunks: (stdout, stderr, both) in the order written.
        printed: what the last of our commands wrote, if it knows in which order.
    """

    call: Callback
    elapsed: Callable[[], float]
    ending: bool = False
    flooded: bool = False
    size: int = 0
    failure: BaseException | None = None
    chunks: list[tuple[str, str, str]] = field(default_factory=list)
    printed: Printed | None = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> bool:
        """Keep an exception, so that it does not pass through the interpreter."""
        self.failure = self.failure or value
        return True


@dataclass(frozen=True, slots=True)
class Ended:
    """How a script ended. `error` is the interpreter's own, when it gave up."""

    stdout: str
    stderr: str
    output: str
    code: int
    error: str = ""
