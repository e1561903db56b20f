"""What a kubelet remembers of each of its pods, and when it looks at one again.

A pod's worker does one thing at a time. `wake` asks for a sync at some time; while the worker is busy with a step that
takes time (a pull, a kill), the wish is kept until it is free. Each planned step has a turn; one whose turn is over is
stale and does nothing.
Its records are the rows of table `kubelet`, see `sim.kernel.tables`.
"""

from __future__ import annotations

from typing import cast

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, key_of, uid_of
from aiops_gym.sim.kernel.tables import ContainerRecord, PodRecord
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

EMPTY: ContainerRecord = {
    "state": "",
    "id": "",
    "image": "",
    "restarts": 0,
    "started": 0,
    "ended": 0,
    "code": 0,
    "reason": "",
    "message": "",
    "last": None,
    "why": None,
    "ready": False,
    "up": False,
    "doom": "",
    "hook": 0,
    "killed": False,
    "last_ended": 0,
    "pull": [0, 0],
    "probes": {},
}
"""A container that was never created."""

RETRY = 10 * SECOND
"""After a failed sync, the next one comes after this time and up to half of it more."""


def find(world: World, uid: str) -> PodRecord | None:
    """The record of a pod, or None."""
    return world.table("kubelet").get(uid)


def ensure(world: World, pod: Obj) -> PodRecord:
    """The record of a pod, made when first asked for."""
    table, uid = world.table("kubelet"), uid_of(pod)
    if uid not in table:
        table[uid] = {
            "key": key_of(pod),
            "node": pod["spec"]["nodeName"],
            "since": world.now,
            "ip": "",
            "sandbox": 0,
            "mounted": False,
            "volumes": {},
            "busy": "",
            "turn": 0,
            "next": 0,
            "again": 0,
            "failed": False,
            "dying": False,
            "grace": 0,
            "ending": None,
            "resume": None,
            "killing": [],
            "queue": {},
            "backoff": {},
            "containers": {},
        }
    return table[uid]


def change(world: World, uid: str, **fields: Json) -> PodRecord:
    """Replace fields of a record."""
    table = world.table("kubelet")
    table[uid] = changed = cast("PodRecord", {**table[uid], **fields})
    return changed


def find_container(record: PodRecord, name: str) -> ContainerRecord:
    """What is known of a container."""
    return record["containers"].get(name, EMPTY)


def change_container(world: World, uid: str, name: str, **fields: Json) -> ContainerRecord:
    """Replace fields of a container of a record."""
    record = world.table("kubelet")[uid]
    changed = cast("ContainerRecord", {**record["containers"].get(name, EMPTY), **fields})
    change(world, uid, containers={**record["containers"], name: changed})
    return changed


def pod_of(world: World, uid: str, record: PodRecord) -> Obj | None:
    """The pod of a record; None when it is gone or another has its name."""
    pod = world.store.by_key("pods", record["key"])
    return pod if pod is not None and uid_of(pod) == uid else None


def wake(world: World, uid: str, at: int) -> None:
    """Have the pod synced at a time (ms), or earlier if that was planned already."""
    record = world.table("kubelet")[uid]
    if record["busy"]:
        if not record["again"] or at < record["again"]:
            change(world, uid, again=at)
    elif not record["next"] or at < record["next"]:
        turn = record["turn"] + 1
        change(world, uid, turn=turn, next=at)
        world.schedule(at - world.now, "kubelet.sync", uid, turn)


def continue_later(world: World, uid: str, delay: int, step: str, *arguments: Json) -> None:
    """Go on with a step in `delay` ms; until then the worker is busy."""
    turn = world.table("kubelet")[uid]["turn"] + 1
    change(world, uid, turn=turn, next=0, busy=step)
    world.schedule(delay, "kubelet.step", uid, turn, step, list(arguments))


def finish_sync(world: World, uid: str) -> None:
    """The sync is over: retry later what failed, and do what was wanted meanwhile."""
    record = world.table("kubelet")[uid]
    change(world, uid, busy="", again=0, failed=False)
    if record["failed"]:
        wake(world, uid, world.now + draw_duration(world, RETRY, RETRY * 3 // 2, "retry", uid))
    if record["again"]:
        wake(world, uid, max(world.now, record["again"]))


def next_relist(world: World, node: str) -> int:
    """When the kubelet of a node next looks at its containers: each second (PLEG)."""
    phase = draws.pick(SECOND, world.seed, "relist", node)
    return world.now + 1 + (phase - world.now - 1) % SECOND


def draw_duration(world: World, low: int, high: int, purpose: str, uid: str) -> int:
    """A duration in ms that differs from pod to pod and from time to time."""
    return round(draws.between(low, high, world.seed, purpose, uid, world.now))
