"""The grammar of Go templates: text, actions, blocks, pipelines."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from math import isinf
from typing import Any, Final, NamedTuple

from aiops_gym.sim.golang.functions import FUNCTIONS, TemplateError
from aiops_gym.sim.golang.literals import go_quote, unquote


@dataclass(slots=True)
class Operand:
    """A value of a command: `dot`, `variable`, `value`, `function` or `pipe`, and the fields read from it.

    Attributes:
        source: as it was written.
        at: where, as Go counts: the second field of several.
    """

    kind: str
    text: str = ""
    value: Any = None
    path: tuple[str, ...] = ()
    source: str = ""
    at: int = 0


@dataclass(slots=True)
class Command:
    """A function with its arguments, or one operand."""

    operands: list[Operand]

    @property
    def source(self) -> str:
        """As it was written, a blank between two operands."""
        return " ".join(operand.source for operand in self.operands)

    @property
    def at(self) -> int:
        """Where it begins."""
        return self.operands[0].at


@dataclass(slots=True)
class Pipe:
    """Commands, each fed with the result of the one before; variables that take the result."""

    commands: list[Command]
    variables: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """As it was written, without its variables."""
        return " | ".join(command.source for command in self.commands)


@dataclass(slots=True)
class Text:
    """What is printed as it is."""

    text: str


@dataclass(slots=True)
class Action:
    """A pipeline whose value is printed."""

    pipe: Pipe


@dataclass(slots=True)
class Block:
    """`if`, `with` or `range`; for Helm also `define`."""

    word: str
    pipe: Pipe
    body: list[Text | Action | Block] = field(default_factory=list)
    otherwise: list[Text | Action | Block] = field(default_factory=list)


_ACTION: Final = re.compile(r"\{\{(-(?=\s))?(.*?)((?<=\s)-)?\}\}", re.S)
_TOKEN: Final = re.compile(
    r"""\s+|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<raw>`[^`]*`)|(?P<char>'(?:[^'\\\n]|\\.)+')"""
    r"""|(?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<field>\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"""
    r"""|(?P<variable>\$\w*(?:\.[A-Za-z_]\w*)*)|(?P<word>[A-Za-z_]\w*)|(?P<sign>:=|=|[().|,])"""
)
_NESTED: Final = 100
INT64: Final = 1 << 63
BLOCKS: Final = ("if", "range", "with")
KNOWN: Final = frozenset({*FUNCTIONS, "and", "or"})
Nodes = list[Text | Action | Block]


class Token(NamedTuple):
    """A word of an action and where it begins in the template."""

    kind: str
    text: str
    at: int


def parse_nodes(text: str, blocks: Container[str] = BLOCKS, functions: Container[str] = KNOWN) -> Nodes:
    """The nodes of a template, in which these words open blocks and call functions. Raises TemplateError."""
    root: Nodes = []
    open_blocks: list[tuple[Block, Nodes]] = []
    current = root
    for literal, inside, start in _pieces(text):
        if literal:
            current.append(Text(literal))
        if inside is None:
            continue
        tokens = _tokens(inside, start)
        word = tokens[0][1] if tokens and tokens[0][0] == "word" else ""
        if word in blocks:
            if len(tokens) == 1:
                raise TemplateError(f"template: output:1: missing value for {word}")
            block = Block(word, _Reader(tokens[1:], functions).pipe())
            current.append(block)
            open_blocks.append((block, current))
            if len(open_blocks) > _NESTED:
                raise TemplateError("template: output: nested too deeply")
            current = block.body
        elif word == "else":
            current = _else(tokens[1:], open_blocks, functions)
        elif word == "end":
            if not open_blocks:
                raise TemplateError("template: output:1: unexpected {{end}}")
            block, current = open_blocks.pop()
            while block.word.endswith("+"):
                block.word = block.word[:-1]
                block, current = open_blocks.pop()
        elif tokens:
            current.append(Action(_Reader(tokens, functions).pipe()))
        elif not inside.strip().startswith("/*"):
            raise TemplateError("template: output:1: missing value for command")
    if open_blocks:
        raise TemplateError("template: output:1: unexpected EOF")
    return root


def _else(tokens: list[Token], open_blocks: list[tuple[Block, Nodes]], functions: Container[str]) -> Nodes:
    """The branch that `else` or `else if` opens."""
    if not open_blocks:
        raise TemplateError("template: output:1: unexpected {{else}}")
    block, _ = open_blocks[-1]
    if not tokens:
        return block.otherwise
    if len(open_blocks) >= _NESTED:
        raise TemplateError("template: output: nested too deeply")
    nested = Block(tokens[0][1] + "+", _Reader(tokens[1:], functions).pipe())
    block.otherwise.append(nested)
    open_blocks.append((nested, block.otherwise))
    return nested.body


def _pieces(text: str) -> list[tuple[str, str | None, int]]:
    """Texts, each with the action that follows it and where that begins."""
    found: list[tuple[str, str | None, int]] = []
    at, trim = 0, False
    for match in _ACTION.finditer(text):
        literal = text[at : match.start()]
        literal = literal.lstrip() if trim else literal
        found.append((literal.rstrip() if match[1] else literal, match[2], match.start(2)))
        at, trim = match.end(), bool(match[3])
    rest = text[at:].lstrip() if trim else text[at:]
    if "{{" in rest:
        raise TemplateError("template: output:1: unclosed action")
    return [*found, (rest, None, at)]


def _tokens(text: str, start: int) -> list[Token]:
    if text.strip().startswith("/*"):
        return []
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise TemplateError(f"template: output:1: unexpected {go_quote(text[at])} in command")
        if match.lastgroup:
            found.append(Token(match.lastgroup, match[0], start + at))
        at = match.end()
    return found


class _Reader:
    """Reads a pipeline from tokens."""

    def __init__(self, tokens: list[Token], functions: Container[str]) -> None:
        self.tokens = tokens
        self.functions = functions
        self.at = 0
        self.depth = 0

    def pipe(self) -> Pipe:
        """A whole pipeline with its declarations."""
        variables = self._declared()
        found = Pipe(self._commands(), variables)
        if self.at < len(self.tokens):
            raise TemplateError(f"template: output:1: unexpected {go_quote(self.tokens[self.at].text)} in command")
        return found

    def _declared(self) -> tuple[str, ...]:
        words = [token.text for token in self.tokens[:4]]
        kinds = [token.kind for token in self.tokens[:4]]
        if kinds[:1] == ["variable"] and words[1:2] in ([":="], ["="]):
            self.at = 2
            return (words[0],)
        if kinds[:1] == ["variable"] and words[1:2] == [","] and words[3:4] == [":="]:
            self.at = 4
            return (words[0], words[2])
        return ()

    def _commands(self) -> list[Command]:
        commands = [self._command()]
        while self._next("|"):
            commands.append(self._command())
        return commands

    def _command(self) -> Command:
        operands: list[Operand] = []
        while self.at < len(self.tokens) and self.tokens[self.at].text not in ("|", ")"):
            operands.append(self._operand())
        if not operands:
            raise TemplateError("template: output:1: missing value for command")
        return Command(operands)

    def _next(self, sign: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at][:2] == ("sign", sign):
            self.at += 1
            return True
        return False

    def _operand(self) -> Operand:
        token = self.tokens[self.at]
        found = self._read()
        fields = token.text.find(".", 1) if token.kind in ("field", "variable") else -1
        found.at = token.at + max(fields, 0)
        found.source = found.source or token.text
        return found

    def _read(self) -> Operand:
        kind, text, _ = self.tokens[self.at]
        self.at += 1
        if kind == "field":
            return Operand("dot", path=tuple(text[1:].split(".")))
        if kind == "variable":
            name, *steps = text.split(".")
            return Operand("variable", name, path=tuple(steps))
        if kind in ("string", "raw", "char"):
            value: Any = text[1:-1] if kind == "raw" else unquote(text[1:-1], text[0])
            if kind == "char" and len(value) != 1:
                raise TemplateError(f"template: output:1: malformed character constant: {text}")
            return Operand("value", text, ord(value) if kind == "char" else value)
        if kind == "number":
            return Operand("value", text, _number(text))
        if kind == "word":
            return self._word(text)
        if text == ".":
            return Operand("dot")
        if text == "(":
            self.depth += 1
            if self.depth > _NESTED:
                raise TemplateError("template: output:1: max expression depth exceeded")
            inner = Pipe(self._commands())
            self.depth -= 1
            if not self._next(")"):
                raise TemplateError("template: output:1: unclosed left paren")
            path: tuple[str, ...] = ()
            tail = ""
            if self.at < len(self.tokens) and self.tokens[self.at].kind == "field":
                tail = self.tokens[self.at].text
                path = tuple(tail[1:].split("."))
                self.at += 1
            return Operand("pipe", value=inner, path=path, source=f"({inner.source}){tail}")
        raise TemplateError(f"template: output:1: unexpected {go_quote(text)} in operand")

    def _word(self, text: str) -> Operand:
        if text in ("true", "false"):
            return Operand("value", text, text == "true")
        if text == "nil":
            return Operand("value", text, None)
        if text not in self.functions:
            raise TemplateError(f"template: output:1: function {go_quote(text)} not defined")
        return Operand("function", text)


def _number(text: str) -> int | float:
    """A number of a template. Raises TemplateError."""
    if any(letter in text for letter in ".eE"):
        value = float(text)
        if isinf(value):
            raise TemplateError(f"template: output:1: illegal number syntax: {go_quote(text)}")
        return value
    if len(text) > len(str(INT64)) + 1 or not -INT64 <= int(text) < INT64:
        raise TemplateError(f"template: output:1: integer overflow: {go_quote(text)}")
    return int(text)
