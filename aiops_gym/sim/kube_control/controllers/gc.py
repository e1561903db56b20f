"""The garbage collector: what an object owned goes after it (or, for a foreground deletion, before it)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, assoc, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.writes import remove_finalizer

FOREGROUND = "foregroundDeletion"


class GarbageCollector:
    """Deletes dependents whose last owner is gone; its keys are the uids of owners."""

    name = "gc"
    watches = ()

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Nothing by resource: owners and dependents are of all kinds, see `react`."""
        return ()

    def reconcile(self, world: World, key: str) -> None:
        """Delete the dependents of an owner that is gone or waits for them."""
        waiting = world.table("foreground").get(key)
        owner = world.store.by_key(*waiting) if waiting else None
        if owner is not None and uid_of(owner) != key:
            owner = None
        for resource, obj in list(_dependents(world, key)):
            if world.store.by_key(resource, key_of(obj)) is not None:
                _drop(world, resource, obj, key, foreground=owner is not None)
        if owner is not None and waiting and not any(_blocking(obj, key) for _, obj in _dependents(world, key)):
            del world.table("foreground")[key]
            remove_finalizer(world, waiting[0], owner, FOREGROUND)
        elif owner is None:
            world.table("foreground").pop(key, None)


def _dependents(world: World, uid: str) -> Iterator[tuple[str, Obj]]:
    for resource in sorted(world.store.resources()):
        for obj in world.store.owned(resource, uid):
            yield resource, obj


def _blocking(obj: Obj, uid: str) -> bool:
    return any(ref["uid"] == uid and ref.get("blockOwnerDeletion") for ref in obj["metadata"]["ownerReferences"])


def _drop(world: World, resource: str, obj: Obj, uid: str, foreground: bool) -> None:
    """Delete a dependent, or only take the reference off while another owner lives."""
    others = [ref for ref in obj["metadata"]["ownerReferences"] if ref["uid"] != uid]
    if any(_alive(world, namespace_of(obj), ref["uid"]) for ref in others):
        world.store.put(resource, assoc(obj, ("metadata", "ownerReferences"), others))
    elif not pods_of.is_terminating(obj):
        how = "Foreground" if foreground else "Background"
        kube_api.delete(world, resource, namespace_of(obj), name_of(obj), propagation=how)


def _alive(world: World, namespace: str, uid: str) -> bool:
    for resource in world.store.resources():
        for space in (namespace, ""):
            if any(uid_of(obj) == uid for obj in world.store.all(resource, space)):
                return True
    return False


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Note owners that are gone, owners that wait, and dependents for which an owner waited."""
    if resource == "events":
        return
    if new is None and old is not None:
        uid = uid_of(old)
        if any(f"owner {other} {uid}" in world.store.index for other in world.store.resources()):
            world.enqueue("gc", uid)
        for ref in old["metadata"].get("ownerReferences", ()):
            if ref["uid"] in world.table("foreground"):
                world.enqueue("gc", ref["uid"])
    elif new is not None and FOREGROUND in new["metadata"].get("finalizers", ()) and pods_of.is_terminating(new):
        waiting = world.table("foreground")
        if uid_of(new) not in waiting:
            waiting[uid_of(new)] = [resource, key_of(new)]
            world.enqueue("gc", uid_of(new))


controller = GarbageCollector()
