"""Commands whose input or output may have no end."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts import memory
from aiops_gym.sim.machine.scripts.allowance import CLOSED
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

Command = Callable[["Machine", list[str]], Stop | None]


def read_inputs(machine: Machine, argv: list[str], names: list[str]) -> tuple[list[str], int]:
    """Texts of files, or of standard input; and the exit code."""
    if not names or names == ["-"]:
        source = machine.stdin()
        machine.consume(source, "")
        return [source[1] if source[0] == "text" else ""], 0
    texts, code = [], 0
    for name in names:
        text = machine.files.read(make_absolute(name, machine.task.cwd))
        if text is None:
            known = machine.files.kind(make_absolute(name, machine.task.cwd))
            what = "Is a directory" if known else "No such file or directory"
            machine.write("2", f"{argv[0].rpartition('/')[2]}: {name}: {what}\n")
            code = 1
        else:
            texts.append(text)
    return texts, code


def _lines(machine: Machine, argv: list[str], cut: Callable[[list[str], int], list[str]]) -> None:
    count, names, words = 10, list[str](), argv[1:]
    while words:
        word = words.pop(0)
        if word == "-n" and words:
            word = f"-{words.pop(0).lstrip('+')}"
        digits = re.fullmatch(r"-n?(\d+)", word)
        if digits:
            count = int(digits[1])
        elif not word.startswith("-"):
            names.append(word)
    texts, machine.task.code = read_inputs(machine, argv, names)
    machine.write("1", "".join(line for text in texts for line in cut(text.splitlines(keepends=True), count)))


def tail(machine: Machine, argv: list[str]) -> Stop | None:
    """The last lines; of zeros, all the memory there is; with `-f`, for ever."""
    names = [w for i, w in enumerate(argv[1:], 1) if not w.startswith("-") and argv[i - 1] not in ("-n", "-c")]
    if "/dev/zero" in names or (not names and machine.stdin()[0] == "zero"):
        return memory.grow(machine, machine.stdin()[1] if not names else -1)
    _lines(machine, argv, lambda lines, n: lines[-n:] if n else [])
    return Stop("forever") if {"-f", "-F", "--follow"} & set(argv[1:]) else None


def cat(machine: Machine, argv: list[str]) -> Stop | None:
    """Files, or zeros without end."""
    if "/dev/zero" in argv[1:] or "/dev/urandom" in argv[1:]:
        if hasattr(machine.host, "zero"):
            machine.host.zero = ["zero", -1]
            machine.task.code = CLOSED
            return None
        return Stop("forever")
    texts, machine.task.code = read_inputs(machine, argv, [w for w in argv[1:] if not w.startswith("-") or w == "-"])
    machine.write("1", "".join(texts))
    return None


def head(machine: Machine, argv: list[str]) -> Stop | None:
    """The first lines, or so many bytes of zeros."""
    size = next((argv[i + 1] for i, w in enumerate(argv[:-1]) if w in ("-c", "--bytes")), "")
    size = size or next((w[2:] for w in argv[1:] if w.startswith("-c") and len(w) > 2), "")
    endless = "/dev/zero" in argv or "/dev/urandom" in argv or machine.stdin()[0] == "zero"
    if not endless:
        _lines(machine, argv, lambda lines, n: lines[:n])
        return None
    memory.pour(machine, memory.parse_amount(size or "0"))
    return None


def yes(machine: Machine, argv: list[str]) -> Stop | None:
    """Words without end."""
    if hasattr(machine.host, "zero"):
        machine.write("1", f"{' '.join(argv[1:]) or 'y'}\n" * 1_000)
        machine.task.code = CLOSED
        return None
    return Stop("forever")


COMMANDS: dict[str, Command] = {"tail": tail, "cat": cat, "head": head, "yes": yes, "dd": memory.dd}
