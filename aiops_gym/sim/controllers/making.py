"""How DaemonSets, StatefulSets and Jobs make and delete their pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim import api, events
from aiops_gym.sim.controllers.revisions import template_hash
from aiops_gym.sim.controllers.writes import owner_reference
from aiops_gym.sim.objects import Obj, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.times import SECOND
from aiops_gym.sim.world import World

LONGEST_RETRY = 1_000 * SECOND


def pod_from(owner: Obj, template: Mapping[str, Any], labels: Mapping[str, str], name: str = "") -> dict[str, Any]:
    """A pod of an owner's template with further labels; without a name it gets a generated one."""
    meta = {k: v for k, v in (template.get("metadata") or {}).items() if k in ("labels", "annotations")}
    meta["labels"] = {**meta.get("labels", {}), **labels}
    meta |= {"name": name} if name else {"generateName": f"{name_of(owner)}-"}
    meta |= {"namespace": namespace_of(owner), "ownerReferences": [owner_reference(owner)]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": dict(template["spec"])}


def make(world: World, owner: Obj, pod: Mapping[str, Any], component: str) -> Obj | str:
    """Create a pod, with the usual events: the pod, or why it could not be made."""
    try:
        made = api.create(world, "pods", pod)
    except api.ApiError as error:
        events.record(world, owner, "Warning", "FailedCreate", f"Error creating: {error.message}", component)
        return error.message
    settled(world, owner)
    events.record(world, owner, "Normal", "SuccessfulCreate", f"Created pod: {name_of(made)}", component)
    return made


def settled(world: World, owner: Obj) -> None:
    """A pod could be made: the next failure is a first one again."""
    world.table("retries").pop(uid_of(owner), None)


def remove(world: World, owner: Obj, pod: Obj, component: str) -> None:
    """Delete a pod, with the usual event."""
    api.delete(world, "pods", namespace_of(pod), name_of(pod))
    events.record(world, owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name_of(pod)}", component)


def retry(world: World, owner: Obj, controller: str) -> None:
    """Look at an owner again after 5 ms, doubling up to 1000 s, as the controllers' rate limiter does."""
    table, uid = world.table("retries"), uid_of(owner)
    tries = table.get(uid, 0)
    table[uid] = tries + 1
    delay = min(5 * 2 ** min(tries, 20), LONGEST_RETRY)
    world.schedule(delay, f"{controller}.retry", key_of(owner), uid)


def revision(owner: Obj) -> str:
    """The hash of the owner's template, as in the label `controller-revision-hash`."""
    cached = owner.memo.get("revision")
    if cached is None:
        cached = owner.memo["revision"] = template_hash(owner["spec"]["template"])
    return str(cached)
