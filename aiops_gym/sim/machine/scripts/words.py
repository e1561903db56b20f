"""Expansion of words: braces, parameters, commands, arithmetic, field splitting and patterns of file names.

Reference: Bash manual, 3.5; POSIX, Shell Command Language, 2.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aiops_gym.sim.machine.scripts import braces, parameters, patterns
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.scope import Scope
from aiops_gym.types import Json

WRITTEN, FOUND, QUOTED = range(3)


class Assigned(str):
    """A field that a declaring command is given: `name` alone, and what is assigned to it.

    Attributes:
        assignment: as the parser has it; its values are expanded where they are assigned.
    """

    assignment: Json


def expand_fields(words: Sequence[Sequence[Json]], scope: Scope) -> list[str]:
    """The arguments that words become. Raises ScriptError."""
    found: list[str] = []
    for word in words:
        kind, text = word[0][:2]
        if len(word) == 1 and kind in ("lit", "quo") and (not patterns.SIGNS.search(text) or text == "["):
            found.append(word[0][1])
        elif word[0][0] == "brc":
            found += [field for each in braces.expand(word[0][1]) for field in _fields(each, scope)]
        elif word[0][0] == "asg":
            found.append(_assigned(word[0][1], scope))
        else:
            found += _fields(word, scope)
    return found


def _assigned(assignment: Json, scope: Scope) -> Assigned:
    name, index, added, value = assignment
    if value and value[0] != "array":
        value = [["quo", expand_text(value, scope)]]
    found = Assigned(name)
    found.assignment = [name, index, added, value]
    return found


def expand_text(word: Sequence[Json], scope: Scope) -> str:
    """A word that is not split: of an assignment or a redirection. Raises ScriptError."""
    if len(word) == 1 and word[0][0] in ("lit", "quo"):
        return str(word[0][1])
    found = "".join(text for part in word for text, _ in _pieces(part, scope, False))
    if len(found) > scope.longest:
        raise ScriptError("Out of space", "xrealloc: cannot allocate memory")
    return found


def expand_pattern(word: Sequence[Json], scope: Scope) -> str:
    """A word as a pattern: what is quoted means itself. Raises ScriptError."""
    pieces = [piece for part in word for piece in _pieces(part, scope, False)]
    return "".join(patterns.quote(text) if how == QUOTED else text for text, how in pieces)


def expand_regex(word: Sequence[Json], scope: Scope) -> str:
    """A word as a regular expression: likewise. Raises ScriptError."""
    pieces = [piece for part in word for piece in _pieces(part, scope, False)]
    return "".join(re.sub(r"([^\w\s])", r"\\\1", text) if how == QUOTED else text for text, how in pieces)


def _fields(word: Sequence[Json], scope: Scope) -> list[str]:
    separators = scope.separators
    fields = _Fields(scope)
    for part in word:
        if part[0] == "dq":
            _add_quoted(part[1], scope, fields)
        elif part[0] == "par" and parameters.is_many(part := parameters.resolve(part, scope)):
            for number, value in enumerate(parameters.expand_many(part, scope)):
                fields.end() if number else None
                fields.split(value, separators)
        else:
            for text, how in _pieces(part, scope, False):
                if how == FOUND:
                    fields.split(text, separators)
                else:
                    fields.add(text, how == QUOTED)
    fields.end()
    return fields.found


def _add_quoted(inner: Sequence[Json], scope: Scope, fields: _Fields) -> None:
    """What stands in double quotes: one field, or as many as `$@` has."""
    nothing = bool(inner)
    for part in inner:
        if part[0] == "par" and parameters.is_many(part := parameters.resolve(part, scope), quoted=True):
            for number, value in enumerate(parameters.expand_many(part, scope)):
                fields.end() if number else None
                fields.add(value, quoted=True)
            continue
        nothing = False
        for text, _ in _pieces(part, scope, True):
            fields.add(text, quoted=True)
    if not nothing:
        fields.add("", quoted=True)


class _Fields:
    """The fields of a word, as far as they are known; quoted parts of patterns mean themselves."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.found: list[str] = []
        self.text: list[str] | None = None
        self.pattern: list[str] = []
        self.size = 0

    def add(self, text: str, quoted: bool) -> None:
        if text or quoted:
            self.text = self.text or []
            self.text.append(text)
            self.pattern.append(patterns.quote(text) if quoted else text)
            self.size += len(text)
            if self.size > self.scope.longest:
                raise ScriptError("Out of space", "xrealloc: cannot allocate memory")

    def end(self) -> None:
        if self.text is not None:
            self.found += self.scope.glob("".join(self.text), "".join(self.pattern))
        self.text, self.pattern = None, []

    def split(self, text: str, separators: str) -> None:
        """Text of an expansion: blanks that separate count once, other signs each time."""
        if not separators:
            self.add(text, quoted=False)
            return
        blank = "".join(sign for sign in separators if sign.isspace())
        at = 0
        if text[:1] in blank and text:
            self.end()
            at = len(text) - len(text.lstrip(blank))
        while at < len(text):
            start = at
            while at < len(text) and text[at] not in separators:
                at += 1
            self.add(text[start:at], quoted=False)
            if at >= len(text):
                break
            while at < len(text) and text[at] in blank:
                at += 1
            if at < len(text) and text[at] in separators:
                at += 1
                self.text = self.text or []
                while at < len(text) and text[at] in blank:
                    at += 1
            self.end()


def _pieces(part: Json, scope: Scope, quoted: bool) -> Iterator[tuple[str, int]]:
    """Pieces of a part, and whether they are written there, come from an expansion or are quoted."""
    kind, value = part[0], part[1]
    if kind == "lit":
        yield value, QUOTED if quoted else WRITTEN
    elif kind == "quo":
        yield value, QUOTED
    elif kind == "dq":
        yield "".join(text for each in value for text, _ in _pieces(each, scope, True)), QUOTED
    elif kind == "par":
        yield from _parameter(part, scope, quoted)
    elif kind == "sub":
        yield scope.substitute(value), QUOTED if quoted else FOUND
    elif kind == "ari":
        yield str(scope.calculate(expand_text(value, scope))), QUOTED if quoted else FOUND
    elif kind == "til":
        yield _home(value, scope), QUOTED
    elif kind == "pro":
        yield scope.open_process(value, part[2]), QUOTED
    else:
        raise ScriptError("Bad substitution", f"{value}: bad substitution")


def _parameter(part: Json, scope: Scope, quoted: bool) -> Iterator[tuple[str, int]]:
    chosen = parameters.choose(part, scope)
    if chosen is not None:  # a word in place of the value
        for each in chosen:
            for text, how in _pieces(each, scope, quoted):
                yield text, FOUND if how == WRITTEN else how
        return
    yield parameters.expand(part, scope), QUOTED if quoted else FOUND


def _home(user: str, scope: Scope) -> str:
    if user in ("+", "-"):
        return scope.get("PWD" if user == "+" else "OLDPWD") or f"~{user}"
    if user:
        return "/root" if user == "root" else f"~{user}"
    home = scope.get("HOME")
    return "/root" if home is None else home


def split_line(line: str, most: int, separators: str, raw: bool) -> list[str]:
    """A line as `read` gives it to so many variables, the last of which gets the rest."""
    blank = "".join(sign for sign in separators if sign.isspace())
    found: list[str] = []
    line = line.lstrip(blank) if blank else line
    while line and len(found) < most - 1:
        at, field = 0, ""
        while at < len(line) and line[at] not in separators:
            at += line[at] == "\\" and not raw
            field += line[at : at + 1]
            at += 1
        found.append(field)
        line = line[at:].lstrip(blank) if blank else line[at:]
        if line[:1] and line[0] in separators:
            line = line[1:].lstrip(blank) if blank else line[1:]
    rest = line.rstrip(blank) if blank else line
    if separators.strip() and rest[-1:] in separators and rest[:-1] and not any(s in rest[:-1] for s in separators):
        rest = rest[:-1]
    return [*found, rest if raw else re.sub(r"\\(.?)", r"\1", rest)] if line else found
