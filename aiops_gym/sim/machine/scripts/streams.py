"""Commands whose input or output may have no end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts import memory, tools
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine


def tail(machine: Machine, argv: list[str]) -> Stop | None:
    """The last lines; of zeros, all the memory there is; with `-f`, for ever."""
    names = [w for i, w in enumerate(argv[1:], 1) if not w.startswith("-") and argv[i - 1] not in ("-n", "-c")]
    if "/dev/zero" in names or (not names and machine.stdin()[0] == "zero"):
        return memory.grow(machine, machine.stdin()[1] if not names else -1)
    tools_code = tools.tail(machine, argv)
    follows = any(w.startswith("-") and not w.startswith("--") and "f" in w.lower() for w in argv[1:])
    machine.task.code = tools_code
    return Stop("forever") if follows or any(w.startswith("--follow") for w in argv[1:]) else None


def cat(machine: Machine, argv: list[str]) -> Stop | None:
    """Files, or zeros without end."""
    if "/dev/zero" in argv[1:] or "/dev/urandom" in argv[1:]:
        if hasattr(machine.host, "zero"):
            machine.host.zero = ["zero", -1]
            return None
        return Stop("forever")
    machine.task.code = tools.cat(machine, argv)
    return None


def head(machine: Machine, argv: list[str]) -> Stop | None:
    """The first lines, or so many bytes of zeros."""
    size = next((argv[i + 1] for i, w in enumerate(argv[:-1]) if w in ("-c", "--bytes")), "")
    size = size or next((w[2:] for w in argv[1:] if w.startswith("-c") and len(w) > 2), "")
    endless = "/dev/zero" in argv or "/dev/urandom" in argv or machine.stdin()[0] == "zero"
    if not endless:
        machine.task.code = tools.head(machine, argv)
        return None
    memory.pour(machine, memory.parse_amount(size or "0"))
    return None


def yes(machine: Machine, argv: list[str]) -> Stop | None:
    """Words without end."""
    if hasattr(machine.host, "zero"):
        machine.write("1", f"{' '.join(argv[1:]) or 'y'}\n" * 1_000)
        return None
    return Stop("forever")


def dd(machine: Machine, argv: list[str]) -> Stop | None:
    """Blocks from one file to another."""
    return memory.dd(machine, argv)


COMMANDS: dict[str, Callable[[Machine, list[str]], Stop | None]] = {
    "tail": tail,
    "cat": cat,
    "head": head,
    "yes": yes,
    "dd": dd,
}
