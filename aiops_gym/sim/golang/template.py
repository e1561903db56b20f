r"""Go templates, the part of them that is used with `-o go-template=`: fields, range, if, with, variables, functions.

>>> parse('{{range .items}}{{.name}}{{"\\t"}}{{if .ok}}up{{else}}down{{end}}{{"\\n"}}{{end}}').render(
...     {"items": [{"name": "a", "ok": True}, {"name": "b"}]})
'a\tup\nb\tdown\n'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.golang import functions
from aiops_gym.sim.golang.functions import MISSING, TemplateError, is_true
from aiops_gym.sim.golang.template_parser import Action, Block, Command, Operand, Pipe, Text, parse_nodes
from aiops_gym.sim.golang.text import display
from aiops_gym.types import Json

Node = Text | Action | Block

TOO_DEEP = "exceeded maximum template depth (100000)"
"""What Go says of templates within templates that have no end; Python's stack ends before."""

__all__ = ["Template", "TemplateError", "parse"]


@dataclass(slots=True)
class Room:
    """What is left for one run of a template.

    Attributes:
        steps: parts of the template that may still be run.
        size: characters that may still be printed.
    """

    steps: int = 500_000
    size: int = functions.LONGEST

    def take(self, text: str = "") -> str:
        """Account for a step and for what it prints. Raises TemplateError."""
        self.steps -= 1
        self.size -= len(text)
        if self.steps < 0 or self.size < 0:
            raise TemplateError("runtime: out of memory")
        return text


@dataclass(slots=True)
class _Scope:
    """What a part of a template sees: the dot and the variables; missing keys are an error when `strict`.

    The dot is `boxed` inside `range`, where Go knows of a value only that it is an interface.
    """

    root: Json
    dot: Json
    strict: bool
    variables: dict[str, Any] = field(default_factory=dict)
    boxed: bool = False
    last: list[Operand | Command] = field(default_factory=list)
    call: Callable[[str, list[Any]], Any] = functions.call
    room: Room = field(default_factory=Room)

    def inner(self, dot: Json, boxed: bool | None = None) -> _Scope:
        """The scope of a block with another dot."""
        kept = self.boxed if boxed is None else boxed
        return _Scope(self.root, dot, self.strict, dict(self.variables), kept, self.last, self.call, self.room)

    def at(self, node: Operand | Command) -> None:
        """Remember what is being worked out, for the words of an error."""
        self.last[:] = [node]


class Template:
    """A parsed template; it may be run any number of times."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes = parse_nodes(text)

    def render(self, data: Json, strict: bool = False) -> str:
        """The text for one object. Raises TemplateError."""
        out: list[str] = []
        scope = _Scope(data, data, strict, {"$": data})
        try:
            _run(self.nodes, scope, out)
        except TemplateError as error:
            failure = TemplateError(f"{self._place(scope.last)}: {error}")
            failure.printed = "".join(out)
            raise failure from None
        except RecursionError:
            raise TemplateError(f"{self._place(scope.last)}: {TOO_DEEP}") from None
        return "".join(out)

    def _place(self, last: list[Operand | Command]) -> str:
        """Line and column of what was being worked out, and its text, as Go tells them."""
        if not last:
            return "1"
        before = self.text[: last[0].at].encode()
        column = len(before) - before.rfind(b"\n") - (0 if b"\n" in before else 1)
        return f'{before.count(10) + 1}:{column}: executing "output" at <{last[0].source}>'


@caches.function(128, "parsing a Go template")
def parse(text: str) -> Template:
    """Parse a template. Raises TemplateError."""
    return Template(text)


def render_nodes(
    nodes: list[Node], data: Json, call: Callable[[str, list[Any]], Any], room: Room, strict: bool = False
) -> str:
    """The text that nodes give for an object, with functions of one's own. Raises TemplateError."""
    out: list[str] = []
    _run(nodes, _Scope(data, data, strict, {"$": data}, call=call, room=room), out)
    return "".join(out)


def _run(nodes: list[Node], scope: _Scope, out: list[str]) -> None:
    for node in nodes:
        if isinstance(node, Text):
            out.append(scope.room.take(node.text))
        elif isinstance(node, Action):
            value = _pipe(node.pipe, scope)
            if not node.pipe.variables:
                out.append(scope.room.take("<no value>" if value is MISSING or value is None else display(value)))
        elif node.word == "define":
            continue
        elif node.word == "range":
            _range(node, scope, out)
        else:
            value = _pipe(node.pipe, scope)
            chosen = node.body if is_true(value) else node.otherwise
            new = node.word == "with" and is_true(value)
            _run(chosen, scope.inner(value, boxed=False) if new else scope.inner(scope.dot), out)


def _range(node: Block, scope: _Scope, out: list[str]) -> None:
    value = _pipe(node.pipe, scope, declare=False)
    pairs: list[tuple[Any, Any]]
    if isinstance(value, dict):
        pairs = [(name, value[name]) for name in sorted(value)]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    elif value is MISSING or value is None:
        pairs = []
    else:
        raise TemplateError(f"range can't iterate over {display(value)}")
    if not pairs:
        _run(node.otherwise, scope.inner(scope.dot), out)
    names = node.pipe.variables
    for key, item in pairs:
        scope.room.take()
        inner = scope.inner(item, boxed=True)
        if len(names) == 2:
            inner.variables |= {names[0]: key, names[1]: item}
        elif names:
            inner.variables[names[0]] = item
        _run(node.body, inner, out)


def _pipe(pipe: Pipe, scope: _Scope, declare: bool = True) -> Any:
    value: Any = None
    for at, command in enumerate(pipe.commands):
        value = _command(command, scope, [value] if at else [])
    if declare:
        scope.variables.update(dict.fromkeys(pipe.variables, value))
    return value


def _command(command: Command, scope: _Scope, last: list[Any]) -> Any:
    first = command.operands[0]
    scope.at(first)
    if first.kind != "function":
        if len(command.operands) > 1 or last:
            raise TemplateError(f"can't give argument to non-function {first.text}")
        return _operand(first, scope)
    if first.text in ("and", "or"):
        return _lazily(first.text == "and", [*command.operands[1:]], scope, last)
    arguments = [_operand(operand, scope) for operand in command.operands[1:]]
    scope.at(command)
    return scope.call(first.text, [*arguments, *last])


def _lazily(both: bool, operands: list[Operand], scope: _Scope, last: list[Any]) -> Any:
    """`and` and `or` stop at the first operand that decides."""
    value: Any = None
    for operand in operands:
        value = _operand(operand, scope)
        if is_true(value) != both:
            return value
    return last[0] if last else value


def _operand(operand: Operand, scope: _Scope) -> Any:
    scope.at(operand)
    if operand.kind == "value":
        return operand.value
    if operand.kind == "function":
        return scope.call(operand.text, [])
    if operand.kind == "pipe":
        value = _pipe(operand.value, scope)
    elif operand.kind == "variable":
        if operand.text not in scope.variables:
            raise TemplateError(f'undefined variable "{operand.text}"')
        value = scope.variables[operand.text]
    else:
        value = scope.dot
    scope.at(operand)
    for depth, name in enumerate(operand.path):
        boxed = depth > 0 or (operand.kind == "dot" and scope.boxed)
        value = _field(value, name, scope.strict, boxed)
    return value


def _field(value: Any, name: str, strict: bool, boxed: bool) -> Any:
    if value is MISSING or value is None:
        if strict:
            raise TemplateError(f"nil pointer evaluating interface {{}}.{name}")
        return MISSING
    if not isinstance(value, dict):
        kind = "interface {}" if boxed else functions.go_type(value)
        raise TemplateError(f"can't evaluate field {name} in type {kind}")
    if name not in value and strict:
        raise TemplateError(f'map has no entry for key "{name}"')
    return value.get(name, MISSING)
