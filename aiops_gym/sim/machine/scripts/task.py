"""A task: one process that runs a script. All of it is data; a frame is a list [kind, node or data, position ...]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.types import Json


class Task:
    """The state of a task, taken from its data to be worked on.

    Args:
        data: what `data()` gave, or `new`.

    Attributes:
        stack: frames, the innermost last.
        fds: where descriptors lead: ["out"], ["err"], ["null"], ["file", path], ["text", text], ["zero", bytes or -1].
        exports: which variables commands get (true) or do not get any more (false), besides those of the container.
        code: `$?`.
        fixed: names of variables that stay as they are.
        waits: pid of the child that `wait` waits for, 0 for all, -1 if it does not wait.
    """

    def __init__(self, data: Mapping[str, Json]) -> None:
        self.pid: int = data["pid"]
        self.stack: list[Json] = [list(frame) for frame in data["stack"]]
        self.vars: dict[str, str] = dict(data["vars"])
        self.args: list[str] = list(data["args"])
        self.fds: dict[str, Json] = dict(data["fds"])
        self.functions: dict[str, Json] = dict(data["functions"])
        self.exports: dict[str, bool] = dict(data["exports"])
        self.options: str = data["options"]
        self.cwd: str = data["cwd"]
        self.code: int = data["code"]
        self.last: int = data["last"]
        self.waits: int = data["waits"]
        self.turn: int = data["turn"]
        self.fixed: list[str] = list(data.get("fixed", ()))

    def data(self) -> dict[str, Json]:
        """The task as data."""
        return {**vars(self), "vars": dict(self.vars)}

    def push(self, kind: str, *data: Json) -> None:
        """Go into something."""
        self.stack.append([kind, *data])

    def guarded(self) -> bool:
        """Whether a failure here is asked for, so that `set -e` does not count it."""
        return any(frame[0] == "guard" for frame in self.stack)


def new_task(script: str | Sequence[Json], args: Sequence[str], cwd: str = "/", pid: int = 1) -> dict[str, Json]:
    """A task at the beginning of a script (text, or a node). Raises ScriptError."""
    node = parse(script) if isinstance(script, str) else script
    return {
        "pid": pid,
        "stack": [[node[0], node, 0]],
        "vars": {},
        "args": list(args),
        "fds": {"0": ["text", ""], "1": ["out"], "2": ["err"]},
        "functions": {},
        "exports": {},
        "options": "",
        "cwd": cwd,
        "code": 0,
        "last": 0,
        "waits": -1,
        "turn": 0,
    }


class Stop(NamedTuple):
    """Why a task stands still.

    Attributes:
        kind: `sleep` (for `ms`, then it goes on), `forever`, `wait` (for children), `exit` (with `code`), `busy` (it
            has done much at once), `oom` (it grows until it is killed, in `ms`).
    """

    kind: str
    ms: int = 0
    code: int = 0
