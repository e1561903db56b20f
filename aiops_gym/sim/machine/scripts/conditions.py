"""`test`, `[` and `[[`. Reference: Bash manual, 6.4; POSIX, `test`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aiops_gym import caches
from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.machine.scripts import patterns
from aiops_gym.sim.machine.scripts.condition_parser import BINARY, FILES, NUMBERS, UNARY
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.options import is_on
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.scope import Scope

_NUMBER = re.compile(r"\s*[-+]?\d{1,19}\s*")


def evaluate(machine: Scope, words: list[str]) -> int:
    """What `test` says: 0 if it holds, 1 if not, 2 where it makes no sense."""
    count = len(words)
    if count <= 1:
        return int(not (words and words[0]))
    if count == 3 and words[1] in BINARY:
        return _compare(machine, *words)
    if count == 3 and words[1] in ("-a", "-o"):
        left, right = not words[0], not words[2]
        return int(left or right) if words[1] == "-a" else int(left and right)
    if words[0] == "!" and count <= 4:
        return {0: 1, 1: 0}.get(evaluate(machine, words[1:]), 2)
    if count == 2:
        return _unary(machine, *words)
    if words[0] == "(" and words[-1] == ")" and count <= 4:
        return evaluate(machine, words[1:-1])
    if count == 3 and machine.dialect == "bash":
        machine.blame(f"[: {words[1]}: binary operator expected")
        return 2
    reader = _Reader(machine, words)
    found = reader.any()
    if reader.at < len(words) and found < 2:
        machine.blame(
            "[: too many arguments" if machine.dialect == "bash" else f"[: {words[reader.at]}: unexpected operator"
        )
        return 2
    return found


class _Reader:
    """Conditions that `-a`, `-o`, `!` and brackets are made of."""

    def __init__(self, machine: Scope, words: list[str]) -> None:
        self.machine, self.words, self.at = machine, words, 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def any(self) -> int:
        found = self.all()
        while self.peek() == "-o":
            self.at += 1
            found = min(found, self.all())
        return found

    def all(self) -> int:
        found = self.one()
        while self.peek() == "-a":
            self.at += 1
            found = max(found, self.one())
        return found

    def one(self) -> int:
        left = self.words[self.at :]
        if not left:
            return 2
        if left[0] == "!":
            self.at += 1
            return {0: 1, 1: 0}.get(self.one(), 2)
        if len(left) > 2 and left[1] in BINARY:
            self.at += 3
            return _compare(self.machine, *left[:3])
        if left[0] == "(":
            self.at += 1
            found = self.any()
            self.at += 1
            return found
        if left[0] in UNARY and len(left) > 1:
            self.at += 2
            return _unary(self.machine, left[0], left[1])
        self.at += 1
        return int(not left[0])


def hold(machine: Scope, condition: Json) -> bool:
    """Whether a condition of `[[ ]]` holds. Raises ScriptError."""
    from aiops_gym.sim.machine.scripts import words  # noqa: PLC0415  # the parser needs this module

    kind, *rest = condition
    if kind == "or":
        return hold(machine, rest[0]) or hold(machine, rest[1])
    if kind == "and":
        return hold(machine, rest[0]) and hold(machine, rest[1])
    if kind == "not":
        return not hold(machine, rest[0])
    if kind == "word":
        return bool(words.expand_text(rest[0], machine))
    if kind == "un":
        return _unary(machine, rest[0], words.expand_text(rest[1], machine)) == 0
    sign, left = rest[0], words.expand_text(rest[1], machine)
    folded = machine.folds("nocasematch")
    if sign in ("=", "==", "!="):
        same = patterns.matches(left, words.expand_pattern(rest[2], machine), True, folded)
        return bool(same != (sign == "!="))
    if sign == "=~":
        return _match(machine, left, words.expand_regex(rest[2], machine), folded)
    right = words.expand_text(rest[2], machine)
    if sign in NUMBERS:
        return _holds(machine.calculate(left or "0"), sign, machine.calculate(right or "0"))
    return _compare(machine, left, sign, right) == 0


def _match(machine: Scope, text: str, pattern: str, folded: bool) -> bool:
    """`=~`, which leaves what matched in an array."""
    found = _read(f"(?i:{pattern})" if folded else pattern).find_groups(text)
    groups = [] if found is None else found[2:-1]
    machine.task.vars["BASH_REMATCH"] = {str(number): group for number, group in enumerate(groups)}
    machine.task.kinds["BASH_REMATCH"] = "a"
    return found is not None


@caches.function(256, "reading a pattern of a condition")
def _read(text: str) -> Regex:
    try:
        return Regex(rf"([\s\S]*?)({text})([\s\S]*)")
    except RegexError as error:
        raise ScriptError(f"invalid regular expression `{text}'", code=2) from error


def _unary(machine: Scope, sign: str, value: str) -> int:
    if sign in ("-z", "-n"):
        return int((value == "") != (sign == "-z"))
    if sign == "-v":
        return int(not _is_set(machine, value))
    if sign == "-o":
        return int(not is_on(machine.task, value))
    if sign == "-R":
        return int("n" not in machine.task.kinds.get(value, ""))
    if sign == "-t":
        return 1
    if sign not in UNARY:
        operator = "unary operator expected" if machine.dialect == "bash" else "unexpected operator"
        machine.blame(f"[: {sign}: {operator}")
        return 2
    return int(not _file_is(machine, sign, value))


def _file_is(machine: Scope, sign: str, value: str) -> bool:
    path = make_absolute(value, machine.task.cwd) if value else ""
    kind = machine.files.kind(path) if path else ""
    if value.startswith("/dev/fd/") and value.removeprefix("/dev/fd/") in machine.task.fds:
        kind = "file"
    if sign == "-s":
        return bool(kind == "directory" or (kind == "file" and machine.files.size(path)))
    if sign == "-f":
        return bool(kind == "file" and not path.startswith("/dev/"))
    if sign == "-d":
        return kind == "directory"
    if sign in ("-e", "-a", "-r", "-w", "-O", "-G"):
        return bool(kind)
    if sign == "-x":
        return bool(kind and machine.files.mode(path) & 0o111)
    if sign in ("-h", "-L"):
        return machine.files.follow(path) != path
    return sign == "-c" and path in ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty")


def _is_set(machine: Scope, name: str) -> bool:
    if name.endswith(("[@]", "[*]")):
        return bool(machine.array(name[:-3]))
    return machine.get(name) is not None


def _compare(machine: Scope, left: str, sign: str, right: str) -> int:
    if sign in NUMBERS:
        for each in (left, right):
            if not _NUMBER.fullmatch(each):
                bash = f"[: {each}: integer expression expected"
                machine.blame(bash if machine.dialect == "bash" else f"[: Illegal number: {each}")
                return 2
        return int(not _holds(int(left), sign, int(right)))
    if sign in FILES:
        return int(not _compare_files(machine, left, sign, right))
    if sign in ("<", ">"):
        return int(not (left < right if sign == "<" else left > right))
    if sign == "=~":
        return int(not _match(machine, left, right, False))
    return int((left == right) == (sign == "!="))


def _compare_files(machine: Scope, left: str, sign: str, right: str) -> bool:
    one, other = (make_absolute(each, machine.task.cwd) for each in (left, right))
    if sign == "-ef":
        return bool(machine.files.kind(one)) and machine.files.follow(one) == machine.files.follow(other)
    if sign == "-ot":
        one, other = other, one
    if not machine.files.kind(one) or not machine.files.kind(other):
        return bool(machine.files.kind(one))
    return machine.files.time(one) > machine.files.time(other)


def _holds(a: int, sign: str, b: int) -> bool:
    return (a == b, a != b, a < b, a <= b, a > b, a >= b)[NUMBERS.index(sign)]
