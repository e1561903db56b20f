"""Aliases. Reference: Bash manual, 6.6.

A script is parsed before it runs here, so a command whose first word is an alias is parsed anew when its turn comes.
As in bash, one that was defined on the same line does not count yet.
"""

from __future__ import annotations

from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.printing import show_command
from aiops_gym.sim.machine.scripts.task import Task
from aiops_gym.types import Json


def expand(task: Task, command: Json, dialect: str) -> Json | None:
    """The list that a simple command becomes whose first word is an alias; None for others. Raises ScriptError."""
    _, assignments, words, redirections, line = command
    if dialect == "bash" and "expand_aliases" not in task.modes:
        return None
    name = _literal(words[0]) if words else ""
    if name not in task.aliases or task.aliases[name][1] >= line:
        return None
    rest = show_command(["simple", [], [[["lit", ""]], *words[1:]], redirections, line])
    before = show_command(["simple", assignments, [], [], line]) if assignments else ""
    text, seen = _replaced(name, set(), task), {name}
    while text[-1:] in (" ", "\t") and len(words) > 1 and _literal(words[1]) in task.aliases and not seen & {" "}:
        second = _literal(words[1])
        rest = rest.replace(second, _replaced(second, set(), task), 1)
        seen.add(" ")
    node = parse(f"{before} {text} {rest.strip()}", dialect)
    _protect(node, task)
    return node


def _replaced(name: str, seen: set[str], task: Task) -> str:
    """The text of an alias, whose first word may be another one."""
    text: str = task.aliases[name][0]
    first, blank, rest = text.partition(" ")
    if first in task.aliases and first not in seen | {name}:
        return _replaced(first, seen | {name}, task) + blank + rest
    return text


def _literal(word: Json) -> str:
    return str(word[0][1]) if len(word) == 1 and word[0][0] == "lit" else ""


def _protect(node: Json, task: Task) -> None:
    """Have the first command be no alias any more."""
    command: Json = node[1][0][0][1][0][1][1][0] if node[1] else ["list"]
    if command[0] == "simple" and command[2] and _literal(command[2][0]) in task.aliases:
        command[2][0] = [["quo", command[2][0][0][1]]]
