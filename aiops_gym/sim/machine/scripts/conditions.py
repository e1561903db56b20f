"""`test`, `[` and `[[`."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from aiops_gym import caches
from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.parser import ScriptError

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
TEXTS = ("=", "==", "!=", "<", ">", "=~")


def evaluate(machine: Machine, words: list[str]) -> int:
    """0 if it holds, 1 if not, 2 where it makes no sense."""
    for sign, both in (("-o", False), ("||", False), ("-a", True), ("&&", True)):
        if sign in words[1:-1]:
            at = words.index(sign, 1)
            left, right = evaluate(machine, words[:at]), evaluate(machine, words[at + 1 :])
            return max(left, right) if both else min(left, right)
    if words[:1] == ["!"] and len(words) > 1:
        return {0: 1, 1: 0}.get(evaluate(machine, words[1:]), 2)
    if len(words) == 3:
        return _binary(machine, *words)
    if len(words) == 2:
        return _unary(machine, *words)
    return int(not (words and words[0]))


@caches.function(256, "reading a pattern of a condition")
def _read(text: str) -> Regex:
    try:
        return Regex(rf"[\s\S]*(?:{text})[\s\S]*")
    except RegexError as error:
        raise ScriptError(f"invalid regular expression `{text}'") from error


def _unary(machine: Machine, sign: str, value: str) -> int:
    if sign in ("-z", "-n"):
        return int((value == "") != (sign == "-z"))
    path = make_absolute(value, machine.task.cwd) if value else ""
    kind = machine.files.kind(path) if path else ""
    if sign == "-s":
        return int(not (kind == "file" and machine.files.size(path)))
    if sign in ("-f", "-d"):
        return int(kind != ("file" if sign == "-f" else "directory"))
    if sign in ("-e", "-r", "-w"):
        return int(not kind)
    if sign == "-x":
        return int(not (kind and machine.files.mode(path) & 0o111))
    if sign in ("-h", "-L"):
        return int(machine.files.follow(path) == path)
    if sign.startswith("-"):
        return 1
    machine.write("2", f"{machine.name}: 1: [: {sign}: unexpected operator\n")
    return 2


def _binary(machine: Machine, left: str, sign: str, right: str) -> int:
    if sign in NUMBERS:
        if not (re.fullmatch(r"-?\d+", left.strip()) and re.fullmatch(r"-?\d+", right.strip())):
            wrong = right if re.fullmatch(r"-?\d+", left.strip()) else left
            machine.write("2", f"{machine.name}: 1: [: Illegal number: {wrong}\n")
            return 2
        a, b = int(left), int(right)
        return int(not (a == b, a != b, a < b, a <= b, a > b, a >= b)[NUMBERS.index(sign)])
    if sign in TEXTS:
        same = fnmatchcase(left, right) if sign == "==" else left == right
        if sign == "=~":
            return int(not _read(right).matches(left))
        if sign in ("<", ">"):
            return int(not (left < right if sign == "<" else left > right))
        return int(same == (sign == "!="))
    return 2
