"""Coprocesses. Reference: Bash manual, 3.2.6.

No two tasks run at the same time here, so a coprocess runs whenever somebody reads from it, and then on all that it was
given since it began; of what it prints, what was there before is left out. Where it only answers what it reads, as
those that people start do, nobody can tell.
"""

from __future__ import annotations

from typing import cast

from aiops_gym.sim.machine.scripts.aside import Aside
from aiops_gym.sim.machine.scripts.compounds import Compounds
from aiops_gym.sim.machine.scripts.host import Walking
from aiops_gym.types import Json

FROM, TO = "63", "60"
"""Descriptors at which bash reads from a coprocess and writes to it."""


def begin(machine: Compounds, name: str, command: Json) -> None:
    """Make the variables and descriptors of a coprocess."""
    task = machine.task
    key = f"coprocess {len(task.coprocesses)}"
    task.coprocesses = {**task.coprocesses, key: {"command": command, "given": "", "printed": 0, "left": ""}}
    task.fds = {**task.fds, FROM: ["coprocess", key], TO: ["coprocess", key]}
    machine.set_array(name, [(None, False, FROM), (None, False, TO)])
    task.last = task.pid + len(task.coprocesses)
    machine.set(f"{name}_PID", str(task.last))
    task.code = 0


def give(machine: Compounds, key: str, text: str) -> None:
    """Write to a coprocess."""
    machine.task.coprocesses[key]["given"] += text


def take(machine: Compounds, key: str) -> Json:
    """What a coprocess has printed and nobody has read, as an input."""
    state = machine.task.coprocesses[key]
    data = {**machine.task.data(), "stack": [[state["command"][0], state["command"], 0]], "waits": -1}
    data["fds"] = {**machine.task.fds, "0": ["text", state["given"]], "1": ["out"]}
    walking = cast("Walking", machine)
    side = Aside(walking, errors=walking)
    outcome = side.run({**data, "level": machine.task.level + 1})
    walking.waited += outcome.ms if outcome.kind == "exit" else 0
    state["left"] += side.text[state["printed"] :]
    state["printed"] = max(state["printed"], len(side.text))
    return ["text", state["left"], key]
