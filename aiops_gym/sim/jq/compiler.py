"""Makes a program that runs from the text of one; programs are kept, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.jq import flows, nodes
from aiops_gym.sim.jq.errors import JqError, SyntaxIssue
from aiops_gym.sim.jq.flows import Definition
from aiops_gym.sim.jq.formats import FORMATS
from aiops_gym.sim.jq.functions import FUNCTIONS
from aiops_gym.sim.jq.library import LIBRARY
from aiops_gym.sim.jq.machine import Node, Run
from aiops_gym.sim.jq.operators import OPERATORS
from aiops_gym.sim.jq.parser import SELF, Tree, parse, parse_definitions
from aiops_gym.sim.jq.values import kind, shown
from aiops_gym.types import Json

Scope = tuple[Any, ...]
"""What is bound, the last first: ("$", name), ("label", name), ("def", name, arity), ("closure", name)."""


@caches.function(512, "compiling a jq program")
def compile_program(text: str, variables: frozenset[str] = frozenset()) -> Node:
    """The program that a text means, with these variables from outside. Raises SyntaxIssue."""
    try:
        return _Compiler(text, variables).node(parse(text), ())
    except RecursionError:
        raise SyntaxIssue("memory exhausted", text.partition("\n")[0]) from None


class _Compiler:
    def __init__(self, text: str, variables: frozenset[str]) -> None:
        self.text, self.variables = text, variables
        self.hidden = 0
        self.done: dict[Scope, list[tuple[Tree, Node]]] = {}

    def node(self, tree: Tree, scope: Scope) -> Node:
        """What a tree means where these names are bound; worked out once, as who looks whether it is `single` asks."""
        done = self.done.setdefault(scope, [])
        found = next((node for known, node in done if known is tree), None)
        if found is None:
            make: Callable[..., Node] = getattr(self, f"make_{tree[0]}")
            found = make(scope, *tree[1:])
            done.append((tree, found))
        return found

    def undefined(self, what: str, place: int) -> SyntaxIssue:
        return SyntaxIssue.at(f"{what} is not defined", self.text, place)

    def name(self) -> str:
        """A variable that no program can mean."""
        self.hidden += 1
        return f" {self.hidden}"

    def settled(
        self, scope: Scope, trees: Sequence[Tree], make: Callable[[Scope, Sequence[Node]], Node], last: bool = True
    ) -> Node:
        """What is made of parts with one value each; those that have several are bound first, the last outermost."""
        compiled = [self.node(tree, scope) for tree in trees]
        if all(each.single for each in compiled):
            return make(scope, compiled)
        several = [at for at, each in enumerate(compiled) if not isinstance(each, nodes.Constant | nodes.Variable)]
        at = several[-1 if last else 0]  # those with one value too: the first error is the one that is told
        name = self.name()
        others = [("variable", name) if index == at else tree for index, tree in enumerate(trees)]
        return nodes.Bind(compiled[at], self.settled((("$", name), *scope), others, make, last))

    def make_self(self, scope: Scope) -> Node:
        return nodes.Self()

    def make_literal(self, scope: Scope, value: Json) -> Node:
        return nodes.Constant(value)

    def make_format(self, scope: Scope, name: str) -> Node:
        return nodes.Native(self.form(name), ())

    def form(self, name: str) -> Callable[[Run, Json], str]:
        if name in FORMATS:
            return FORMATS[name]

        def wrong(run: Run, value: Json) -> str:
            raise JqError(f"{name} is not a valid format")

        return wrong

    def make_text(self, scope: Scope, form: str, parts: Sequence[str | Tree]) -> Node:
        trees = [part for part in parts if not isinstance(part, str)]

        def make(scope: Scope, found: Sequence[Node]) -> Node:
            left = iter(found)
            return nodes.Text(self.form(form), [part if isinstance(part, str) else next(left) for part in parts])

        return self.settled(scope, trees, make)

    def make_index(self, scope: Scope, of: Tree, key: Tree) -> Node:
        if key[0] == "literal" and isinstance(key[1], str):
            return nodes.Field(self.node(of, scope), key[1])
        return self.settled(scope, [key], lambda scope, found: nodes.Index(self.node(of, scope), found[0]))

    def make_slice(self, scope: Scope, of: Tree, start: Tree | None, end: Tree | None) -> Node:
        pairs = (("literal", "start"), start or ("literal", None)), (("literal", "end"), end or ("literal", None))
        return self.make_index(scope, of, ("object", pairs))

    def make_each(self, scope: Scope, of: Tree) -> Node:
        return nodes.Each(self.node(of, scope))

    def make_try(self, scope: Scope, body: Tree, handler: Tree | None) -> Node:
        return nodes.Try(self.node(body, scope), None if handler is None else self.node(handler, scope))

    def make_array(self, scope: Scope, body: Tree | None) -> Node:
        if body is None:
            return nodes.Constant([])
        if body[0] == "pipe" and body[1][0] == "each":
            of, inner = self.node(body[1][1], scope), body[2]
            if (
                inner[0] == "pipe"
                and inner[1][:2] == ("call", "select")
                and len(inner[1][2]) == 1
                and not self.has(scope, "select", 1)
            ):
                keep, rest = self.node(inner[1][2][0], scope), self.node(inner[2], scope)
                if of.single and keep.single and rest.single:
                    return nodes.Map(of, rest, keep)
            elif inner[:2] == ("call", "select") and len(inner[2]) == 1 and not self.has(scope, "select", 1):
                keep = self.node(inner[2][0], scope)
                if of.single and keep.single:
                    return nodes.Map(of, nodes.Self(), keep)
            rest = self.node(inner, scope)
            if of.single and rest.single:
                return nodes.Map(of, rest)
        found = self.node(body, scope)
        if isinstance(found, nodes.Each) and found.of.single:
            return nodes.Map(found.of, nodes.Self())
        return nodes.Wrap(found) if found.single else flows.Array(found)

    def make_object(self, scope: Scope, pairs: Sequence[tuple[Tree, Tree]]) -> Node:
        for key, _ in pairs:
            if key[0] == "literal" and not isinstance(key[1], str):
                where = self.text.partition("\n")[0]
                raise SyntaxIssue(f"Cannot use {kind(key[1])} ({shown(key[1])}) as object key", where)
        trees = [tree for pair in pairs for tree in pair]

        def make(scope: Scope, found: Sequence[Node]) -> Node:
            return nodes.Object(list(zip(found[::2], found[1::2], strict=True)))

        return self.settled(scope, trees, make, last=False)

    def make_negative(self, scope: Scope, of: Tree) -> Node:
        return self.settled(scope, [of], lambda scope, found: nodes.Native(FUNCTIONS["_negate", 1], found))

    def make_pipe(self, scope: Scope, left: Tree, right: Tree) -> Node:
        return nodes.Pipe(self.node(left, scope), self.node(right, scope))

    def make_comma(self, scope: Scope, first: Tree, second: Tree) -> Node:
        return flows.Comma(self.node(first, scope), self.node(second, scope))

    def make_operator(self, scope: Scope, sign: str, left: Tree, right: Tree) -> Node:
        def make(scope: Scope, found: Sequence[Node]) -> Node:
            return nodes.Binary(OPERATORS[sign], *found)

        return self.settled(scope, [left, right], make)

    def make_and(self, scope: Scope, left: Tree, right: Tree) -> Node:
        return nodes.Logic(self.node(left, scope), self.node(right, scope), False)

    def make_or(self, scope: Scope, left: Tree, right: Tree) -> Node:
        return nodes.Logic(self.node(left, scope), self.node(right, scope), True)

    def make_otherwise(self, scope: Scope, left: Tree, right: Tree) -> Node:
        return flows.Otherwise(self.node(left, scope), self.node(right, scope))

    def make_assign(self, scope: Scope, sign: str, paths: Tree, value: Tree) -> Node:
        if sign == "|":
            update = self.node(value, scope)
            if update.single:
                return flows.Update(self.node(paths, scope), update)
            return self.node(("call", "_modify", (paths, value)), scope)
        name = self.name()
        bound: Tree = ("variable", name)
        if sign:
            bound = ("otherwise", SELF, bound) if sign == "//" else ("operator", sign, SELF, bound)
        inner = (("$", name), *scope)
        return nodes.Bind(self.node(value, scope), flows.Update(self.node(paths, inner), self.node(bound, inner)))

    def make_if(self, scope: Scope, test: Tree, yes: Tree, no: Tree) -> Node:
        return nodes.If(self.node(test, scope), self.node(yes, scope), self.node(no, scope))

    def _loop(self, scope: Scope, pattern: Tree, parts: Sequence[Tree]) -> tuple[Scope, Sequence[Tree]]:
        if pattern[0] == "variable":
            return (("$", pattern[1]), *scope), parts
        name = self.name()
        found = [("bind", ("variable", name), (pattern,), part) for part in parts]
        return (("$", name), *scope), found

    def make_reduce(self, scope: Scope, source: Tree, pattern: Tree, start: Tree, update: Tree) -> Node:
        inner, (step,) = self._loop(scope, pattern, [update])
        return flows.Reduce(self.node(source, scope), self.node(start, scope), self.node(step, inner))

    def make_foreach(self, scope: Scope, source: Tree, pattern: Tree, start: Tree, update: Tree, extract: Tree) -> Node:
        inner, (step, out) = self._loop(scope, pattern, [update, extract])
        made = self.node(step, inner), self.node(out, inner)
        return flows.Foreach(self.node(source, scope), self.node(start, scope), *made)

    def make_label(self, scope: Scope, name: str, body: Tree) -> Node:
        return flows.Labelled(self.node(body, (("label", name), *scope)))

    def make_break(self, scope: Scope, name: str, place: int) -> Node:
        for up, bound in enumerate(scope):
            if bound == ("label", name):
                return flows.Break(up)
        raise self.undefined(f"$*label-{name}", place)

    def make_bind(self, scope: Scope, source: Tree, patterns: Sequence[Tree], body: Tree) -> Node:
        if len(patterns) == 1:
            return self.taken(scope, patterns[0], source, body)
        name, names = self.name(), [each for pattern in patterns for each in _names(pattern)]
        inner = (("$", name), *scope)
        found: Node | None = None
        for pattern in reversed(patterns):
            tree: Tree = ("taken", pattern, ("variable", name), body)
            for other in dict.fromkeys(names):
                tree = ("bind", ("literal", None), (("variable", other),), tree)
            this = self.node(tree, inner)
            found = this if found is None else nodes.Try(this, found, original=True)
        assert found is not None
        return nodes.Bind(self.node(source, scope), found)

    def make_taken(self, scope: Scope, pattern: Tree, source: Tree, body: Tree) -> Node:
        return self.taken(scope, pattern, source, body)

    def taken(self, scope: Scope, pattern: Tree, source: Tree, body: Tree) -> Node:
        """A body for whose names a value is taken apart."""
        if pattern[0] == "variable":
            return nodes.Bind(self.node(source, scope), self.node(body, (("$", pattern[1]), *scope)))
        name = self.name()
        whole: Tree = ("variable", name)
        if pattern[0] == "list":
            for at, each in reversed(list(enumerate(pattern[1]))):
                body = ("taken", each, ("index", whole, ("literal", at)), body)
        else:
            for key, bound, each in reversed(pattern[1]):
                body = self._field(whole, key, bound, each, body)
        return self.taken(scope, ("variable", name), source, body)

    def _field(self, whole: Tree, key: Tree, bound: str, pattern: Tree | None, body: Tree) -> Tree:
        name = self.name()
        at: Tree = ("index", whole, ("variable", name))
        if pattern is not None:
            body = ("taken", pattern, at, body)
        if bound:
            body = ("taken", ("variable", bound), at, body)
        return ("taken", ("variable", name), key, body)

    def make_variable(self, scope: Scope, name: str, place: int = 0) -> Node:
        for up, bound in enumerate(scope):
            if bound == ("$", name):
                return nodes.Variable(up)
        if name not in self.variables and name not in ("ENV", "__prog_args", "ARGS"):
            raise self.undefined(f"${name}", place)
        return nodes.Global(name)

    def make_function(self, scope: Scope, name: str, parameters: Sequence[str], body: Tree, rest: Tree) -> Node:
        definition = Definition(len(parameters))
        inner = (("def", name, len(parameters)), *scope)
        definition.body = self.body(inner, parameters, body)
        return flows.Function(definition, self.node(rest, inner))

    def body(self, scope: Scope, parameters: Sequence[str], body: Tree) -> Node:
        """The body of a function, below its parameters."""
        for each in parameters:
            scope = (("closure", each.removeprefix("$")), *scope)
        for each in reversed(parameters):
            if each[0] == "$":
                body = ("bind", ("call", each[1:], ()), (("variable", each[1:]),), body)
        return self.node(body, scope)

    def has(self, scope: Scope, name: str, arity: int) -> bool:
        return ("def", name, arity) in scope or (arity == 0 and ("closure", name) in scope)

    def make_call(self, scope: Scope, name: str, arguments: Sequence[Tree], place: int = 0) -> Node:
        for up, bound in enumerate(scope):
            if bound == ("def", name, len(arguments)):
                return flows.Call(up, None, [self.node(each, scope) for each in arguments])
            if not arguments and bound == ("closure", name):
                return flows.Parameter(up)
        key = (name, len(arguments))
        if key in _FORMS:
            return _FORMS[key](self, scope, arguments)
        if key in FUNCTIONS:
            return self.settled(scope, arguments, lambda scope, found: nodes.Native(FUNCTIONS[key], found))
        if key in _BODIES:
            return flows.Call(0, _library(name, len(arguments)), [self.node(each, scope) for each in arguments])
        raise self.undefined(f"{name}/{len(arguments)}", place)

    def call_select(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return nodes.If(self.node(arguments[0], scope), nodes.Self(), flows.Empty())

    def call_map(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return self.make_array(scope, ("pipe", ("each", SELF), arguments[0]))

    def call_range(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        trees = [("literal", 0), *arguments] if len(arguments) == 1 else list(arguments)
        trees += [("literal", 1)] * (3 - len(trees))
        return self.settled(scope, trees, lambda scope, found: flows.Range(*found), last=False)

    def call_path(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return flows.PathOf(self.node(arguments[0], scope))

    def call_getpath(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return self.settled(scope, arguments, lambda scope, found: flows.GetPath(found[0]))

    def call_empty(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return flows.Empty()

    def call_input(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return flows.Input()

    def call_error(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return self.settled(scope, arguments or [SELF], lambda scope, found: flows.Raise(found[0]))

    def call_builtins(self, scope: Scope, arguments: Sequence[Tree]) -> Node:
        return nodes.Constant([f"{name}/{arity}" for name, arity in (*_BODIES, *FUNCTIONS, *_FORMS) if name[0] != "_"])


def _names(pattern: Tree) -> Sequence[str]:
    """The variables that a pattern binds."""
    if pattern[0] == "variable":
        return [pattern[1]]
    if pattern[0] == "list":
        return [name for each in pattern[1] for name in _names(each)]
    found = [bound for _, bound, _ in pattern[1] if bound]
    return found + [name for _, _, each in pattern[1] if each is not None for name in _names(each)]


def _by(name: str) -> Callable[[_Compiler, Scope, Sequence[Tree]], Node]:
    """`sort_by` and its like: what they go by is worked out for all members first."""

    def make(compiler: _Compiler, scope: Scope, arguments: Sequence[Tree]) -> Node:
        keys: Tree = ("array", ("pipe", ("each", SELF), ("array", arguments[0])))
        return compiler.settled(scope, [keys], lambda scope, found: nodes.Native(FUNCTIONS[f"_{name}", 1], found))

    return make


_FORMS: dict[tuple[str, int], Callable[[_Compiler, Scope, Sequence[Tree]], Node]] = {
    ("select", 1): _Compiler.call_select,
    ("map", 1): _Compiler.call_map,
    **dict.fromkeys([("range", 1), ("range", 2), ("range", 3)], _Compiler.call_range),
    ("path", 1): _Compiler.call_path,
    ("getpath", 1): _Compiler.call_getpath,
    ("empty", 0): _Compiler.call_empty,
    ("input", 0): _Compiler.call_input,
    **dict.fromkeys([("error", 0), ("error", 1)], _Compiler.call_error),
    ("builtins", 0): _Compiler.call_builtins,
    ("recurse", 0): lambda compiler, scope, arguments: flows.Recurse(),
    **{(name, 1): _by(name) for name in ("sort_by", "group_by", "unique_by", "min_by", "max_by")},
    ("unique", 0): lambda compiler, scope, arguments: _by("unique_by")(compiler, scope, [SELF]),
}
"""Calls that are parts of their own."""

_BODIES = {(name, len(parameters)): (parameters, body) for name, parameters, body in parse_definitions(LIBRARY)}
_compiled: dict[tuple[str, int], Definition] = {}


def _library(name: str, arity: int) -> Definition:
    """A function of the library, compiled when it is first asked for."""
    key = (name, arity)
    if key not in _compiled:
        parameters, body = _BODIES[key]
        _compiled[key] = definition = Definition(arity)
        definition.body = _Compiler(name, frozenset()).body((), parameters, body)
    return _compiled[key]
