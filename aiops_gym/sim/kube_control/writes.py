"""How controllers write objects: only when something changed, and with the generation a server would give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of
from aiops_gym.sim.kernel.world import World


def put_status(world: World, resource: str, obj: Obj, status: Mapping[str, Any]) -> Obj:
    """Write an object's status, unless it is what it was."""
    if obj.get("status") == status:
        return obj
    return world.store.put(resource, {**obj, "status": status})


def put_spec(world: World, resource: str, obj: Obj, changed: Mapping[str, Any]) -> Obj:
    """Write a changed object; its generation goes up with its spec."""
    if obj is changed or obj == changed:
        return obj
    if obj.get("spec") != changed.get("spec"):
        changed = assoc(changed, ("metadata", "generation"), int(get(obj, "metadata", "generation", default=0)) + 1)
    return world.store.put(resource, changed)


def remove_finalizer(world: World, resource: str, obj: Obj, finalizer: str) -> None:
    """Take a finalizer off an object; one that is being deleted and waited for nothing else is removed."""
    rest = [f for f in obj["metadata"].get("finalizers", []) if f != finalizer]
    meta = {k: v for k, v in obj["metadata"].items() if k != "finalizers"}
    if rest or not meta.get("deletionTimestamp") or meta.get("deletionGracePeriodSeconds"):
        world.store.put(resource, {**obj, "metadata": {**meta, "finalizers": rest} if rest else meta})
    else:
        world.store.remove(resource, key_of(obj))


def annotate(obj: Mapping[str, Any], annotations: Mapping[str, str]) -> Any:
    """The object with these annotations added, itself where it has them."""
    present = get(obj, "metadata", "annotations", default={})
    if present and present.items() >= annotations.items():
        return obj
    return assoc(obj, ("metadata", "annotations"), {**present, **annotations})


def make_owner_reference(owner: Mapping[str, Any]) -> dict[str, Any]:
    """The reference by which `owner` controls what it makes."""
    return {
        "apiVersion": owner["apiVersion"],
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }


def find_condition(conditions: Iterable[Mapping[str, Any]], type_: str) -> Mapping[str, Any] | None:
    """The condition of a type, if there is one."""
    for found in conditions:
        if found["type"] == type_:
            return found
    return None


def kept_since(world: World, old: Mapping[str, Any] | None, status: str) -> str:
    """Since when a condition has had this status: as before where it had it before, or else now."""
    found = old.get("lastTransitionTime") if old is not None and old["status"] == status else None
    return str(found or world.timestamp)


def without_condition(conditions: Sequence[Mapping[str, Any]], type_: str) -> list[Mapping[str, Any]]:
    """Conditions but for one type."""
    return [found for found in conditions if found["type"] != type_]


def compact(status: Mapping[str, Any], keep: Sequence[str] = ()) -> dict[str, Any]:
    """Drop what Go's `omitempty` would not print: zeros, empty lists and None, but for the fields in `keep`."""
    return {k: v for k, v in status.items() if k in keep or v not in (None, 0, [])}
