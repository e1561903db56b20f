"""What containers may use: noted while their pods exist, because counters are asked for later too.

Table `quotas`: process key -> [CPU limit in cores or None, CPU request in cores, memory limit in bytes].
"""

from __future__ import annotations

from typing import NamedTuple

from aiops_gym import caches
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import World

LEAST_CORES = 0.01
"""The kubelet gives no container less: 1 ms of each 100 ms."""

ENTRIES = 600
"""Rows kept before those of processes that are long gone are dropped."""


class Quota(NamedTuple):
    """Limits of one container: cores (None: no limit), requested cores, bytes of memory (0: no limit)."""

    cpu: float | None
    request: float
    memory: float


def note(world: World) -> None:
    """Note the quotas of processes that are new."""
    rows = world.table("quotas")
    for key, process in world.table("processes").items():
        if key not in rows:
            rows[key] = list(_read(world, process))
    if len(rows) > ENTRIES:
        alive = {*world.table("processes"), *world.table("previous")}
        alive |= {f"{row['uid']}/{row['container']}" for row in world.table("ended").values()}
        for key in [key for key in rows if key not in alive]:
            del rows[key]


def find_quota(world: World, key: str) -> Quota:
    """The quota of a process, running or not."""
    row = world.table("quotas").get(key)
    if row is not None:
        return Quota(*row)
    process = world.table("processes").get(key)
    return _read(world, process) if process is not None else Quota(None, 0.0, 0.0)


def _read(world: World, process: Process) -> Quota:
    pod = world.store.by_key("pods", str(process["pod"]))
    for container in get(pod or {}, "spec", "containers", default=()):
        if container["name"] == process["container"]:
            cpu = get(container, "resources", "limits", "cpu")
            request = get(container, "resources", "requests", "cpu", default="0")
            memory = get(container, "resources", "limits", "memory", default="0")
            limit = parse_amount(str(cpu or "0"))  # a limit of nothing is none
            cores = max(LEAST_CORES, limit) if limit > 0.0 else None
            return Quota(cores, parse_amount(str(request)), max(0.0, parse_amount(str(memory))))
    return Quota(None, 0.0, 0.0)


@caches.function(4_096, "parsing a quantity of a limit")
def parse_amount(text: str) -> float:
    """A Kubernetes quantity as a number; 0 for what is none.

    >>> parse_amount("1500m"), parse_amount("64Mi"), parse_amount("2"), parse_amount("5e-1")
    (1.5, 67108864.0, 2.0, 0.5)
    """
    try:
        return float(quantity.parse(text))
    except ValueError:
        return 0.0
