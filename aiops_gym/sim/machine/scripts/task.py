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
        fds: where descriptors lead: ["out"], ["err"], ["null"], ["file", path], ["text", what is
            left, number], ["zero", bytes or -1], ["kept", texts], ["coprocess", key].
        exports: which variables commands get (true) or do not get any more (false), besides those of the container.
        code: `$?`.
        fixed: names of variables that stay as they are.
        kinds: attributes of variables, as bash's `declare` names them: arrays (`a`, `A`), `i`, `l`, `u`, `n`.
        modes: names of options that have no letter.
        status: exit codes of the last pipeline's commands; none where it is that of the last command.
        shell: the dialect that it was started with; "" for what its name says.
        given: how the script was given, `c` or `s` or nothing, as `$-` has it.
        level: of subshells that it is in.
        unset: names without a value that would have one.
        traps: scripts that are run at `ERR` and at signals in a shell beside the first process.
        letter: within a word, the one that `getopts` reads next.
        folders: below the present one, as `pushd` left them.
        mask: permissions that new files do not get.
        underscore: the last word of the last command.
        draws: random numbers so far.
        opened: inputs so far.
        coprocesses: what was given to each and is left of what it printed, by the key that descriptors have for it.
        began: when it began, in ms on the clock of whoever runs it.
        waits: pid of the child that `wait` waits for, 0 for all, -1 if it does not wait.
    """

    def __init__(self, data: Mapping[str, Json]) -> None:
        self.pid: int = data["pid"]
        self.stack: list[Json] = [list(frame) for frame in data["stack"]]
        self.vars: dict[str, Json] = {k: dict(v) if isinstance(v, dict) else v for k, v in data["vars"].items()}
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
        self.kinds: dict[str, str] = dict(data.get("kinds", {}))
        self.modes: list[str] = list(data.get("modes", ()))
        self.status: list[int] = list(data.get("status", ()))
        self.shell: str = data.get("shell", "")
        self.given: str = data.get("given", "")
        self.level: int = data.get("level", 0)
        self.unset: list[str] = list(data.get("unset", ()))
        self.traps: dict[str, str] = dict(data.get("traps", {}))
        self.letter: int = data.get("letter", 0)
        self.folders: list[str] = list(data.get("folders", ()))
        self.mask: int = data.get("mask", 0o022)
        self.underscore: str = data.get("underscore", "")
        self.draws: int = data.get("draws", 0)
        self.opened: int = data.get("opened", 0)
        self.coprocesses: dict[str, dict[str, Json]] = dict(data.get("coprocesses", {}))
        self.began: int = data.get("began", 0)

    def data(self) -> dict[str, Json]:
        """The task as data."""
        arrays = {name: dict(value) for name, value in self.vars.items() if isinstance(value, dict)}
        return {**vars(self), "vars": {**self.vars, **arrays}, "kinds": dict(self.kinds)}

    def push(self, kind: str, *data: Json) -> None:
        """Go into something."""
        self.stack.append([kind, *data])

    def guarded(self) -> bool:
        """Whether a failure here is asked for, so that `set -e` does not count it."""
        return any(frame[0] == "guard" for frame in self.stack)


def new_task(
    script: str | Sequence[Json], args: Sequence[str], cwd: str = "/", pid: int = 1, dialect: str = "bash"
) -> dict[str, Json]:
    """A task at the beginning of a script (text, or a node). Raises ScriptError."""
    node = parse(script, dialect) if isinstance(script, str) else script
    return {
        "pid": pid,
        "stack": [["script", node, 0]],
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
