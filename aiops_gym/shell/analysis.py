"""What a script would do, from its text alone: the commands in it, and whether it can change files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from bashkit import Bash, BashError

from aiops_gym import caches
from aiops_gym.shell.awk import only_prints
from aiops_gym.shell.disk import make_absolute
from aiops_gym.shell.heavy import AWKS, ENDLESS, YQS, may_be_endless, may_start
from aiops_gym.shell.words import split_words

READERS = split_words(
    """
    : [ [[ true false test echo printf cat head tail grep egrep fgrep rg wc uniq cut tr rev tac nl fold column
    paste join comm diff cmp seq expr basename dirname realpath readlink pwd cd ls stat du df free date sleep
    env printenv id whoami hostname uname uptime ps top jq base64 md5sum sha1sum sha256sum cksum od xxd hexdump
    strings less more which type command hash let read exit return break continue shift set shopt export local
    declare unset alias unalias trap wait jobs true kill kubectl helm curl nc ping nslookup dig host bc numfmt
    tree file getent envsubst
    """
)
"""Commands that change no file by themselves; our own tell when they write."""

FLAT = (
    READERS | split_words("awk gawk mawk sed sort touch mkdir rm mv cp chmod ln tee history mktemp shuf clear")
) - split_words("bc expr test [ let command exec trap alias watch yq tree kill")
"""Commands that start no other and whose work does not nest: the stack of any thread is enough for them."""

LONG = 2_000
_VARYING = re.compile(r"[~$*?\[\]{}`'\"\\]")
_HIDDEN = re.compile(r"(?:\$\{[^}]*|\(\([^)]*|\w\[[^\]]*)(?:\$\(|`)")
"""A command inside an expansion, where the parser does not look."""

_LOOP = re.compile(r"\b(?:for|while|until)\b")

WRAPPERS = split_words("xargs sudo env time timeout nohup nice command exec watch stdbuf")


@dataclass(frozen=True, slots=True)
class Word:
    """One simple command of a script; a word that only running it would tell is None."""

    argv: tuple[str | None, ...]
    in_function: bool


@dataclass(frozen=True, slots=True)
class Script:
    """What is known of a script.

    Attributes:
        error: the interpreter's message when it does not parse.
        bomb: whether functions start each other twice over, in a pipe or in the background.
        writes: whether it may change files other than through our own commands.
        deep: whether it may run what its text does not show, or what nests as deep as its input does; such a script
            needs a deep stack.
        apart: commands that it may run without an end: see `shell.heavy`.
        targets: the files that it may change, where its text tells; None where it does not.
    """

    commands: tuple[Word, ...] = ()
    functions: tuple[str, ...] = ()
    error: str = ""
    writes: bool = False
    bomb: bool = False
    deep: bool = False
    apart: frozenset[str] = frozenset()
    targets: tuple[str, ...] | None = None


@cache
def _analyst() -> Bash:
    return Bash()


@caches.function(256, "parsing a script for what it does")
def analyse(script: str) -> Script:
    """Parse a script without running it."""
    try:
        found = _analyst().analyze(script)
    except BashError as error:
        return Script(error=str(error), writes=True, deep=True, apart=ENDLESS)
    commands = tuple(
        Word((c.name, *c.args), c.context == "function_body") for c in found.commands if not c.is_assignment_only
    )
    paths = [r.path for r in found.redirects if r.is_write and r.path != "/dev/null"]
    functions = tuple(found.functions)
    hidden = _HIDDEN.search(script) is not None
    anywhere = hidden or found.is_opaque or any(may_write(c.argv, functions) for c in commands)
    writes = anywhere or bool(paths)
    targets = None if anywhere else _targets(paths, any("cd" in c.argv for c in commands))
    deep = hidden or any(may_nest(c.argv, functions) for c in commands) or len(script) > LONG
    bomb = _multiplies(functions, commands, script)
    apart = ENDLESS if deep else frozenset[str]().union(*(_endless(c.argv) for c in commands))
    return Script(commands, functions, writes=writes, bomb=bomb, deep=deep, apart=apart, targets=targets)


def _targets(paths: Sequence[str | None], moves: bool) -> tuple[str, ...] | None:
    """The paths from the root, None when one of them is known only when the script runs."""
    if any(p is None or _VARYING.search(p) or (moves and not p.startswith("/")) for p in paths):
        return None
    return tuple(dict.fromkeys(make_absolute(p, "/root") for p in paths if p))


def _multiplies(functions: Sequence[str], commands: Sequence[Word], script: str) -> bool:
    """Whether functions call functions at least twice, one of them in a pipe with another or in the background.

    A function is called before it is defined only where functions call each other round and round.
    """
    calls = [c.argv[0] for c in commands if c.in_function and c.argv[0] in functions]
    looped = len(calls) >= 2 or (calls and _LOOP.search(script) is not None)
    if not looped or not any(_circular(name, script) for name in functions):
        return False
    name = "(?:" + "|".join(re.escape(f) for f in functions) + ")"
    return re.search(rf"(?<![\w.-]){name}\s*(\|\s*{name}(?![\w.-])|&(?!&))", script) is not None


def _circular(function: str, script: str) -> bool:
    """Whether a function is called inside its own definition or before it, as in a ring of functions."""
    name = re.escape(function)
    defined = re.search(rf"(?<![\w.-])(?:function\s+)?{name}\s*(?:\(\s*\)|\s)\s*[{{(]", script)
    if defined is None:
        return True
    used = re.compile(rf"(?<![\w.-]){name}(?![\w.-]|\s*\()")
    body = script[defined.end() : _end(script, defined.end())]
    return used.search(body) is not None or used.search(script[: defined.start()]) is not None


def _end(script: str, start: int) -> int:
    """Where the body that starts here ends, by its brackets."""
    open_ = 1
    for index in range(start, len(script)):
        open_ += (script[index] in "{(") - (script[index] in "})")
        if not open_:
            return index
    return len(script)


def may_nest(argv: Sequence[str | None], functions: Sequence[str] = ()) -> bool:
    """Whether a call may start others, or its work nest as deep as its input does."""
    name, *arguments = argv
    if name in FLAT:
        return False
    if name in ("find", "test", "[", "let"):
        return None in arguments or "-exec" in arguments or "-execdir" in arguments
    if name in ("sudo", "xargs"):
        rest = [a for a in arguments if a is None or not a.startswith("-")]
        return not rest or may_nest(rest, functions)
    return name not in functions


def _endless(argv: Sequence[str | None]) -> frozenset[str]:
    """Commands that a call may run without an end, by their names."""
    name, *arguments = argv
    if name in AWKS and may_start(argv):
        return ENDLESS - AWKS  # what it starts; it has to stay where our commands are
    if name in AWKS or name in YQS:
        return ENDLESS & {name} if may_be_endless(argv) else frozenset()
    if name in ("sudo", "xargs"):
        inner = [a for a in arguments if a is None or not a.startswith("-")]
        return ENDLESS if not ENDLESS.isdisjoint(a for a in inner if a) else frozenset()
    return frozenset()


def may_write(argv: Sequence[str | None], functions: Sequence[str] = ()) -> bool:
    """Whether a call may change files."""
    name, *arguments = argv
    if name is None:
        return True
    if name in READERS or name in functions:
        return False
    if name in WRAPPERS:
        rest = [a for a in arguments if a is not None and not a.startswith("-")]
        return not rest or rest[0] not in READERS
    if name == "sort":
        return any(a is None or a.startswith(("-o", "--output")) for a in arguments)
    if name in ("awk", "gawk", "mawk"):
        return any(a is None or (_redirects(a) and not only_prints(a)) for a in arguments)
    if name == "sed":
        return any(a is None or a.startswith(("-i", "--in-place", "-n -i")) or "w " in a for a in arguments)
    return True


def _redirects(program: str) -> bool:
    return ">" in program and ("print" in program or "system" in program or "|" in program)
