"""Expansion of words: parameters, command substitution, arithmetic, field splitting and patterns of file names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Protocol

from aiops_gym.sim.machine.scripts import arithmetic
from aiops_gym.sim.machine.scripts.parser import ScriptError, find_expansion_end
from aiops_gym.types import Json

PARAMETER = re.compile(r"(#?)(\w+|[?$!#@*-])(?:(:?[-=+?]|%%?|##?)(.*))?$", re.DOTALL)
LONGEST = 200_000
"""Characters of a word; a shell that makes longer ones has run out of memory."""


class Scope(Protocol):
    """What expansion needs of a task."""

    def get(self, name: str) -> str | None:
        """Value of a parameter, None if it is unset."""

    def set(self, name: str, value: str) -> None:
        """Give a variable a value."""

    def substitute(self, script: str) -> str:
        """What a script prints."""

    def paths(self) -> Sequence[str]:
        """All files and folders."""

    def arguments(self) -> list[str]:
        """Positional parameters."""


def expand_fields(words: Sequence[Sequence[Json]], scope: Scope) -> list[str]:
    """The arguments that words become."""
    return [field for word in words for field in _fields(word, scope)]


def expand_text(word: Sequence[Json], scope: Scope) -> str:
    """A word that is not split: of an assignment or a redirection."""
    return "".join(_expanded(kind, part, scope) for kind, part in word)


def expand_pattern(word: Sequence[Json], scope: Scope) -> str:
    """A word as a pattern of `case`: quoted stars mean themselves."""
    parts = [(kind, _expanded(kind, part, scope)) for kind, part in word]
    return "".join(found if kind == "bare" else re.sub(r"([*?\[])", r"[\1]", found) for kind, found in parts)


def _fields(word: Sequence[Json], scope: Scope) -> list[str]:
    if len(word) == 1 and word[0][0] == "double" and word[0][1] in ("$@", "${@}"):
        return scope.arguments()
    found, open_, quoted = list[str](), "", False
    for kind, part in word:
        value = _expanded(kind, part, scope)
        if kind != "bare" or ("$" not in part and "`" not in part):
            open_, quoted = open_ + value, quoted or kind != "bare"
            continue
        pieces = value.split()
        if value[:1].isspace() and open_:
            found.append(open_)
            open_ = ""
        if len(pieces) > 1:
            found += [open_ + pieces[0], *pieces[1:-1]]
            open_ = pieces[-1]
        else:
            open_ += pieces[0] if pieces else ""
        if value[-1:].isspace() and open_:
            found.append(open_)
            open_ = ""
    if open_ or quoted:
        found.append(open_)
    bare = all(kind == "bare" for kind, _ in word)
    return [name for field in found for name in (_glob(field, scope) if bare else [field])]


def _glob(field: str, scope: Scope) -> list[str]:
    if not any(sign in field for sign in "*?["):
        return [field]
    depth = field.count("/")
    return sorted(p for p in scope.paths() if p.count("/") == depth and fnmatchcase(p, field)) or [field]


def _expanded(kind: str, part: str, scope: Scope) -> str:
    if kind == "single":
        return part
    if kind == "bare" and part.startswith("~") and part[1:2] in ("", "/"):
        part = (scope.get("HOME") or "/root") + part[1:]
    found, at = "", 0
    while at < len(part):
        if kind == "double" and part[at] == "\\" and part[at + 1 : at + 2] in ("$", "`", '"', "\\", "\n"):
            found += part[at + 1].replace("\n", "")
            at += 2
        elif part[at] in "$`":
            end = find_expansion_end(part, at)
            found += _expansion(part[at:end], scope)
            at = end
        else:
            found += part[at]
            at += 1
        if len(found) > LONGEST:
            raise ScriptError("Out of space")
    return found


def _expansion(piece: str, scope: Scope) -> str:
    if piece.startswith("$((") and piece.endswith("))"):
        return str(arithmetic.evaluate(_expanded("double", piece[3:-2], scope), scope.get, scope.set))
    if piece.startswith("$("):
        return scope.substitute(piece[2:-1]).rstrip("\n")
    if piece.startswith("`"):
        return scope.substitute(piece[1:-1]).rstrip("\n")
    if piece.startswith("${"):
        return _parameter(piece[2:-1], scope)
    return _plain(piece[1:], scope) if len(piece) > 1 else piece


def _plain(name: str, scope: Scope) -> str:
    found = scope.get(name)
    if found is None and name not in ("@", "*", "!") and "u" in (scope.get("-") or ""):
        raise ScriptError(f"{name}: parameter not set")
    return found or ""


def _parameter(inner: str, scope: Scope) -> str:
    match = PARAMETER.match(inner)
    if match is None:
        raise ScriptError("Bad substitution")
    length, name, sign, rest = match[1], match[2], match[3] or "", match[4] or ""
    value = scope.get(name)
    if length:
        return str(len(value or ""))
    if sign in ("%", "%%", "#", "##"):
        return _trimmed(value or "", sign, _expanded("double", rest, scope))
    missing = value is None or (sign.startswith(":") and value == "")
    if sign.endswith("+"):
        return "" if missing else _expanded("double", rest, scope)
    if missing and sign:
        default = _expanded("double", rest, scope)
        if sign.endswith("="):
            scope.set(name, default)
        if sign.endswith("?"):
            raise ScriptError(f"{name}: {default or 'parameter not set'}")
        return default
    return _plain(name, scope)


def _trimmed(value: str, sign: str, wanted: str) -> str:
    """`${x%pattern}` and its like: the shortest or longest match cut from the end or the beginning."""
    cuts = range(len(value) + 1) if sign in ("#", "%%") else range(len(value), -1, -1)
    for cut in cuts:
        piece = value[:cut] if sign[0] == "#" else value[cut:]
        if fnmatchcase(piece, wanted):
            return value[cut:] if sign[0] == "#" else value[:cut]
    return value
