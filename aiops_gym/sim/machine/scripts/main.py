"""The first process of a container where it runs a script: how it begins, and which program it becomes or starts."""

from __future__ import annotations

from typing import NamedTuple

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts import task as tasks
from aiops_gym.sim.machine.scripts.commands import SHELLS, split_options
from aiops_gym.sim.machine.scripts.files import Files, make_absolute
from aiops_gym.sim.machine.scripts.host import Running
from aiops_gym.sim.machine.scripts.parser import make_call
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Task
from aiops_gym.types import Json


class Started(NamedTuple):
    """What a script starts: the command and its environment."""

    command: runtime.Command
    env: dict[str, str]


def find_program(c: Container, machine: Running, argv: list[str]) -> Started | None:
    """The program of the image that a command line starts, with its environment; None where it starts none."""
    image, name = c.image(), argv[0].rpartition("/")[2]
    if image is None or (name not in image.binaries and (name not in runtime.WRAPPERS or not image.shell)):
        return None
    env = machine.environment()
    command = runtime.find_command(image, argv, machine.task.cwd, env.get("PATH", ""))
    if isinstance(command, runtime.StartError) or command.binary.program == runtime.SHELL:
        return None
    return Started(command, env)


def is_replaced(c: Container, task: Task) -> bool:
    """Whether the program that the first task starts takes its place: after `exec`, or as the last command.

    Dash stays and waits; bash and the shell of BusyBox become their last command, and so do `env` and its like.
    """
    shell, image = c.argv[0].rpartition("/")[2], c.image()
    stays = shell in SHELLS and shell != "bash" and (image is None or image.sh != "busybox")
    return not task.stack or (not stays and not c.state["traps"] and all(_is_over(frame) for frame in task.stack))


def _is_over(frame: list[Json]) -> bool:
    """Whether nothing comes after what a frame has begun."""
    if frame[0] in ("list", "script", "andor"):
        return int(frame[2]) >= len(frame[1][1])
    return frame[0] == "restore" or (frame[0] == "pipe" and not frame[1][2])


def read_main(c: Container) -> dict[str, Json]:
    """The first task of a process. Raises ScriptError."""
    argv, cwd = list(c.argv), _workdir(c)
    if argv[0].rpartition("/")[2] not in SHELLS:
        return tasks.new_task(make_call(argv), [argv[0]], cwd=cwd)
    letters, words = split_options(argv[1:])
    if "c" in letters and words:
        script, args = words[0], words[1:] or argv[:1]
    elif words:
        text = Files(c).read(make_absolute(words[0], cwd))
        if text is None:
            raise ScriptError(f"cannot open {words[0]}: No such file")
        script, args = text, words
    else:
        script, args = "", argv[:1]  # no terminal: an interactive shell reads the end of its input and ends
    return {**tasks.new_task(script, args, cwd=cwd), "options": "".join(sorted(set(letters) & set("eux")))}


def is_typed_into(c: Container) -> bool:
    """Whether it is a shell without a script whose input stays open: it waits for whoever attaches."""
    _, words = split_options(list(c.argv[1:]))
    return bool(c.spec().get("stdin")) and c.argv[0].rpartition("/")[2] in SHELLS and not words


def _workdir(c: Container) -> str:
    image = c.image()
    return str(c.spec().get("workingDir") or (image.workdir if image is not None else "/") or "/")
