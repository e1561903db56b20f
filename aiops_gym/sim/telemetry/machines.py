"""What the machines below the nodes do: processor time since they started, and memory in use."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiops_gym.sim.kernel.objects import get, labels_of
from aiops_gym.sim.telemetry import scrapes, usage
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import Scrape, grow, wobble
from aiops_gym.sim.telemetry.metrics import MEASURES
from aiops_gym.sim.traffic import timeline
from aiops_gym.sim.traffic.quotas import parse_amount
from aiops_gym.types import Json

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
RESIDENTS, IDLE = 0.08, 0.0025
"""Cores that the cluster's own pods take on a node, and each process of the application when nobody asks it."""

SYSTEM_BYTES = 5_200.0
"""Bytes per second that a node sends and receives by itself."""


def count_busy(scrape: Scrape) -> Floats:
    """Seconds of processor time that a node has used since it started: its system's, its pods', and for requests."""
    own = grow(scrape._replace(life=None), "system") * (usage.SYSTEM_CORES + RESIDENTS)
    return np.round(own + _add_up(scrape, "cpu", IDLE), 2)


def count_bytes(scrape: Scrape, way: str) -> Floats:
    """Bytes that a node has received or sent since it started."""
    return np.floor(grow(scrape._replace(life=None), way) * SYSTEM_BYTES + _add_up(scrape, way))


def _add_up(scrape: Scrape, column: str, idle: float = 0.0) -> Floats:
    """What requests took on a node since it started, of one column of the outcomes, and what each process takes idle.

    It is taken from the timeline, which forgets nothing that has ended, so that the sum never falls.
    """
    world, node = scrape.world, scrape.world.store.get("nodes", "", scrape.node)
    workers = [each for each in world.store.all("nodes") if CONTROL_PLANE not in labels_of(each)]
    last = int(scrape.times.max(initial=0)) + 1
    intervals = timeline.list_intervals(world, world.blueprint.start, last)
    if node is None or CONTROL_PLANE in labels_of(node) or not intervals:
        return scrape.constant(0.0)
    rates = {each.digest: sum(each.outcome[column]) + idle * len(each.outcome[column]) for each in intervals}
    edges = [*(each.start for each in intervals), intervals[-1].end]
    sums = np.cumsum([0.0, *(rates[each.digest] * (each.end - each.start) / 1000.0 for each in intervals)])
    found: Floats = np.interp(scrape.times, edges, sums) / len(workers)
    return found


def measure_memory(scrape: Scrape) -> Floats:
    """Bytes in use on a node: its system's and those of its processes."""
    seen = scrapes.scrape_processes(scrape.world, scrape.node, "", scrape.times.tolist())
    values = MEASURES["container_memory_working_set_bytes"](seen.own)
    used = sum((np.nan_to_num(column) for column in seen.columns(values, len(scrape.times))), scrape.constant(0.0))
    return np.floor((used + usage.SYSTEM_MEMORY * wobble(scrape._replace(life=None), "memory", 0.02)) / 4096) * 4096


def count_kills(scrape: Scrape) -> Floats:
    """Processes that the kernel of a node has killed for want of memory."""
    known = scrape.world.table("oom_kills").get(scrape.node) or {"before": 0, "times": []}
    found: Floats = known["before"] + np.searchsorted(known["times"], scrape.times, "right").astype(np.float64)
    return found


def read_capacity(scrape: Scrape, resource: str) -> float:
    """How much of something a node has."""
    node: Mapping[str, Json] = scrape.world.store.get("nodes", "", scrape.node) or {}
    return parse_amount(str(get(node, "status", "capacity", resource, default="0")))


def read_info(scrape: Scrape, name: str) -> str:
    """What a node says of its system."""
    node: Mapping[str, Json] = scrape.world.store.get("nodes", "", scrape.node) or {}
    return str(get(node, "status", "nodeInfo", name, default=""))
