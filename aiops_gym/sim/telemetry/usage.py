"""What metrics-server reports: CPU and memory of the last full window of 15 s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import name_of, uid_of
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.traffic import leaks, quotas, timeline
from aiops_gym.types import Json

WINDOW = 15_000
"""Milliseconds between two measurements (metrics-server's default resolution)."""

SYSTEM_CORES, SYSTEM_MEMORY = 0.12, 640 * 2**20
"""What kubelet, containerd and the kernel of a node take beside its pods."""


Used = dict[str, tuple[int, int]]
"""CPU (nanocores) and memory (bytes) by container."""


def measure_pod(world: World, obj: Mapping[str, Json]) -> Used:
    """What each container of a pod uses; empty until it lived through a whole window."""
    return measure_pods(world, [obj])[0]


def measure_pods(world: World, objects: Sequence[Mapping[str, Json]]) -> list[Used]:
    """The same of several pods, over one look at the timeline."""
    end = world.now // WINDOW * WINDOW
    found: list[Used] = [{} for _ in objects]
    intervals: list[timeline.Interval] | None = None
    for obj, used in zip(objects, found, strict=True):
        for container in obj["spec"]["containers"]:
            key = f"{uid_of(obj)}/{container['name']}"
            record = world.table("processes").get(key)
            if record is None or record["started"] > end - WINDOW or (record["ended"] and record["ended"] <= end):
                continue
            intervals = timeline.list_intervals(world, end - WINDOW, end) if intervals is None else intervals
            used[str(container["name"])] = _measured(world, key, record, intervals, end)
    return found


def measure_node(world: World, obj: Mapping[str, Json]) -> tuple[int, int]:
    """CPU (nanocores) and memory (bytes) of a node: its pods and its system."""
    name = name_of(obj)
    window = world.now // WINDOW
    cpu = SYSTEM_CORES * draws.between(0.85, 1.15, world.seed, "usage/cpu", name, window)
    memory = SYSTEM_MEMORY * draws.between(0.98, 1.02, world.seed, "usage/memory", name, window // 8)
    nanocores, used = int(cpu * 1e9), int(memory)
    for resident in measure_pods(world, world.store.on_node(name)):
        for cores, size in resident.values():
            nanocores, used = nanocores + cores, used + size
    return nanocores, used


def _measured(
    world: World, key: str, record: Process, intervals: Sequence[timeline.Interval], end: int
) -> tuple[int, int]:
    rps, busy = _asked(key, intervals, WINDOW)
    used = program_of(world, record).usage(record, rps, busy)
    number = end // WINDOW
    cpu = used["cpu"] * draws.between(0.9, 1.1, world.seed, "usage/cpu", record["id"], number)
    cpu = min(cpu, quotas.find_quota(world, key).cpu or cpu)  # who asks for more is throttled
    memory = (used["memory"] + leaks.find_leak(record).grown(end)) * draws.between(
        0.995, 1.005, world.seed, "usage/memory", record["id"], number // 4
    )
    return int(cpu * 1e9), int(memory) // 4096 * 4096


def measure_demand(world: World, key: str, start: int, end: int) -> tuple[float, float]:
    """Mean requests per second and cores that requests take, of a process over a time."""
    return _asked(key, timeline.list_intervals(world, start, end), end - start)


def _asked(key: str, intervals: Sequence[timeline.Interval], length: int) -> tuple[float, float]:
    rps = busy = 0.0
    for interval in intervals:
        processes = interval.outcome["processes"]
        if key in processes:
            i, share = processes.index(key), (interval.end - interval.start) / length
            rps += interval.outcome["rps"][i] * share
            busy += interval.outcome["cpu"][i] * share
    return rps, busy
