"""The parts of a program that go several ways, or round: lists of outputs, loops, labels and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiops_gym.sim.jq.errors import Broken, JqError
from aiops_gym.sim.jq.machine import LOST, Env, Frame, Label, Node, Path, Run, State
from aiops_gym.sim.jq.paths import get_path, invalid, is_number, set_path
from aiops_gym.sim.jq.values import is_true, number
from aiops_gym.types import Json


class Empty(Node):
    """`empty`"""

    __slots__ = ()

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return None


class Comma(Node):
    """`first, second`"""

    __slots__ = ("first", "second")

    def __init__(self, first: Node, second: Node) -> None:
        self.first, self.second = first, second

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        run.forks.append((self.second, env, value, path, then))
        return (self.first, env, value, path, then)


class _Cell:
    """What a loop has come to so far."""

    __slots__ = ("found", "path", "value")

    def __init__(self, value: Any, path: Path = None) -> None:
        self.value, self.path, self.found = value, path, False


class _End(Node):
    """Reached when all else was tried: hands on what the loop came to."""

    __slots__ = ("cell", "tracked")

    def __init__(self, cell: _Cell, tracked: Path) -> None:
        self.cell, self.tracked = cell, tracked

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (None, None, self.cell.value, self.cell.path, then)


class _Collect(Frame):
    __slots__ = ("items",)

    def __init__(self, items: list[Json]) -> None:
        super().__init__(None)
        self.items = items

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        self.items.append(value)
        return None


class _Under(Frame):
    """A frame whose outputs go nowhere, but whose errors go where the others do."""

    __slots__ = ("cell",)

    def __init__(self, cell: _Cell, then: Frame) -> None:
        super().__init__(then)
        self.cell = cell


class Array(Node):
    """`[body]`"""

    __slots__ = ("body",)

    def __init__(self, body: Node) -> None:
        self.body = body

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        items: list[Json] = []
        run.made = True
        run.forks.append((_End(_Cell(items, None if path is None else LOST), path), None, None, None, then))
        collect = _Collect(items)
        collect.then = then
        return (self.body, env, value, None, collect)


class Otherwise(Node):
    """`left // right`: the outputs of the left that are true; where there are none, the right. Errors are errors."""

    __slots__ = ("left", "right", "single")

    def __init__(self, left: Node, right: Node) -> None:
        self.left, self.right, self.single = left, right, left.single and right.single

    def one(self, run: Run, env: Env, value: Json) -> Json:
        found = self.left.one(run, env, value)
        return found if is_true(found) else self.right.one(run, env, value)

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if self.single and path is None:
            return (None, None, self.one(run, env, value), None, then)
        cell = _Cell(None)
        run.forks.append((_Right(cell, self.right), env, value, path, then))
        return (self.left, env, value, path, _Left(cell, then))


class _Right(Node):
    __slots__ = ("cell", "right")

    def __init__(self, cell: _Cell, right: Node) -> None:
        self.cell, self.right = cell, right

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return None if self.cell.found else (self.right, env, value, path, then)


class _Left(Frame):
    __slots__ = ("cell",)

    def __init__(self, cell: _Cell, then: Frame) -> None:
        super().__init__(then)
        self.cell = cell

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        if not is_true(value):
            return None
        self.cell.found = True
        assert self.then is not None
        return (None, None, value, path, self.then)


class Reduce(Node):
    """`reduce source as $x (start; update)`"""

    __slots__ = ("source", "start", "update")

    def __init__(self, source: Node, start: Node, update: Node) -> None:
        self.source, self.start, self.update = source, start, update

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (self.start, env, value, path, _Started(self, None, env, value, then))


class _Started(Frame):
    """The start of a loop is known: go through the source."""

    __slots__ = ("env", "extract", "loop", "value")

    def __init__(self, loop: Reduce | Foreach, extract: Node | None, env: Env, value: Json, then: Frame) -> None:
        super().__init__(then)
        self.loop, self.extract, self.env, self.value = loop, extract, env, value

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        cell = _Cell(value, path)
        then = self.then
        assert then is not None
        if self.extract is None:
            run.forks.append((_End(cell, path), None, None, None, then))
        return (self.loop.source, self.env, self.value, None, _Turn(cell, self.loop, self.extract, self.env, then))


class _Turn(_Under):
    __slots__ = ("env", "extract", "loop")

    def __init__(self, cell: _Cell, loop: Reduce | Foreach, extract: Node | None, env: Env, then: Frame) -> None:
        super().__init__(cell, then)
        self.loop, self.extract, self.env = loop, extract, env

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        cell, env, update = self.cell, (value, self.env), self.loop.update
        assert self.then is not None
        if self.extract is None and cell.path is None and update.single:
            cell.value = update.one(run, env, cell.value)
            return None
        before, cell.value = cell.value, None if self.extract is None else cell.value
        return (update, env, before, cell.path, _Kept(cell, self.extract, env, self.then))


class _Kept(_Under):
    __slots__ = ("env", "extract")

    def __init__(self, cell: _Cell, extract: Node | None, env: Env, then: Frame) -> None:
        super().__init__(cell, then)
        self.extract, self.env = extract, env

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        self.cell.value, self.cell.path = value, path
        assert self.then is not None
        return None if self.extract is None else (self.extract, self.env, value, path, self.then)


class Foreach(Node):
    """`foreach source as $x (start; update; extract)`"""

    __slots__ = ("extract", "source", "start", "update")

    def __init__(self, source: Node, start: Node, update: Node, extract: Node) -> None:
        self.source, self.start, self.update, self.extract = source, start, update, extract

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (self.start, env, value, path, _Started(self, self.extract, env, value, then))


class Labelled(Node):
    """`label $name | body`"""

    __slots__ = ("body",)

    def __init__(self, body: Node) -> None:
        self.body = body

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        label = Label(run, then)
        return (self.body, (label.number, env), value, path, label)


class Break(Node):
    """`break $name`"""

    __slots__ = ("up",)

    def __init__(self, up: int) -> None:
        self.up = up

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        for _ in range(self.up):
            env = env[1]  # type: ignore[index]
        raise Broken(env[0])  # type: ignore[index]


class Definition:
    """A function: how many parameters it has, and its body, which is compiled when it is first called."""

    __slots__ = ("body", "parameters")

    def __init__(self, parameters: int) -> None:
        self.parameters = parameters
        self.body: Node = Empty()


class Function(Node):
    """`def name: ...; rest`"""

    __slots__ = ("definition", "rest")

    def __init__(self, definition: Definition, rest: Node) -> None:
        self.definition, self.rest = definition, rest

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (self.rest, (self.definition, env), value, path, then)


class Parameter(Node):
    """A call of what a function was given."""

    __slots__ = ("up",)

    def __init__(self, up: int) -> None:
        self.up = up

    def find(self, env: Env) -> tuple[Node, Env]:
        """What was given, and the environment it is from."""
        for _ in range(self.up):
            env = env[1]  # type: ignore[index]
        found: tuple[Node, Env] = env[0]  # type: ignore[index]
        return found

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        node, env = self.find(env)
        return (node, env, value, path, then)


class Call(Node):
    """A call of a function: of the program's own, so many pairs up the chain, or of one that all programs have."""

    __slots__ = ("arguments", "definition", "up")

    def __init__(self, up: int, definition: Definition | None, arguments: Sequence[Node]) -> None:
        self.up, self.definition, self.arguments = up, definition, tuple(arguments)

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        inner: Env = None
        definition = self.definition
        if definition is None:
            inner = env
            for _ in range(self.up):
                inner = inner[1]  # type: ignore[index]
            definition = inner[0]  # type: ignore[index]
        for each in self.arguments:
            inner = (each.find(env) if isinstance(each, Parameter) else (each, env), inner)
        return (definition.body, inner, value, path, then)


class PathOf(Node):
    """`path(body)`"""

    __slots__ = ("body",)

    def __init__(self, body: Node) -> None:
        self.body = body

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (self.body, env, value, (), _Path(None if path is None else LOST, then))


class _Path(Frame):
    __slots__ = ("path",)

    def __init__(self, path: Path, then: Frame) -> None:
        super().__init__(then)
        self.path = path

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        if path is LOST and value is not None:
            raise invalid(value)
        assert self.then is not None
        return (None, None, [] if path is LOST else list(path or ()), self.path, self.then)


class GetPath(Node):
    """`getpath(of)`, which is a path too."""

    __slots__ = ("of",)
    single = True

    def __init__(self, of: Node) -> None:
        self.of = of

    def one(self, run: Run, env: Env, value: Json) -> Json:
        keys = self.of.one(run, env, value)
        if not isinstance(keys, list):
            raise JqError("Path must be specified as an array")
        return get_path(value, keys)

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        found = self.one(run, env, value)
        if path is LOST:
            raise invalid(value, "access element of")
        if path is not None:
            path = (*path, *self.of.one(run, env, value))
        return (None, None, found, path, then)


class Update(Node):
    """`paths |= update`, where that has one value: each part that the paths lead to is replaced."""

    __slots__ = ("paths", "update")

    def __init__(self, paths: Node, update: Node) -> None:
        self.paths, self.update = paths, update

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        cell = _Cell(value, None if path is None else LOST)
        run.made = True
        run.forks.append((_End(cell, path), None, None, None, then))
        return (self.paths, env, value, (), _Put(cell, self.update, env, then))


class _Put(_Under):
    __slots__ = ("env", "update")

    def __init__(self, cell: _Cell, update: Node, env: Env, then: Frame) -> None:
        super().__init__(cell, then)
        self.update, self.env = update, env

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        if path is LOST or path is None:
            raise invalid(value)
        run.charge(len(path))
        old = get_path(self.cell.value, path)
        self.cell.value = set_path(self.cell.value, path, self.update.one(run, self.env, old))
        return None


class Range(Node):
    """`range(start; end; by)`"""

    __slots__ = ("by", "end", "start")

    def __init__(self, start: Node, end: Node, by: Node) -> None:
        self.start, self.end, self.by = start, end, by

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        start, end, by = (each.one(run, env, value) for each in (self.start, self.end, self.by))
        if not (is_number(start) and is_number(end) and is_number(by)):
            raise JqError("Range bounds must be numeric")
        return (_Numbers(start, end, by), None, None, None if path is None else LOST, then)


class _Numbers(Node):
    __slots__ = ("at", "by", "end")

    def __init__(self, at: float, end: float, by: float) -> None:
        self.at, self.end, self.by = at, end, by

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        at = self.at
        if not (at < self.end if self.by > 0 else at > self.end if self.by < 0 else False):
            return None
        self.at = number(at + self.by)
        run.forks.append((self, None, None, path, then))
        return (None, None, at, path, then)


class Input(Node):
    """`input`"""

    __slots__ = ()

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        for found in run.inputs:
            return (None, None, found, None if path is None else LOST, then)
        raise JqError("break")


class Raise(Node):
    """`error(of)`; null is no error, and no output either."""

    __slots__ = ("of",)

    def __init__(self, of: Node) -> None:
        self.of = of

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        raised = self.of.one(run, env, value)
        if raised is None:
            return None
        raise JqError(raised)


class Recurse(Node):
    """`..`: a value and all within it, from the top down."""

    __slots__ = ()

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if path is LOST:
            raise invalid(value, "iterate through")
        return (_Tree([(value, path)]), None, None, None, then)


class _Tree(Node):
    __slots__ = ("left",)

    def __init__(self, left: list[tuple[Json, Path]]) -> None:
        self.left = left

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        left = self.left
        value, path = left.pop()
        if isinstance(value, list | dict) and value:
            run.charge(len(value) >> 2)
            pairs = enumerate(value) if isinstance(value, list) else value.items()
            inner = [(each, None if path is None else (*path, key)) for key, each in pairs]
            inner.reverse()
            left += inner
        if left:
            run.forks.append((self, None, None, None, then))
        return (None, None, value, path, then)
