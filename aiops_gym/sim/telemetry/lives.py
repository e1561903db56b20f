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


def collect_lives(world: World, namespace: str) -> list[Life]:
    """All processes of a namespace ("" for all) that run or ended within the last hour, by pod and start."""
    found: dict[str, Life] = {}
    prefix = f"{namespace}/" if namespace else ""
    for table in (world.table("processes"), world.table("previous")):
        for key, row in table.items():
            if row["pod"].startswith(prefix):
                found[row["id"]] = make_life(key, row["id"], row)
    for identity, over in world.table("ended").items():
        if identity not in found and over["pod"].startswith(prefix):
            found[identity] = make_life(f"{over['uid']}/{over['container']}", identity, over)
    return sorted(found.values(), key=lambda life: (life.pod, life.started, life.id))


def make_life(key: str, identity: str, row: Instance) -> Life:
    """A row of a table of processes as a life."""
    return Life(
        key, identity, row["pod"].partition("/")[2], row["node"], row["container"], row["started"], row["ended"], row
    )


def join_lives(world: World, everyone: Sequence[Life]) -> list[Life]:
    """Each life with all that its pod lived through before: network counters belong to the pod's sandbox."""
    first: dict[str, int] = {}
    for life in everyone:
        uid = life.record["uid"]
        first[uid] = min(first.get(uid, life.started), life.started)
    return [_whole_pod(world, life, first[life.record["uid"]]) for life in everyone]


def _whole_pod(world: World, life: Life, started: int) -> Life:
    pod: Mapping[str, Json] | None = world.store.by_key("pods", life.record["pod"])
    if pod is None or pod["metadata"]["uid"] != life.record["uid"]:
        pod = journal.find_gone(world, "pods", life.record["pod"], life.record["uid"])
    born = None
    if pod is not None:
        made, said = pod["metadata"].get("creationTimestamp"), get(pod, "status", "startTime")
        born = max(millis(each) for each in (said, made) if each) if said else None  # anybody may write a status: 1970
    return life._replace(id=life.record["uid"], started=started if born is None else min(started, born))
