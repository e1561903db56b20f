"""`read` and `mapfile`. Reference: Bash manual, 4.2; POSIX, `read`."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.task import Stop
from aiops_gym.sim.machine.scripts.words import split_line

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine
    from aiops_gym.types import Json

_TAKING = "adinNptu"
"""Letters of `read` that are followed by a word."""


def _options(words: list[str], taking: str) -> tuple[dict[str, str], list[str]]:
    """Letters with what they are given, and the words after them."""
    found: dict[str, str] = {}
    left = list(words)
    while left and left[0].startswith("-") and len(left[0]) > 1:
        word = left.pop(0)
        if word == "--":
            break
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in taking:
                found[letter] = letters or (left.pop(0) if left else "")
                break
            found[letter] = ""
    return found, left


def read(machine: Machine, argv: list[str]) -> Stop | None:
    """One line of standard input; at its end the variables are empty and the code is 1."""
    given, names = _options(argv[1:], _TAKING if machine.dialect != "dash" else "p")
    raw, number = "r" in given, given.get("u", "0")
    source = machine.input(number)
    text = source[1] if source[0] == "text" else ""
    line, left, ended = _take(text, given, raw)
    machine.consume(source, left)
    machine.task.code = 0 if ended else 1
    if given.get("t") in ("0", "0.0"):
        machine.task.code = int(not text)
        return None
    if "a" in given:
        fields = split_line(line, 1 << 30, machine.separators, raw)
        machine.set_array(given["a"], [(None, False, field) for field in fields if field is not None])
        return None
    if not names and machine.dialect != "dash":
        machine.set("REPLY", line if raw else _unescaped(line))
        return None
    values = [line] if "N" in given else split_line(line, len(names), machine.separators, raw)
    for index, name in enumerate(names or ["REPLY"]):
        machine.set(name, values[index] if index < len(values) else "")
    return None


def _unescaped(line: str) -> str:
    found, at = "", 0
    while at < len(line):
        at += line[at] == "\\"
        found += line[at : at + 1]
        at += 1
    return found


def _take(text: str, given: dict[str, str], raw: bool) -> tuple[str, str, bool]:
    """A line, what is left, and whether the line had an end."""
    if "N" in given and is_natural(given["N"]):
        count = int(given["N"])
        return text[:count], text[count:], len(text) >= count
    end = (given["d"][:1] or "\0") if "d" in given else "\n"
    line, left = "", text
    while True:
        piece, found, left = left.partition(end)
        line += piece
        if raw or not found or (len(piece) - len(piece.rstrip("\\"))) % 2 == 0:
            break
        line = line[:-1] if end == "\n" else line + end
    if "n" in given and is_natural(given["n"]) and len(line) >= int(given["n"]) > 0:
        count = int(given["n"])
        return text[:count], text[count:], True
    return line, left, bool(found)


def mapfile(machine: Machine, argv: list[str]) -> Stop | None:
    """Lines of standard input as the elements of an array."""
    given, names = _options(argv[1:], "dnOsucC")
    source = machine.input(given.get("u", "0"))
    text = source[1] if source[0] == "text" else ""
    end = (given["d"][:1] or "\0") if "d" in given else "\n"
    lines = [f"{line}{end}" for line in text.split(end)[:-1]]
    rest = text[sum(map(len, lines)) :]
    lines += [rest] if rest else []
    numbers = [given.get(letter) or "0" for letter in "snO"]
    if wrong := next((each for each in numbers if not is_natural(each)), ""):
        machine.blame(f"{argv[0]}: {wrong}: invalid line count")
        machine.task.code = 1
        return None
    skipped, most, first = map(int, numbers)
    kept = lines[skipped : skipped + most] if most else lines[skipped:]
    machine.consume(source, "".join(lines[skipped + most :]) if most else "")
    values = [line.removesuffix(end) if "t" in given else line for line in kept]
    entries: list[tuple[str | None, bool, str]] = [(str(first + at), False, each) for at, each in enumerate(values)]
    machine.set_array(names[0] if names else "MAPFILE", entries, added="O" in given)
    if given.get("C"):
        step = int(given["c"]) if is_natural(given.get("c", "")) and int(given["c"]) else 5000
        calls = [f"{given['C']} {first + at} {quote(values[at])}" for at in range(step - 1, len(values), step)]
        machine.task.push("list", parse("\n".join(calls), machine.dialect), 0)
    return None


COMMANDS: dict[str, Json] = {"read": read, **dict.fromkeys(("mapfile", "readarray"), mapfile)}
