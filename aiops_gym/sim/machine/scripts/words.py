"""Expansion of words: parameters, command substitution, arithmetic, field splitting and patterns of file names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from aiops_gym.sim.machine.scripts import arithmetic
from aiops_gym.sim.machine.scripts.parser import ScriptError, find_expansion_end, parse_inner
from aiops_gym.sim.machine.scripts.scope import Scope
from aiops_gym.types import Json

PARAMETER = re.compile(r"(#?)(\w+|[?$!#@*-])(?:(:?[-=+?]|%%?|##?)(.*))?$", re.DOTALL)
WRITTEN, FOUND, QUOTED = range(3)
LONGEST = 200_000
"""Characters of a word; a shell that makes longer ones has run out of memory."""


def expand_fields(words: Sequence[Sequence[Json]], scope: Scope) -> list[str]:
    """The arguments that words become."""
    return [field for word in words for field in _fields(word, scope)]


def expand_text(word: Sequence[Json], scope: Scope) -> str:
    """A word that is not split: of an assignment or a redirection."""
    return "".join(_expanded(kind, part, scope) for kind, part in word)


def expand_pattern(word: Sequence[Json], scope: Scope) -> str:
    """A word as a pattern of `case`: quoted stars mean themselves."""
    parts = [(kind, _expanded(kind, part, scope)) for kind, part in word]
    return "".join(found if kind == "bare" else _quoted(found) for kind, found in parts)


def _fields(word: Sequence[Json], scope: Scope) -> list[str]:
    if len(word) == 1 and word[0][0] == "single":
        return [word[0][1]]
    separators = _separators(scope)
    fields = _Fields(scope)
    for kind, part in word:
        if kind == "double" and _ALL.search(part):
            before, _, after = _ALL.sub("\0", part, count=1).partition("\0")
            arguments = scope.arguments()
            if arguments or before or after:
                pieces = [_expanded(kind, before, scope) + (arguments[:1] or [""])[0], *arguments[1:]]
                pieces[-1] += _expanded(kind, after, scope)
                for index, piece in enumerate(pieces):
                    fields.end() if index else None
                    fields.add(piece, quoted=True)
            continue
        if kind != "bare":
            fields.add(_expanded(kind, part, scope), quoted=True)
            continue
        for piece, how in _pieces(kind, part, scope):
            if how == FOUND:
                fields.split(piece, separators)
            else:
                fields.add(piece, how == QUOTED)
    fields.end()
    return fields.found


_ALL = re.compile(r"\$(?:@|\{@\})")


def _separators(scope: Scope) -> str:
    given = scope.get("IFS")
    return " \t\n" if given is None else given


class _Fields:
    """The fields of a word, as far as they are known; quoted parts of patterns mean themselves."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.found: list[str] = []
        self.text: str | None = None
        self.pattern = ""

    def add(self, text: str, quoted: bool) -> None:
        if text or quoted:
            self.text = (self.text or "") + text
            self.pattern += _quoted(text) if quoted else text

    def end(self) -> None:
        if self.text is not None:
            self.found += _glob(self.text, self.pattern, self.scope)
        self.text, self.pattern = None, ""

    def split(self, text: str, separators: str) -> None:
        """Text of an expansion: blanks that separate count once, other signs each time."""
        blank = "".join(sign for sign in separators if sign.isspace())
        at, ended = 0, False
        while at < len(text):
            start = at
            while at < len(text) and text[at] not in separators:
                at += 1
            self.add(text[start:at], quoted=False)
            ended, start = at < len(text), at
            while at < len(text) and text[at] in blank:
                at += 1
            if at < len(text) and text[at] in separators:
                at += 1
                self.text = self.text or ""
                while at < len(text) and text[at] in blank:
                    at += 1
            if ended:
                self.end()


def split_line(line: str, most: int, separators: str, raw: bool) -> list[str]:
    """A line as `read` gives it to so many variables, the last of which gets the rest."""
    blank = "".join(sign for sign in separators if sign.isspace())
    found: list[str] = []
    line = line.lstrip(blank)
    while line and len(found) < most - 1:
        at, field = 0, ""
        while at < len(line) and line[at] not in separators:
            at += line[at] == "\\" and not raw
            field += line[at : at + 1]
            at += 1
        found.append(field)
        line = line[at:].lstrip(blank)
        if line[:1] and line[0] in separators:
            line = line[1:].lstrip(blank)
    rest = line.rstrip(blank)
    if separators.strip() and rest[-1:] in separators and rest[:-1] and not any(s in rest[:-1] for s in separators):
        rest = rest[:-1]
    return [*found, rest if raw else re.sub(r"\\(.?)", r"\1", rest)] if line else found


def _glob(field: str, pattern: str, scope: Scope) -> list[str]:
    if not any(sign in pattern for sign in "*?[") or "f" in (scope.get("-") or "") or pattern == _quoted(field):
        return [field]
    cwd, depth = scope.get("PWD") or "/", pattern.count("/")
    prefix = "" if pattern.startswith("/") else f"{cwd.rstrip('/')}/"
    names = [path.removeprefix(prefix) for path in scope.paths() if path.startswith(prefix)]
    found = sorted(name for name in names if name.count("/") == depth and _matches(name, pattern))
    return found or [field]


def _matches(name: str, pattern: str) -> bool:
    """Whether a path fits, part by part; a dot at the beginning of a name has to be written."""
    pairs = zip(name.split("/"), pattern.split("/"), strict=True)
    return all(fnmatchcase(one, other) and (one[:1] != "." or other[:1] == ".") for one, other in pairs)


def _quoted(text: str) -> str:
    """A text as a pattern of itself."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _expanded(kind: str, part: str, scope: Scope) -> str:
    if kind == "single":
        return part
    if kind == "ansi":
        return part if scope.dialect != "dash" else "$" + part
    return "".join(text for text, _ in _pieces(kind, part, scope))


def _pieces(kind: str, part: str, scope: Scope) -> Iterator[tuple[str, int]]:
    """Pieces of a part, and whether they are written there, come from an expansion or are quoted within one."""
    if kind == "bare" and part.startswith("~") and part[1:2] in ("", "/"):
        yield scope.get("HOME") or "/root", WRITTEN
        part = part[1:]
    at = size = 0
    while at < len(part):
        text, how = part[at], WRITTEN
        if kind != "bare" and part[at] == "\\" and part[at + 1 : at + 2] in ("$", "`", '"', "\\", "\n"):
            literal = kind == "body" and part[at + 1] == '"'
            text, at = '\\"' if literal else part[at + 1].replace("\n", ""), at + 2
        elif part[at] in "$`":
            end = find_expansion_end(part, at)
            piece, at = part[at:end], end
            if kind == "bare" and piece.startswith("${") and (chosen := _chosen(piece[2:-1], scope)):
                yield from _within(chosen, scope)
                continue
            text, how = _expansion(piece, scope, kind != "bare"), FOUND if len(piece) > 1 else WRITTEN
        else:
            end = next((i for i in range(at + 1, len(part)) if part[i] in "$`\\"), len(part))
            text, at = part[at:end], end
        size += len(text)
        if size > LONGEST:
            raise ScriptError("Out of space")
        yield text, how


def _within(parts: Sequence[Json], scope: Scope) -> Iterator[tuple[str, int]]:
    for kind, part in parts:
        for text, _ in _pieces(kind, part, scope) if kind == "bare" else [(_expanded(kind, part, scope), QUOTED)]:
            yield text, FOUND if kind == "bare" else QUOTED


def _chosen(inner: str, scope: Scope) -> Sequence[Json]:
    """The parts of the word in `${name:-word}` and `${name:+word}` where it is taken; nothing for other expansions."""
    match = PARAMETER.match(inner)
    if match is None or match[1] or match[3] not in ("-", ":-", "+", ":+"):
        return ()
    value = scope.get(match[2])
    missing = value is None or (match[3][0] == ":" and value == "")
    return parse_inner(match[4]) if missing == match[3].endswith("-") else ()


def _expansion(piece: str, scope: Scope, quoted: bool) -> str:
    if piece.startswith("$((") and piece.endswith("))"):
        return str(arithmetic.evaluate(_expanded("double", piece[3:-2], scope), scope.get, scope.set))
    if piece.startswith("$("):
        return scope.substitute(piece[2:-1]).rstrip("\n")
    if piece.startswith("`"):
        inner = re.sub(r"\\([$`\\\"])" if quoted else r"\\([$`\\])", r"\1", piece[1:-1])
        return scope.substitute(inner).rstrip("\n")
    if piece.startswith("${"):
        return _parameter(piece[2:-1], scope, quoted)
    if piece == "$*":
        return (_separators(scope)[:1] if quoted else " ").join(scope.arguments())
    return _plain(piece[1:], scope) if len(piece) > 1 else piece


def _plain(name: str, scope: Scope) -> str:
    found = scope.get(name)
    if found is None and name not in ("@", "*", "!") and "u" in (scope.get("-") or ""):
        raise ScriptError(f"{name}: parameter not set")
    return found or ""


def _parameter(inner: str, scope: Scope, quoted: bool) -> str:
    match = PARAMETER.match(inner)
    if match is None:
        raise ScriptError("Bad substitution")
    length, name, sign, rest = match[1], match[2], match[3] or "", match[4] or ""
    value = scope.get(name)
    if length:
        return str(len(value or ""))
    if sign in ("%", "%%", "#", "##"):
        return _trimmed(value or "", sign, expand_pattern(parse_inner(rest), scope))
    missing = value is None or (sign.startswith(":") and value == "")
    if sign.endswith("+"):
        return "" if missing else _inner(rest, scope, quoted)
    if missing and sign:
        default = _inner(rest, scope, quoted)
        if sign.endswith("="):
            scope.set(name, default)
        if sign.endswith("?"):
            raise ScriptError(f"{name}: {default or 'parameter not set'}")
        return default
    return _plain(name, scope)


def _word(text: str) -> Sequence[Json]:
    """Parts of what stands within an expansion, where blanks do not end a word."""
    return parse_inner(text)


def _inner(text: str, scope: Scope, quoted: bool) -> str:
    """A word within an expansion; in double quotes, single ones mean themselves."""
    parts = [["double", text.replace('"', "")]] if quoted else parse_inner(text)
    return expand_text(parts, scope)


def _trimmed(value: str, sign: str, wanted: str) -> str:
    """`${x%pattern}` and its like: the shortest or longest match cut from the end or the beginning."""
    cuts = range(len(value) + 1) if sign in ("#", "%%") else range(len(value), -1, -1)
    for cut in cuts:
        piece = value[:cut] if sign[0] == "#" else value[cut:]
        if fnmatchcase(piece, wanted):
            return value[cut:] if sign[0] == "#" else value[:cut]
    return value
