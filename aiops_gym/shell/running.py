"""What is running on an engine: a call from within, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from bashkit import BuiltinContext

from aiops_gym.types import Output

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
    """What is running on an engine.

    Attributes:
        call: what to do when one of the engine's commands is called.
        failure: an exception of a command, which is ours and not the script's.
    """

    call: Callback
    failure: BaseException | None = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> bool:
        """Keep an exception, so that it does not pass through the interpreter."""
        self.failure = self.failure or value
        return True


class Called(NamedTuple):
    """How a call of an engine ended. `error` is the interpreter's own, when it gave up."""

    stdout: str
    stderr: str
    code: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a script ended. `error` is why it had to."""

    stdout: str
    stderr: str
    output: str
    code: int
    error: str = ""
