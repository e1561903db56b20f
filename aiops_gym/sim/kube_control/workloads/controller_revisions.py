"""ControllerRevisions: the templates that a StatefulSet or DaemonSet had, and their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import pod_control
from aiops_gym.sim.kube_control.writes import make_owner_reference

RESOURCE = "controllerrevisions.apps"
HASH = "controller-revision-hash"


def make_name(owner: Obj) -> str:
    """The name of the revision of the owner's present template."""
    return f"{name_of(owner)}-{pod_control.compute_revision(owner)}"


def remember(world: World, owner: Obj, label: str) -> Obj | None:
    """Have a revision of the owner's present template, with the highest number; `label` holds its hash."""
    there = world.store.owned(RESOURCE, uid_of(owner))
    newest = max((int(one.get("revision", 0)) for one in there), default=0)
    found = next((one for one in there if name_of(one) == make_name(owner)), None)
    if found is not None:
        return (
            found
            if found.get("revision", 0) == newest
            else world.store.put(RESOURCE, {**found, "revision": newest + 1})
        )
    template = owner["spec"]["template"]
    meta: dict[str, Any] = {
        "name": make_name(owner),
        "namespace": namespace_of(owner),
        "labels": {**labels_of(template), label: pod_control.compute_revision(owner)},
        "ownerReferences": [make_owner_reference(owner)],
    }
    if notes := get(owner, "metadata", "annotations"):
        meta["annotations"] = dict(notes)
    body = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": meta, "revision": newest + 1}
    body["data"] = {"spec": {"template": {**template, "$patch": "replace"}}}
    try:
        return kube_api.create(world, RESOURCE, body)
    except kube_api.ApiError:
        return None  # the namespace is going away


def find_template(world: World, owner: Obj, revision: str) -> Mapping[str, Any]:
    """The template of a revision; the owner's own one where that is forgotten."""
    kept = get(world.store.get(RESOURCE, namespace_of(owner), revision) or {}, "data", "spec", "template")
    if not isinstance(kept, dict) or not get(kept, "spec", "containers"):  # a revision may be written by hand
        found: Mapping[str, Any] = owner["spec"]["template"]
        return found
    return {k: v for k, v in kept.items() if k != "$patch"}


def forget(world: World, owner: Obj, used: Iterable[str]) -> None:
    """Delete revisions that nothing uses any more, beyond `revisionHistoryLimit`, the oldest first."""
    if pods_of.is_terminating(owner):
        return
    limit, kept = int(get(owner, "spec", "revisionHistoryLimit", default=10)), set(used)
    idle = [one for one in world.store.owned(RESOURCE, uid_of(owner)) if name_of(one) not in kept]
    idle.sort(key=lambda one: int(one.get("revision", 0)))
    for one in idle[: max(0, len(idle) - limit)]:
        kube_api.delete(world, RESOURCE, namespace_of(one), name_of(one))
