"""Who is connected to a server: processes whose requests come to it, each over connections that it keeps open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.traffic import timeline
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

POOL, FIRST_PORT, PORTS = 3, 32_768, 28_232
"""Connections that a service keeps open under a light load, and the ports from which Linux opens them."""


def find_calls(outcome: Mapping[str, Json], key: str) -> Iterator[tuple[int, Json, Json]]:
    """(number of the caller, call, target) of all calls that lead to a process."""
    nodes, me = outcome["nodes"], outcome["processes"].index(key) if key in outcome["processes"] else -1
    for node in nodes:
        for item in node["calls"]:
            for call in item if isinstance(item, list) else (item,):
                for target in call["to"]:
                    if target[0] >= 0 and nodes[target[0]]["process"] == me:
                        yield node["process"], call, target


def list_connections(c: Container) -> list[tuple[int, str, str]]:
    """(since when in ms, address, last command) of those that services have, oldest first."""
    outcome, commands, found = timeline.read_current(c.world), dict[str, str](), list[tuple[int, str, str]]()
    for source, call, target in find_calls(outcome, c.key):
        if outcome["rps"][source]:
            plain = "zadd" if outcome["nodes"][target[0]].get("adds") else "zrevrange"
            commands[outcome["processes"][source]] = call["span"].lower() if call["span"].isupper() else plain
    for key, command in commands.items():
        row = c.world.table("processes")[key]
        since = max(int(row["started"]), int(c.process["started"]))
        for i in range(POOL):
            port = FIRST_PORT + draws.pick(PORTS, c.world.seed, "redis/port", str(row["id"]), i)
            found.append((since, f"{row['ip']}:{port}", command))
    return sorted(found)
