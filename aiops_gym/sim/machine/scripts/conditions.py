"""`test`, `[` and `[[`."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.patterns import compile_pattern

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


def _unary(machine: Machine, sign: str, value: str) -> int:
    if sign in ("-z", "-n"):
        return int((value == "") != (sign == "-z"))
    path = make_absolute(value, machine.task.cwd) if value else ""
    kind = machine.files.kind(path) if path else ""
    if sign == "-s":
        return int(not (kind == "file" and machine.files.size(path)))
    if sign in ("-f", "-d"):
        return int(kind != ("file" if sign == "-f" else "directory"))
    if sign in ("-e", "-r", "-w", "-x"):
        return int(not kind)
    return 1 if sign.startswith("-") else 2


def _binary(machine: Machine, left: str, sign: str, right: str) -> int:
    if sign in NUMBERS:
        if not (re.fullmatch(r"-?\d+", left.strip()) and re.fullmatch(r"-?\d+", right.strip())):
            machine.write("2", f"{machine.name}: 1: [: Illegal number: {left}\n")
            return 2
        a, b = int(left), int(right)
        return int(not (a == b, a != b, a < b, a <= b, a > b, a >= b)[NUMBERS.index(sign)])
    if sign in TEXTS:
        same = fnmatchcase(left, right) if sign == "==" else left == right
        if sign == "=~":
            return int(compile_pattern(right).search(left) is None)
        if sign in ("<", ">"):
            return int(not (left < right if sign == "<" else left > right))
        return int(same == (sign == "!="))
    return 2
