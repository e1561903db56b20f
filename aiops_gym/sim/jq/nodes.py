"""The parts of a program that follow one way through it: constants, paths, operators, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aiops_gym.sim.jq.errors import JqError
from aiops_gym.sim.jq.machine import CHARACTERS, LOST, Env, Frame, Guard, Node, Path, Run, State
from aiops_gym.sim.jq.paths import invalid, look_up
from aiops_gym.sim.jq.values import is_true, told, write
from aiops_gym.types import Json


class Self(Node):
    """`.`"""

    __slots__ = ()
    single = True

    def one(self, run: Run, env: Env, value: Json) -> Json:
        return value

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (None, None, value, path, then)


class Constant(Node):
    """A literal."""

    __slots__ = ("value",)
    single = True

    def __init__(self, value: Json) -> None:
        self.value = value

    def one(self, run: Run, env: Env, value: Json) -> Json:
        return self.value


class Variable(Node):
    """`$name`: what is bound so many pairs up the chain."""

    __slots__ = ("up",)
    single = True

    def __init__(self, up: int) -> None:
        self.up = up

    def one(self, run: Run, env: Env, value: Json) -> Json:
        for _ in range(self.up):
            env = env[1]  # type: ignore[index]
        found: Json = env[0]  # type: ignore[index]
        return found


class Global(Node):
    """A variable of the call."""

    __slots__ = ("name",)
    single = True

    def __init__(self, name: str) -> None:
        self.name = name

    def one(self, run: Run, env: Env, value: Json) -> Json:
        return run.variables[self.name]


class _At(Frame):
    """Looks up a key in each output."""

    __slots__ = ("key",)

    def __init__(self, key: Json, then: Frame) -> None:
        super().__init__(then)
        self.key = key

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        if path is LOST:
            raise invalid(value, f"access element {write(self.key)} of")
        found = look_up(value, self.key)
        return (None, None, found, None if path is None else (*path, self.key), self.then)  # type: ignore[return-value]


class Index(Node):
    """`of[key]`; the key has one value."""

    __slots__ = ("key", "of", "single")

    def __init__(self, of: Node, key: Node) -> None:
        self.of, self.key, self.single = of, key, of.single

    def one(self, run: Run, env: Env, value: Json) -> Json:
        return look_up(self.of.one(run, env, value), self.key.one(run, env, value))

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if path is None and self.single:
            return (None, None, self.one(run, env, value), None, then)
        return (self.of, env, value, path, _At(self.key.one(run, env, value), then))


class Field(Index):
    """`of.name`"""

    __slots__ = ("name",)

    def __init__(self, of: Node, name: str) -> None:
        super().__init__(of, Constant(name))
        self.name = name

    def one(self, run: Run, env: Env, value: Json) -> Json:
        found = self.of.one(run, env, value)
        return found.get(self.name) if type(found) is dict else look_up(found, self.name)


class Rest(Node):
    """What is left of the members of a value."""

    __slots__ = ("at", "items", "keys")

    def __init__(self, items: Sequence[Json], keys: Sequence[Json]) -> None:
        self.items, self.keys, self.at = items, keys, 0

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        at = self.at
        self.at = at + 1
        if at + 1 < len(self.items):
            run.forks.append((self, None, None, path, then))
        return (None, None, self.items[at], None if path is None else (*path, self.keys[at]), then)


def members(value: Json) -> Sequence[Json]:
    """What is in an array or object. Raises JqError."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return list(value.values())
    raise JqError(f"Cannot iterate over {told(value)}")


class _Members(Frame):
    __slots__ = ()

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        if path is LOST:
            raise invalid(value, "iterate through")
        items = members(value)
        if not items:
            return None
        keys: Sequence[Json] = range(len(items)) if isinstance(value, list) else list(value)
        assert self.then is not None
        return (Rest(items, keys), None, None, path, self.then)


class Each(Node):
    """`of[]`"""

    __slots__ = ("of",)

    def __init__(self, of: Node) -> None:
        self.of = of

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if path is None and self.of.single:
            items = members(self.of.one(run, env, value))
            return (Rest(items, ()), None, None, None, then) if items else None
        return (self.of, env, value, path, _Members(then))


class Native(Node):
    """A function of ours over values; its arguments have one value each."""

    __slots__ = ("arguments", "function")
    single = True

    def __init__(self, function: Callable[..., Json], arguments: Sequence[Node]) -> None:
        self.function, self.arguments = function, tuple(arguments)

    def one(self, run: Run, env: Env, value: Json) -> Json:
        found = [each.one(run, env, value) for each in reversed(self.arguments)]
        return self.function(run, value, *reversed(found))


class Binary(Node):
    """An operator between two values."""

    __slots__ = ("function", "left", "right")
    single = True

    def __init__(self, function: Callable[[Run, Json, Json], Json], left: Node, right: Node) -> None:
        self.function, self.left, self.right = function, left, right

    def one(self, run: Run, env: Env, value: Json) -> Json:
        right = self.right.one(run, env, value)
        return self.function(run, self.left.one(run, env, value), right)


class Logic(Node):
    """`and`, `or`: the second is asked only where the first does not decide."""

    __slots__ = ("decided", "left", "right", "single")

    def __init__(self, left: Node, right: Node, decided: bool) -> None:
        self.left, self.right, self.decided = left, right, decided
        self.single = left.single and right.single

    def one(self, run: Run, env: Env, value: Json) -> Json:
        if is_true(self.left.one(run, env, value)) is self.decided:
            return self.decided
        return is_true(self.right.one(run, env, value))

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if self.single:
            return (None, None, self.one(run, env, value), None if path is None else LOST, then)
        return (self.left, env, value, None, _Decide(self, env, value, path, then))

    def decide(self, first: Json, env: Env, value: Json, path: Path, then: Frame) -> State:
        """After the first has its value."""
        lost = None if path is None else LOST
        if is_true(first) is self.decided:
            return (None, None, self.decided, lost, then)
        return (self.right, env, value, None, _Truth(lost, then))


class _Truth(Frame):
    __slots__ = ("path",)

    def __init__(self, path: Path, then: Frame) -> None:
        super().__init__(then)
        self.path = path

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        return (None, None, is_true(value), self.path, self.then)  # type: ignore[return-value]


class _Decide(Frame):
    """Goes on with what a node decides of a value."""

    __slots__ = ("env", "node", "path", "value")

    def __init__(self, node: Logic | If | Bind, env: Env, value: Json, path: Path, then: Frame) -> None:
        super().__init__(then)
        self.node, self.env, self.value, self.path = node, env, value, path

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        assert self.then is not None
        return self.node.decide(value, self.env, self.value, self.path, self.then)


class If(Node):
    """`if test then yes else no end`"""

    __slots__ = ("no", "single", "test", "yes")

    def __init__(self, test: Node, yes: Node, no: Node) -> None:
        self.test, self.yes, self.no = test, yes, no
        self.single = test.single and yes.single and no.single

    def one(self, run: Run, env: Env, value: Json) -> Json:
        chosen = self.yes if is_true(self.test.one(run, env, value)) else self.no
        return chosen.one(run, env, value)

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if self.test.single:
            return self.decide(self.test.one(run, env, value), env, value, path, then)
        return (self.test, env, value, None, _Decide(self, env, value, path, then))

    def decide(self, test: Json, env: Env, value: Json, path: Path, then: Frame) -> State:
        """After the test has its value."""
        return (self.yes if is_true(test) else self.no, env, value, path, then)


class Bind(Node):
    """`source as $x | body`"""

    __slots__ = ("body", "single", "source")

    def __init__(self, source: Node, body: Node) -> None:
        self.source, self.body, self.single = source, body, source.single and body.single

    def one(self, run: Run, env: Env, value: Json) -> Json:
        return self.body.one(run, (self.source.one(run, env, value), env), value)

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if self.source.single:
            return (self.body, (self.source.one(run, env, value), env), value, path, then)
        return (self.source, env, value, None, _Decide(self, env, value, path, then))

    def decide(self, bound: Json, env: Env, value: Json, path: Path, then: Frame) -> State:
        """After the source has a value."""
        return (self.body, (bound, env), value, path, then)


class Pipe(Node):
    """`left | right`"""

    __slots__ = ("left", "right", "single")

    def __init__(self, left: Node, right: Node) -> None:
        self.left, self.right, self.single = left, right, left.single and right.single

    def one(self, run: Run, env: Env, value: Json) -> Json:
        return self.right.one(run, env, self.left.one(run, env, value))

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        if path is None and self.left.single:
            return (self.right, env, self.left.one(run, env, value), None, then)
        return (self.left, env, value, path, Then(self.right, env, then))


class Then(Frame):
    """Hands each output to a node."""

    __slots__ = ("env", "node")

    def __init__(self, node: Node, env: Env, then: Frame) -> None:
        super().__init__(then)
        self.node, self.env = node, env

    def resume(self, run: Run, value: Json, path: Path) -> State | None:
        node = self.node
        if path is None and node.single:
            return (None, None, node.one(run, self.env, value), None, self.then)  # type: ignore[return-value]
        return (node, self.env, value, path, self.then)  # type: ignore[return-value]


class Object(Node):
    """`{key: value}`; keys and values have one value each."""

    __slots__ = ("pairs",)
    single = True

    def __init__(self, pairs: Sequence[tuple[Node, Node]]) -> None:
        self.pairs = tuple(pairs)

    def one(self, run: Run, env: Env, value: Json) -> Json:
        found: dict[str, Json] = {}
        for key, each in self.pairs:
            name = key.one(run, env, value)
            if not isinstance(name, str):
                raise JqError(f"Cannot use {told(name)} as object key")
            found[name] = each.one(run, env, value)
        run.made = True
        return found


class Text(Node):
    """A string with what is inserted into it; each has one value."""

    __slots__ = ("form", "parts")
    single = True

    def __init__(self, form: Callable[[Run, Json], str], parts: Sequence[str | Node]) -> None:
        self.form, self.parts = form, tuple(parts)

    def one(self, run: Run, env: Env, value: Json) -> Json:
        form = self.form
        parts = [p if isinstance(p, str) else form(run, p.one(run, env, value)) for p in self.parts]
        text = "".join(parts)
        run.charge(len(text) // CHARACTERS)
        return text


class Map(Node):
    """`[of[] | body]` with a body of one value, or one that passes on or drops what it is given (`keep`)."""

    __slots__ = ("body", "keep", "of")
    single = True

    def __init__(self, of: Node, body: Node, keep: Node | None = None) -> None:
        self.of, self.body, self.keep = of, body, keep

    def one(self, run: Run, env: Env, value: Json) -> Json:
        items = members(self.of.one(run, env, value))
        run.charge(len(items))
        run.made = True
        one, keep = self.body.one, self.keep
        if keep is not None:
            items = [each for each in items if is_true(keep.one(run, env, each))]
        return [one(run, env, each) for each in items]


class Wrap(Node):
    """`[body]` with a body of one value."""

    __slots__ = ("body",)
    single = True

    def __init__(self, body: Node) -> None:
        self.body = body

    def one(self, run: Run, env: Env, value: Json) -> Json:
        run.made = True
        return [self.body.one(run, env, value)]


class Try(Node):
    """`try body catch handler`; with `original`, the handler is given what the body was."""

    __slots__ = ("body", "handler", "original")

    def __init__(self, body: Node, handler: Node | None, original: bool = False) -> None:
        self.body, self.handler, self.original = body, handler, original

    def step(self, run: Run, env: Env, value: Json, path: Path, then: Frame) -> State | None:
        return (self.body, env, value, path, Guard(run, self.handler, env, value, path, then, self.original))
