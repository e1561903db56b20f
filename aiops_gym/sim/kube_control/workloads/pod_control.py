"""How DaemonSets, StatefulSets and Jobs make and delete their pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from aiops_gym import caches
from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control.workloads.replica_sets import compute_hash
from aiops_gym.sim.kube_control.writes import make_owner_reference

_REVISION = caches.slot(f"{__name__}.revision", "hashing a pod template")

BURST = 500
"""Pods that a controller makes at most in one look at an owner (`BurstReplicas`, `MaxPodCreateDeletePerSync`)."""


def build_pod(owner: Obj, template: Mapping[str, Any], labels: Mapping[str, str], name: str = "") -> dict[str, Any]:
    """A pod of an owner's template with further labels; without a name it gets a generated one."""
    meta = {k: v for k, v in (template.get("metadata") or {}).items() if k in ("labels", "annotations")}
    meta["labels"] = {**meta.get("labels", {}), **labels}
    meta |= {"name": name} if name else {"generateName": f"{name_of(owner)}-"}
    meta |= {"namespace": namespace_of(owner), "ownerReferences": [make_owner_reference(owner)]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": dict(template["spec"])}


def make(world: World, owner: Obj, pod: Mapping[str, Any], component: str) -> Obj | str:
    """Create a pod, with the usual events.

    Returns:
        The pod, or why it could not be made; "" where that is no failure, as its namespace is going away.
    """
    try:
        made = kube_api.create(world, "pods", pod)
    except kube_api.ApiError as error:
        causes = get(error.status, "details", "causes", default=())
        if any(cause.get("reason") == "NamespaceTerminating" for cause in causes):
            return ""
        events.record(world, owner, "Warning", "FailedCreate", f"Error creating: {error.message}", component)
        return error.message
    events.record(world, owner, "Normal", "SuccessfulCreate", f"Created pod: {name_of(made)}", component)
    return made


def make_all(world: World, owner: Obj, pods: Iterable[Mapping[str, Any]], component: str) -> tuple[list[Obj], str]:
    """Create pods in batches of 1, 2, 4 and so on, none after a batch with a refusal (`slowStartBatch`).

    Of more pods than one look may make, the first ones are made; their events are the reason for the next look.

    Returns:
        What was made, and the first refusal, "" if there was none.
    """
    waiting, made, refused, size = list(islice(pods, BURST)), list[Obj](), "", 1
    while waiting and not refused:
        for pod in waiting[:size]:
            outcome = make(world, owner, pod, component)
            if isinstance(outcome, str):
                refused = refused or outcome
            else:
                made.append(outcome)
        waiting, size = waiting[size:], 2 * size
    return made, refused


def is_failing(world: World, owner: Obj) -> bool:
    """Whether the last look at an owner failed: then any change of it is a reason to look again."""
    return uid_of(owner) in world.tables.get("retries", {})


def note_success(world: World, owner: Obj) -> None:
    """All went well with an owner: its next failure is a first one again."""
    world.table("retries").pop(uid_of(owner), None)


def remove(world: World, owner: Obj, pod: Obj, component: str) -> None:
    """Delete a pod, with the usual event."""
    kube_api.delete(world, "pods", namespace_of(pod), name_of(pod))
    events.record(world, owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name_of(pod)}", component)


class Pace(NamedTuple):
    """How a controller's rate limiter lets it try again: pauses (ms) that double, and how often at most."""

    first: int = 5
    longest: int = 1_000 * SECOND
    most: int = 2**31


USUAL = Pace()


def retry(world: World, owner: Obj, controller: str, pace: Pace = USUAL) -> None:
    """Look at an owner again after a pause that doubles with each failure.

    Table `retries`: uid -> [failures in a row, when the owner is looked at again (ms)]. Only one look is planned at a
    time, the earliest one.
    """
    table, uid = world.table("retries"), uid_of(owner)
    tries, due = table.get(uid, (0, 0))
    if tries >= pace.most:
        table.pop(uid)
        return
    again = world.now + min(pace.first << min(tries, 20), pace.longest)
    if world.now < due <= again:
        table[uid] = [tries + 1, due]
        return
    table[uid] = [tries + 1, again]
    world.schedule(again - world.now, f"{controller}.retry", key_of(owner), uid)


def look_again(world: World, resource: str, controller: str, key: str, uid: str) -> None:
    """Have a controller look at an owner whose time has come, if it is still there."""
    owner = world.store.by_key(resource, key)
    if owner is not None and uid_of(owner) == uid:
        world.enqueue(controller, key, 0)
    else:
        world.table("retries").pop(uid, None)


def compute_revision(owner: Obj) -> str:
    """The hash of the owner's template, as in the label `controller-revision-hash`."""
    cached = owner.memo.get(_REVISION)
    if cached is None:
        cached = owner.memo[_REVISION] = compute_hash(owner["spec"]["template"])
    return str(cached)
