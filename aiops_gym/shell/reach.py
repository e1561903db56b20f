"""Which files the interpreter can reach while it runs a script, from the text of the script alone.

Most scripts of an agent are a pipe of a few well-known commands, which reach no file, or those that they name. Whatever
is written in any other way may reach any file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import dirname

from aiops_gym import caches
from aiops_gym.shell.awk import only_prints
from aiops_gym.shell.disk import Reach, make_absolute

_BARE = r"[\w./:=,@%+*-]"
_WORD = re.compile(rf"(?:'[^']*'|{_BARE})+", re.ASCII)
_COMMAND = re.compile(rf"((?:'[^']*'|{_BARE}|[ ])+)(?:[|;]|$)", re.ASCII)

CALLING = frozenset({"kubectl", "helm", "sleep"})
"""Commands of ours: they ask for each file that they read."""

OPTIONS: Mapping[str, re.Pattern[str]] = {
    "awk": re.compile(r"-F."),
    "cat": re.compile(r"-n"),
    "grep": re.compile(r"-[EFivcowhHnx]+"),
    "head": re.compile(r"-n?\d+"),
    "sed": re.compile(r"-[Er]"),
    "sort": re.compile(r"-[nru]+|-t.|-k[\d.,nr]+"),
    "tail": re.compile(r"-n?\d+"),
    "uniq": re.compile(r"-[cdu]"),
    "wc": re.compile(r"-[lwc]"),
}
"""Commands of the interpreter, with options that name no file."""

PROGRAMMED = frozenset({"awk", "grep", "sed"})
"""Those whose first word says what to do."""

_SUBSTITUTIONS = re.compile(r"(?:\s*s/(?:[^/\\\n]|\\[^\n])*/(?:[^/\\\n]|\\[^\n])*/[gIi0-9]*\s*(?:;|$))+")


@caches.function(512, "finding what a script can reach")
def reach(script: str) -> Reach | None:
    """What can be reached; None where that may be anything.

    >>> reach("kubectl get pods -o jsonpath='{.items}' | sed 's/a/b/g'")
    Reach(paths=(), patterns=())
    >>> reach("cat *.csv /tmp/a | sort -u")
    Reach(paths=('/tmp/a',), patterns=('/root/*.csv',))
    >>> [reach(each) for each in ("ls", "cat $x", "sort -o x", "cat a > b", "sed 'r x'", "cat a &", "cat a/*/b")]
    [None, None, None, None, None, None, None]
    """
    paths: list[str] = []
    at = 0
    while at < len(script):
        command = _COMMAND.match(script, at)
        words = None if command is None else _named(_WORD.findall(command[1]))
        if command is None or words is None:
            return None
        paths += [make_absolute(word, "/root") for word in words]
        at = command.end()
    patterns = tuple(path for path in paths if "*" in path)
    if any("*" in dirname(pattern) for pattern in patterns):
        return None
    return Reach(tuple(path for path in paths if "*" not in path), patterns)


def _named(words: Sequence[str]) -> Sequence[str] | None:
    """The words of a command that name files; None for a command that may reach others."""
    name, *rest = words or [""]
    if name in CALLING:
        return None if any("*" in bare for word in rest for bare in word.split("'")[::2]) else ()
    if name not in OPTIONS:
        return None
    options, others = [w for w in rest if w.startswith("-")], [w for w in rest if not w.startswith("-")]
    if name in PROGRAMMED:
        program, *others = others or [""]
        if not _harmless(name, program):
            return None
    if any("'" in word for word in (*options, *others)) or not all(map(OPTIONS[name].fullmatch, options)):
        return None
    return others


def _harmless(name: str, program: str) -> bool:
    """Whether what a command is told to do, in quotes, reaches no file."""
    inner = program[1:-1]
    if len(program) < 2 or program[0] + program[-1] != "''" or "'" in inner:
        return False
    if name == "awk":
        return only_prints(inner)
    return name == "grep" or _SUBSTITUTIONS.fullmatch(inner) is not None
