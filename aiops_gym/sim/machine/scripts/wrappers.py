"""Commands that run another one: `env`, `timeout`, `command`, `nohup` and their like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts import state
from aiops_gym.sim.machine.scripts.parser import make_call
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine
    from aiops_gym.types import Json

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
SECONDS = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")


def run_through(machine: Machine, through: str, argv: list[str]) -> Stop | None:
    """Run a command that `exec` or `env` was told to."""
    machine.through, before = through, machine.through
    try:
        return machine.host.command(machine, argv)
    finally:
        machine.through = before


def _timeout(machine: Machine, argv: list[str]) -> Stop | None:
    """`timeout SECONDS command`: 124 where the command takes longer."""
    left = argv[1:]
    while left and left[0].startswith("-") and len(left) > 1:
        option = left.pop(0)
        left = left[1:] if option in ("-k", "-s", "--kill-after", "--signal") else left
    words = left
    found = SECONDS.fullmatch(words[0]) if words else None
    if found is None or len(words) < 2:
        machine.write("2", f"timeout: invalid time interval '{words[0] if words else ''}'\n")
        machine.task.code = 125
        return None
    limit = int(float(found[1]) * UNITS[found[2] or "s"] * 1000)
    words = words[1:]
    outcome = machine.aside(make_call(words)[1][0][0][1][0][1][1][0])
    if outcome.kind == "oom":
        return outcome
    late = outcome.kind != "exit" or outcome.ms > limit
    machine.waited += limit if late else outcome.ms
    machine.task.code = 124 if late else outcome.code
    return None


def _time(machine: Machine, argv: list[str]) -> Stop | None:
    """Commands that run another: `nohup cmd`, `command cmd`, `nice cmd`."""
    words = argv[1:]
    if argv[0] == "command" and words[:1] in (["-v"], ["-V"]):
        return state.find_type(machine, argv if words[0] == "-v" else ["type", *words[1:]])
    if argv[0] == "builtin" and words and words[0] not in state.BUILTINS | state.OF_BASH:
        machine.blame(f"builtin: {words[0]}: not a shell builtin")
        machine.task.code = 1
        return None
    while words and words[0].startswith("-"):
        if words.pop(0) in ("-n", "--adjustment") and words:
            words.pop(0)
    return run_through(machine, argv[0], words) if words else None


def _env(machine: Machine, argv: list[str]) -> Stop | None:
    """`env [-i] [-u NAME] [NAME=VALUE ...] [command]`; what it sets is for that command alone."""
    words, task, depth = argv[1:], machine.task, len(machine.task.stack)
    kept: dict[str, Json] = {}
    while words and (words[0].startswith("-") or "=" in words[0]):
        word = words.pop(0)
        if word == "-S" and words:
            words = [*words.pop(0).split(), *words]
            continue
        name, sets, value = word.partition("=") if not word.startswith("-") else ("", "", "")
        if word in ("-", "-i", "--ignore-environment"):
            names = [*machine.environment(), *task.vars]
        else:
            names = [words.pop(0)] if word in ("-u", "--unset") and words else [name] * bool(sets)
        kept = {each: machine.remember(each) for each in names} | kept
        if sets:
            machine.set(name, value)
        task.exports = {**task.exports, **dict.fromkeys(names, bool(sets))}
    stop = None
    if words:
        stop = run_through(machine, "env", words)
    else:
        machine.write("1", "".join(f"{name}={value}\n" for name, value in sorted(machine.environment().items())))
    if len(task.stack) > depth:  # a shell, for which it lasts as long as it does
        task.stack.insert(depth, ["lent", kept])
    else:
        machine.give_all_back(kept)
    return stop


COMMANDS = {
    "timeout": _timeout,
    "env": _env,
    **dict.fromkeys(("nohup", "command", "builtin", "nice", "setsid"), _time),
}
