"""What ends a pod as a whole though its containers could go on: its deadline, and the disk it uses.

The kubelet looks at deadlines each second, and at disks each 10 s: a pod has ended 12 to 13 s after it passed a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.quantity import whole
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.machine.mounts import find_container_spec

DEADLINE = "DeadlineExceeded"
TOO_LATE = "Pod was active on the node longer than the specified deadline"
NOTICED = (9_400, 10_200)
"""After a disk limit was passed, the pod's end begins within these times (ms)."""

ANSWERS = 2
"""Times that the deadline is spoken of when it passes, and again when the containers have ended."""


def plan_deadline(world: World, uid: str, pod: Obj) -> None:
    """Have a pod with a deadline looked at when that has passed."""
    seconds = get(pod, "spec", "activeDeadlineSeconds")
    begun = get(pod, "status", "startTime")
    if seconds is None or not begun:
        return
    due = millis(begun) + int(seconds) * SECOND
    world.schedule(
        records.next_relist(world, pod["spec"]["nodeName"]) - world.now + due - world.now, "kubelet.limit", uid
    )


def is_overdue(world: World, pod: Obj) -> bool:
    """Whether the pod has been active for longer than it may."""
    seconds, begun = get(pod, "spec", "activeDeadlineSeconds"), get(pod, "status", "startTime")
    return seconds is not None and bool(begun) and world.now >= millis(begun) + int(seconds) * SECOND


def note_end(world: World, uid: str, pod: Obj, reason: str) -> None:
    """Say again why the pod has ended, where the kubelet does."""
    if reason == DEADLINE:
        say_deadline(world, pod)


def say_deadline(world: World, pod: Obj) -> None:
    """The events of a deadline that has passed."""
    for _ in range(ANSWERS):
        events.record(world, pod, "Normal", DEADLINE, TOO_LATE, "kubelet", pod["spec"]["nodeName"])


def find_excess(world: World, pod: Obj) -> str:
    """Which limit of its disk a pod has passed, as the event says it; "" if none."""
    return next(_excesses(world, pod), "")


def _excesses(world: World, pod: Obj) -> Iterator[str]:
    uid = pod["metadata"]["uid"]
    specs = pod["spec"]["containers"]
    sizes = {c["name"]: _sizes(world, uid, c["name"]) for c in specs}
    for volume in pod["spec"].get("volumes") or ():
        limit = get(volume, "emptyDir", "sizeLimit")
        if get(volume, "emptyDir", "medium") == "Memory":
            continue  # a file system of its own, which is never larger than that
        if limit is not None and _in_volume(world, pod, sizes, volume["name"]) > whole(str(limit)):
            yield f'Usage of EmptyDir volume "{volume["name"]}" exceeds the limit "{limit}". '
    limits = {c["name"]: get(c, "resources", "limits", "ephemeral-storage") for c in specs}
    given = {name: str(limit) for name, limit in limits.items() if limit is not None}
    memory = {v["name"] for v in pod["spec"].get("volumes") or () if get(v, "emptyDir", "medium") == "Memory"}
    total = sum(
        size for name in sizes for path, size in sizes[name].items() if _mount_of(pod, name, path) not in memory
    )
    if given and total > sum(whole(limit) for limit in given.values()):
        text = _sum(list(given.values()))
        yield f"Pod ephemeral local storage usage exceeds the total limit of containers {text}. "
    for name, limit in given.items():
        own = sum(size for path, size in sizes[name].items() if not _mount_of(pod, name, path))
        if own > whole(limit):
            yield f'Container {name} exceeded its local ephemeral storage limit "{limit}". '


def _sum(amounts: list[str]) -> str:
    """The sum of amounts, written with a binary unit where it can be."""
    if len(amounts) == 1:
        return amounts[0]
    total = sum(whole(amount) for amount in amounts)
    units = (unit for unit, power in (("Gi", 30), ("Mi", 20), ("Ki", 10)) if total % (1 << power) == 0)
    unit = next(units, "")
    return f"{total >> {'Gi': 30, 'Mi': 20, 'Ki': 10, '': 0}[unit]}{unit}"


def _sizes(world: World, uid: str, name: str) -> Mapping[str, int]:
    process = world.table("processes").get(f"{uid}/{name}")
    found: Mapping[str, int] = process["state"].get("sizes") or {} if process else {}
    return found


def _in_volume(world: World, pod: Obj, sizes: Mapping[str, Mapping[str, int]], volume: str) -> int:
    return sum(
        size for name, files in sizes.items() for path, size in files.items() if _mount_of(pod, name, path) == volume
    )


def _mount_of(pod: Obj, name: str, path: str) -> str:
    """The volume in which a path lies, "" for the container's own layer."""
    mounts = find_container_spec(pod, name).get("volumeMounts") or ()
    return next((m["name"] for m in mounts if path.startswith(f"{m['mountPath'].rstrip('/')}/")), "")


def observe(world: World) -> None:
    """Something changed: plan to look at the pods that use too much disk."""
    planned = world.table("evictions")
    for uid, pod in _limited(world):
        if uid not in planned and find_excess(world, pod):
            planned[uid] = world.now
            world.schedule(records.draw_duration(world, *NOTICED, "evict", uid), "kubelet.limit", uid)


def _limited(world: World) -> Iterator[tuple[str, Obj]]:
    """Pods in which something has been written that counts."""
    seen = set[str]()
    for process in world.table("processes").values():
        uid = process["uid"]
        if process["running"] and process["state"].get("sizes") and uid not in seen:
            seen.add(uid)
            pod = world.store.by_key("pods", process["pod"])
            if pod is not None and not pods_of.is_terminal(pod):
                yield uid, pod
