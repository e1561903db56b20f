"""The kernel kills what grows beyond its container's memory limit, exit code 137, reason OOMKilled.

A process approaches its level within a minute, as its metrics show; where the limit lies below it, it is passed on the
way; one that leaks passes any limit in the end. When that will be is known when it starts, and reckoned anew when the
load changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from aiops_gym import caches
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.software import programs
from aiops_gym.sim.telemetry.metrics import WARM_UP
from aiops_gym.sim.telemetry.usage import measure_demand
from aiops_gym.sim.traffic import leaks, quotas
from aiops_gym.types import Json

_FITTING = caches.slot(
    f"{__name__}.fitting",
    "asking each process whether it fits into its limit",
    key="the world",
    ends="another row in the place of the process or the limit, which is held and compared with `is`",
)

Fitting = Mapping[str, tuple[Json, Json]]
"""Row and quota of each process that will never pass its limit."""

AT_START = 0.6
"""Share of its level that a process takes at once."""

BUSIEST = (10_000.0, 8.0)
"""Requests per second, and cores for them, that no process has: one that fits even then needs no second look."""

SOONEST = 120
"""Milliseconds until the first pages beyond the limit are touched."""


def observe(world: World) -> None:
    """Something changed: plan the end of processes that will not fit into their limit."""
    planned, limits = world.table("memory_ends"), world.table("quotas")
    known: Fitting = world.memo.get(_FITTING, {})
    world.memo[_FITTING] = fitting = dict[str, tuple[Json, Json]]()
    for key, process in world.table("processes").items():
        limit = limits.get(key)
        seen = known.get(key)
        if seen is not None and seen[0] is process and seen[1] is limit:
            fitting[key] = seen
            continue
        if not process["running"] or planned.get(key) == process["id"]:
            continue
        if _fits(process, quotas.find_quota(world, key).memory):
            fitting[key] = process, limit
            continue
        wait = passes_in(world, key)
        if wait is not None:
            planned[key] = process["id"]
            world.schedule(wait, "kubelet.memory", key, process["id"])
    for key in [key for key in planned if key not in world.table("processes")]:
        del planned[key]


def _fits(process: Process, limit: float) -> bool:
    """Whether a process has no limit, or one that it does not pass even at its busiest."""
    if limit and leaks.read_leak(process):
        return False
    return not limit or programs.find(process["program"]).usage(process, *BUSIEST)["memory"] <= limit


def passes_in(world: World, key: str) -> int | None:
    """Milliseconds until a running process passes its container's limit; None if it never does."""
    process, limit = world.table("processes")[key], quotas.find_quota(world, key).memory
    if _fits(process, limit):
        return None
    usage = programs.find(process["program"]).usage
    start = int(process["started"])
    rps, busy = (
        measure_demand(world, key, max(start, world.now - 15 * SECOND), world.now) if world.now > start else (0.0, 0.0)
    )
    level = usage(process, rps, busy)["memory"]
    if level <= limit:
        leak = leaks.read_leak(process)
        since = int(leaks.find_leak(process).since)
        return max(0, since + int(1000 * (limit - level) / leak) - world.now) if leak else None
    share = limit / level
    due = start + SOONEST
    if share > AT_START:
        due += int(-WARM_UP * log((1.0 - share) / (1.0 - AT_START)))
    return max(0, due - world.now)


def _due(world: World, key: str, id_: str) -> None:
    process = world.table("processes").get(key)
    planned = world.table("memory_ends")
    if planned.get(key) == id_:
        del planned[key]
    if process is None or process["id"] != id_ or not process["running"]:
        return
    wait = passes_in(world, key)
    if wait == 0:
        runtime.finish(world, key, 137, "OOMKilled")
    else:
        world.touch()


HANDLERS: dict[str, Handler] = {"kubelet.memory": _due}
