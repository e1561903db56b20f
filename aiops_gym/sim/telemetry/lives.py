"""The processes of a namespace from their start to their end: whose counters there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry import journal
from aiops_gym.types import Json


class Life(NamedTuple):
    """One process from its start to its end (0: it runs), with what it was."""

    key: str
    id: str
    pod: str
    node: str
    container: str
    started: int
    ended: int
    record: Instance


def collect_lives(world: World, namespace: str, node: str = "") -> list[Life]:
    """All processes of a namespace ("" for all) that run or ended within the last hour, by pod and start.

    Args:
        world: whose.
        namespace: "" for all.
        node: "" for all.
    """
    found: dict[str, Life] = {}
    prefix = f"{namespace}/" if namespace else ""
    for table in (world.table("processes"), world.table("previous")):
        for key, row in table.items():
            if (not node or row["node"] == node) and row["pod"].startswith(prefix):
                found[row["id"]] = make_life(key, row["id"], row)
    for identity, over in world.table("ended").items():
        if identity not in found and (not node or over["node"] == node) and over["pod"].startswith(prefix):
            found[identity] = make_life(f"{over['uid']}/{over['container']}", identity, over)
    return sorted(found.values(), key=lambda life: (life.pod, life.started, life.id))


def make_life(key: str, identity: str, row: Instance) -> Life:
    """A row of a table of processes as a life."""
    return Life(
        key, identity, row["pod"].partition("/")[2], row["node"], row["container"], row["started"], row["ended"], row
    )


def find_births(world: World, everyone: Sequence[Life]) -> dict[str, int]:
    """Since when the pod of each life lives (ms), by the life's id: network counters belong to the pod's sandbox."""
    found: dict[str, int] = {}
    for life in everyone:
        uid = life.record["uid"]
        if uid not in found:
            found[uid] = life.started if (born := _find_start(world, life)) is None else born
        found[uid] = min(found[uid], life.started)
    return {life.id: found[life.record["uid"]] for life in everyone}


def _find_start(world: World, life: Life) -> int | None:
    """When a kubelet took the pod on, if anything is known of it."""
    pod: Mapping[str, Json] | None = world.store.by_key("pods", life.record["pod"])
    if pod is None or pod["metadata"]["uid"] != life.record["uid"]:
        pod = journal.find_gone(world, "pods", life.record["pod"], life.record["uid"])
    said = get(pod, "status", "startTime") if pod is not None else None
    if pod is None or not said:
        return None
    made = pod["metadata"].get("creationTimestamp")
    return max(millis(each) for each in (said, made) if each)  # anybody may write a status: 1970
