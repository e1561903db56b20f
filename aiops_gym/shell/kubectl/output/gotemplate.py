r"""Go templates, the part of them that is used with `-o go-template=`: fields, range, if, with, variables, functions.

>>> parse('{{range .items}}{{.name}}{{"\\t"}}{{if .ok}}up{{else}}down{{end}}{{"\\n"}}{{end}}').render(
...     {"items": [{"name": "a", "ok": True}, {"name": "b"}]})
'a\tup\nb\tdown\n'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from aiops_gym.shell.kubectl.output import gofunctions
from aiops_gym.shell.kubectl.output.gofunctions import MISSING, TemplateError, truth
from aiops_gym.shell.kubectl.output.gotemplate_parser import Action, Block, Command, Operand, Pipe, Text, parse_nodes
from aiops_gym.shell.kubectl.output.gotext import display

Json = Any
Node = Text | Action | Block

__all__ = ["Template", "TemplateError", "parse"]


@dataclass(slots=True)
class _Scope:
    """What a part of a template sees: the dot and the variables; missing keys are an error when `strict`."""

    root: Json
    dot: Json
    strict: bool
    variables: dict[str, Any] = field(default_factory=dict)

    def inner(self, dot: Json) -> _Scope:
        """The scope of a block with another dot."""
        return _Scope(self.root, dot, self.strict, dict(self.variables))


class Template:
    """A parsed template; it may be run any number of times."""

    def __init__(self, text: str) -> None:
        self.nodes = parse_nodes(text)

    def render(self, data: Json, strict: bool = False) -> str:
        """The text for one object. Raises TemplateError."""
        out: list[str] = []
        _run(self.nodes, _Scope(data, data, strict, {"$": data}), out)
        return "".join(out)


@lru_cache(maxsize=128)
def parse(text: str) -> Template:
    """Parse a template. Raises TemplateError."""
    return Template(text)


def _run(nodes: list[Node], scope: _Scope, out: list[str]) -> None:
    for node in nodes:
        if isinstance(node, Text):
            out.append(node.text)
        elif isinstance(node, Action):
            value = _pipe(node.pipe, scope)
            if not node.pipe.variables:
                out.append("<no value>" if value is MISSING or value is None else display(value))
        elif node.word == "range":
            _range(node, scope, out)
        else:
            value = _pipe(node.pipe, scope)
            chosen = node.body if truth(value) else node.otherwise
            dot = value if node.word == "with" and truth(value) else scope.dot
            _run(chosen, scope.inner(dot), out)


def _range(node: Block, scope: _Scope, out: list[str]) -> None:
    value = _pipe(node.pipe, scope, declare=False)
    pairs: list[tuple[Any, Any]]
    if isinstance(value, dict):
        pairs = [(name, value[name]) for name in sorted(value)]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    elif isinstance(value, int) and not isinstance(value, bool):
        pairs = [(at, at) for at in range(value)]
    elif value is MISSING or value is None:
        pairs = []
    else:
        raise TemplateError(f"range can't iterate over {display(value)}")
    if not pairs:
        _run(node.otherwise, scope.inner(scope.dot), out)
    names = node.pipe.variables
    for key, item in pairs:
        inner = scope.inner(item)
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
    if first.kind != "function":
        if len(command.operands) > 1 or last:
            raise TemplateError(f"can't give argument to non-function {first.text}")
        return _operand(first, scope)
    if first.text in ("and", "or"):
        return _lazily(first.text == "and", [*command.operands[1:]], scope, last)
    arguments = [_operand(operand, scope) for operand in command.operands[1:]]
    return gofunctions.call(first.text, [*arguments, *last])


def _lazily(both: bool, operands: list[Operand], scope: _Scope, last: list[Any]) -> Any:
    """`and` and `or` stop at the first operand that decides."""
    value: Any = None
    for operand in operands:
        value = _operand(operand, scope)
        if truth(value) != both:
            return value
    return last[0] if last else value


def _operand(operand: Operand, scope: _Scope) -> Any:
    if operand.kind == "value":
        return operand.value
    if operand.kind == "function":
        return gofunctions.call(operand.text, [])
    if operand.kind == "pipe":
        value = _pipe(operand.value, scope)
    elif operand.kind == "variable":
        if operand.text not in scope.variables:
            raise TemplateError(f'undefined variable "{operand.text}"')
        value = scope.variables[operand.text]
    else:
        value = scope.dot
    for name in operand.path:
        value = _field(value, name, scope.strict)
    return value


def _field(value: Any, name: str, strict: bool) -> Any:
    if value is MISSING or value is None:
        if strict:
            raise TemplateError(f"nil pointer evaluating interface {{}}.{name}")
        return MISSING
    if not isinstance(value, dict):
        kind = gofunctions.go_type(value)
        raise TemplateError(f"can't evaluate field {name} in type {kind}")
    if name not in value and strict:
        raise TemplateError(f'map has no entry for key "{name}"')
    return value.get(name, MISSING)
