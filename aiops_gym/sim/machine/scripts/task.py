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
        aliases: text and line of each.
        coprocesses: what was given to each and is left of what it printed, by the key that descriptors have for it.
        began: when it began, in ms on the clock of whoever runs it.
        waits: pid of the child that `wait` waits for, 0 for all, -1 if it does not wait.
    """

    pid: int
    stack: list[Json]
    vars: dict[str, Json]
    args: list[str]
    fds: dict[str, Json]
    functions: dict[str, Json]
    exports: dict[str, bool]
    options: str
    cwd: str
    code: int
    last: int
    waits: int
    turn: int
    fixed: list[str]
    kinds: dict[str, str]
    modes: list[str]
    status: list[int]
    shell: str
    given: str
    level: int
    unset: list[str]
    traps: dict[str, str]
    letter: int
    folders: list[str]
    mask: int
    underscore: str
    draws: int
    opened: int
    aliases: dict[str, Json]
    coprocesses: dict[str, dict[str, Json]]
    began: int

    def __init__(self, data: Mapping[str, Json]) -> None:
        own = self.__dict__
        own.update(USUAL)
        own.update(data)
        own["stack"] = [list(frame) for frame in data["stack"]]
        own["vars"] = {name: dict(v) if isinstance(v, dict) else v for name, v in data["vars"].items()}
        for name in CHANGED:  # all else is replaced, not changed
            own[name] = dict(own[name])

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


CHANGED = ("fds", "kinds", "traps", "coprocesses")
USUAL: Mapping[str, Json] = {
    **{name: [] for name in ("fixed", "modes", "status", "unset", "folders")},
    **{name: {} for name in (*CHANGED, "aliases")},
    **dict.fromkeys(("shell", "given", "underscore"), ""),
    **dict.fromkeys(("level", "letter", "draws", "opened", "began"), 0),
    "mask": 0o022,
}
"""What a task has that has not been told otherwise."""


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
