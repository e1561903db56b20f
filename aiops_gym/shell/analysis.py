"""What a script would do, from its text alone: the commands in it, and whether it can change files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from bashkit import Bash, BashError

from aiops_gym.shell.words import words

READERS = words(
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

WRAPPERS = words("xargs sudo env time timeout nohup nice command exec watch stdbuf")


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
        bomb: whether a function starts itself twice over, in a pipe or in the background.
        writes: whether it may change files other than through our own commands.
    """

    commands: tuple[Word, ...] = ()
    functions: tuple[str, ...] = ()
    error: str = ""
    writes: bool = False
    bomb: bool = False


@lru_cache(maxsize=1)
def _analyst() -> Bash:
    return Bash()


@lru_cache(maxsize=256)
def analyse(script: str) -> Script:
    """Parse a script without running it."""
    try:
        found = _analyst().analyze(script)
    except BashError as error:
        return Script(error=str(error), writes=True)
    commands = tuple(
        Word((c.name, *c.args), c.context == "function_body") for c in found.commands if not c.is_assignment_only
    )
    writes = found.is_opaque or any(r.is_write and r.path != "/dev/null" for r in found.redirects)
    functions = tuple(found.functions)
    writes = writes or any(_may_write(c.argv, functions) for c in commands)
    return Script(commands, functions, writes=writes, bomb=any(_multiplies(f, commands, script) for f in functions))


def _multiplies(function: str, commands: Sequence[Word], script: str) -> bool:
    calls = sum(1 for command in commands if command.in_function and command.argv[0] == function)
    name = re.escape(function)
    return calls >= 2 and re.search(rf"(?<![\w.-]){name}\s*(\|\s*{name}(?![\w.-])|&(?!&))", script) is not None


def _may_write(argv: Sequence[str | None], functions: Sequence[str]) -> bool:
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
        return any(a is None or (">" in a and ("print" in a or "system" in a or "|" in a)) for a in arguments)
    if name == "sed":
        return any(a is None or a.startswith(("-i", "--in-place", "-n -i")) or "w " in a for a in arguments)
    return True
