"""The machine that evaluates a program: one operation after the other, counted, its whole state plain data.

A state is (node, env, value, path, then): evaluate `node` for `value`, and hand what comes of it to `then`; without a
node the value itself is handed on. What is still to be tried lies on a stack of states, and the next output comes from
there. Nothing nests on Python's stack, so a program may call itself as deep as its operations reach.

The environment is a chain of pairs (what is bound, the rest); the path is None where nobody asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aiops_gym.sim.jq.errors import Broken, JqError, OutOfWork
from aiops_gym.types import Json

Env = tuple[Any, Any] | None
Path = tuple[Json, ...] | None
LOST: Path = ("lost",)
"""The path of a value that is not part of the input: it cannot be followed further."""

CHARACTERS = 64
"""Of a text that is made for one operation."""


class Node:
    """A part of a program.

    Attributes:
        single: it has exactly one output for each input, or an error, and what it takes is bounded by its size and by
            that of the value: `one` works it out at once.
    """

    __slots__ = ()
    single = False

    def one(self, run: Run, env: Env, value: Json) -> Json:
        """The one output."""
        raise NotImplementedError

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        """The next state; None where there is no output."""
        return (None, None, self.one(run, env, value), None if path is None else LOST, then)


class Frame:
    """What is done with an output: the rest of the program."""

    __slots__ = ("then",)

    def __init__(self, then: Frame | None) -> None:
        self.then = then

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        """The next state."""
        raise NotImplementedError


State = tuple[Node | None, Env, Json, Path, Frame]


class Guard(Frame):
    """What errors within end at: the handler is given what was raised."""

    __slots__ = ("env", "handler", "height", "original", "path", "value")

    def __init__(
        self, run: Run, handler: Node | None, env: Env, value: Json, path: Path, then: Frame, original: bool
    ) -> None:
        super().__init__(then)
        self.height = len(run.forks)
        self.handler, self.env, self.value, self.path, self.original = handler, env, value, path, original

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        assert self.then is not None
        return (None, None, value, path, self.then)

    def catch(self, run: Run, raised: Json) -> State | None:
        """The state after an error within."""
        del run.forks[self.height :]
        assert self.then is not None
        if self.handler is None:
            return None
        if self.original:
            return (self.handler, self.env, self.value, self.path, self.then)
        return (self.handler, self.env, raised, None if self.path is None else LOST, self.then)


class Label(Frame):
    """What `break` with this number ends."""

    __slots__ = ("height", "number")

    def __init__(self, run: Run, then: Frame) -> None:
        super().__init__(then)
        run.labels += 1
        self.number, self.height = run.labels, len(run.forks)

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        assert self.then is not None
        return (None, None, value, path, self.then)


class Run:
    """One evaluation, and what it shares with others of the same call.

    Attributes:
        left: operations that may still be taken; what is made counts too.
        variables: those of the call, `$ENV` and `$__prog_args` among them.
        inputs: the values that are still to be read.
        now: Unix seconds.
        made: whether arrays or objects were made: they may hold a value many times over.
        filename: of the input that was read last.
        lines: of the input, up to what was read last.
        notes: what `debug` and `stderr` printed, with the part of the output before it.
    """

    def __init__(
        self,
        left: int,
        variables: Mapping[str, Json] | None = None,
        inputs: Iterator[Json] | None = None,
        now: float = 0.0,
    ) -> None:
        self.left = left
        self.variables = variables or {}
        self.inputs: Iterator[Json] = inputs if inputs is not None else iter(())
        self.now = now
        self.made = False
        self.labels = 0
        self.filename: Json = None
        self.lines = 0
        self.forks: list[State] = []
        self.note: Callable[[str], None] = lambda text: None

    def charge(self, operations: int) -> None:
        """Count work. Raises OutOfWork."""
        self.left -= operations
        if self.left < 0:
            raise OutOfWork

    def outputs(self, node: Node, value: Json) -> Iterator[Json]:
        """All that a program makes of a value. Raises JqError, Broken, OutOfWork."""
        end = Frame(None)
        forks: list[State] = [(node, None, value, None, end)]
        self.forks = forks
        while forks:
            state: State | None = forks.pop()
            while state is not None:
                self.left -= 1
                if self.left < 0:
                    raise OutOfWork
                part, env, value, path, then = state
                try:
                    if part is not None:
                        state = part.step(self, env, value, path, then)
                        continue
                    if then is not end:
                        state = then.resume(self, value, path)
                        continue
                except JqError as error:
                    state = self._caught(then, error)
                    continue
                except Broken as broken:
                    state = self._left(then, broken)
                    continue
                except (RecursionError, MemoryError):
                    raise OutOfWork from None
                state = None
                yield value
                self.forks = forks

    def _caught(self, then: Frame | None, error: JqError) -> State | None:
        while then is not None:
            if isinstance(then, Guard):
                return then.catch(self, error.value)
            then = then.then
        raise error

    def _left(self, then: Frame | None, broken: Broken) -> State | None:
        while then is not None:
            if isinstance(then, Label) and then.number == broken.label:
                del self.forks[then.height :]
                return None
            then = then.then
        raise JqError("break")
