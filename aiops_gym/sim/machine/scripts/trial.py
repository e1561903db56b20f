"""What a container runs in the end, whatever starts it: a shell, `env`, or nothing in between.

A script is tried in a fork, as the container would run it, up to the first program of the image that it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from aiops_gym.sim.kernel.blueprint import Binary
from aiops_gym.sim.kernel.objects import Obj, uid_of
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.images import find_image
from aiops_gym.sim.machine.scripts.commands import run as run_command
from aiops_gym.sim.machine.scripts.host import Host, Running
from aiops_gym.sim.machine.scripts.machine import Machine
from aiops_gym.sim.machine.scripts.main import Started, find_program, is_replaced, read_main
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

LONGEST = 10 * MINUTE
"""A script that has started nothing by then is taken to be what runs."""

MOST_TURNS = 200


class Final(NamedTuple):
    """What runs in the end.

    Attributes:
        argv: its command line, `binary` and `env` what is behind the name and what it gets.
        wrapped: the image's entry point script ran just before it.
        first: it is the container's first process, so that signals reach it.
        waited: ms that a script took before.
    """

    argv: list[str]
    binary: Binary
    env: Mapping[str, str]
    wrapped: bool = False
    first: bool = True
    waited: int = 0


def find_final(world: World, pod: Obj, container: Mapping[str, Json]) -> Final | runtime.StartError:
    """What a container of a pod runs in the end, or why it cannot start. The world stays as it is.

    Args:
        world: in which it would run.
        pod: with metadata and spec; it needs not be in the world, see `make_pod`.
        container: of its spec.
    """
    image = find_image(world, container.get("image", ""))
    if image is None:
        return runtime.StartError("CreateContainerError", f'failed to resolve image "{container.get("image", "")}"')
    env = runtime.environment(world, pod, container, image)
    command = runtime.resolve(image, container, env)
    if isinstance(command, runtime.StartError):
        return command
    plain = Final(command.argv, command.binary, env, command.wrapped)
    if command.binary.program != runtime.SHELL:
        return plain
    return _try(world.fork(), pod, container, command, env) or plain


def make_pod(namespace: str, template: Mapping[str, Json]) -> Obj:
    """A pod of a template, of which nothing depends on its name."""
    meta = {**(template.get("metadata") or {}), "name": "trial", "namespace": namespace, "uid": "trial"}
    return Obj({"metadata": meta, "spec": template["spec"], "status": {}})


def _try(
    fork: World, pod: Obj, container: Mapping[str, Json], command: runtime.Command, env: Mapping[str, str]
) -> Final | None:
    fork.store.put("pods", pod)
    key = f"{uid_of(pod)}/{container['name']}"
    state: Json = {"tasks": {}, "traps": {}}
    fork.table("processes")[key] = {**runtime.make_row(fork, pod, container, command, env), "state": state}
    c = Container(fork, key)
    try:
        return _Trial(c).run(read_main(c))
    except ScriptError:
        return None


class _Trial(Host):
    """Who runs the script: see `machine.Host`."""

    def __init__(self, c: Container) -> None:
        self.c = c
        self.command = run_command
        self.started: Started | None = None
        self.waiting: list[dict[str, Json]] = []

    def run(self, main: dict[str, Json]) -> Final | None:
        """The first program that the script starts, itself or in the background."""
        self.waiting = [main]
        for data in self.waiting:
            task, waited = Task(data), 0
            for _ in range(MOST_TURNS):
                stop = Machine(self, task).run()
                waited += stop.ms
                if stop.kind == "program" and self.started is not None:
                    argv, binary, wrapped = self.started.command
                    first = task.pid == 1 and is_replaced(self.c, task)
                    return Final(argv, binary, self.started.env, wrapped, first, waited)
                if stop.kind not in ("sleep", "busy") or waited > LONGEST:
                    break
        return None

    def launch(self, machine: Running, argv: list[str]) -> Stop | None:
        """The program that was looked for."""
        self.started = find_program(self.c, machine, argv)
        return Stop("program") if self.started is not None else None

    def spawn(self, data: dict[str, Json], now: int = 0, out: Host | None = None) -> int:
        """Tried when the one before stands still."""
        self.waiting.append({**data, "pid": len(self.waiting) + 1})
        return len(self.waiting)

    def trap(self, signal: str, script: str | None) -> None:
        """What a script traps decides whether it stays; see `is_replaced`."""
        traps = {**self.c.state["traps"], signal: script}
        self.c.remember(traps={name: each for name, each in traps.items() if each is not None})

    def children(self) -> list[int]:
        """Those in the background are tried later."""
        return [task["pid"] for task in self.waiting[1:]]
