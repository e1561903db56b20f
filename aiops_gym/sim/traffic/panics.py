"""Requests that make a process crash: found in the stream of requests to come, and done when their time has come."""

from __future__ import annotations

from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.traffic import risks, stream, timeline
from aiops_gym.sim.traffic.arrivals import BUCKET
from aiops_gym.sim.traffic.failure_lines import Failure
from aiops_gym.types import Json

HORIZON = 60_000
"""Milliseconds of requests that are looked through at once."""


def plan(world: World) -> None:
    """Schedule the next crash that requests will cause, or the next look for one."""
    note = world.table("panics")
    if not risks.find_crashing(*timeline.read_newest(world)):
        note.pop("next", None)
        return
    at, found = _next(world)
    mark = [at, *([found.process, found.source, found.message, found.panic] if found else [])]
    if note.get("next") == mark:
        return
    note["next"] = mark
    kind = "traffic.panic" if found else "traffic.look"
    world.schedule(at - world.now, kind, mark)


def _next(world: World) -> tuple[int, Failure | None]:
    """When the next crash happens and what it is; or when to look again."""
    now = world.now
    for start in range(now, now + HORIZON, BUCKET):
        found = [f for f in stream.list_crashes(world, start, start + BUCKET) if f.ms > now]
        if found:
            return found[0].ms, found[0]
    return now + HORIZON, None


def _panic(world: World, mark: list[Json]) -> None:
    """Crash the process, if nothing has changed since this was foreseen."""
    if world.table("panics").get("next") != mark:
        return
    del world.table("panics")["next"]
    _, key, source, message, error = mark
    process = world.table("processes").get(key)
    if process is None or not process["running"]:
        return
    container, program = Container(world, key), program_of(world, process)
    text = message if error in message else f"{message}: {error}"
    crash = getattr(program, "crash", None)
    if crash is not None:
        crash(container, source, text)
    else:
        told = [program.format(world.now, "panic", source, text)] if source else []
        container.log(*told, f"panic: {text}")
        container.exit(2)


def _look(world: World, mark: list[Json]) -> None:
    """Nothing crashed so far: look further ahead."""
    if world.table("panics").get("next") == mark:
        del world.table("panics")["next"]
        plan(world)


HANDLERS: dict[str, Handler] = {"traffic.panic": _panic, "traffic.look": _look}
