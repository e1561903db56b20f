"""Namespaces: one that is deleted goes when all that was in it has gone, and says meanwhile what it waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.writes import find_condition, kept_since, put_status

OWN = "kubernetes"
CALM = (
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    ("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
)
NONE_LEFT = ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
NONE_FINAL = ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")


class NamespaceController:
    """Empties namespaces that are being deleted."""

    name = "namespace"
    watches = ("namespaces",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A namespace that is being deleted."""
        if new is not None and pods_of.is_terminating(new):
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Delete what is left; without a rest, the namespace itself."""
        namespace = world.store.by_key("namespaces", key)
        if namespace is None or not pods_of.is_terminating(namespace):
            return
        name = name_of(namespace)
        for resource, obj in _content(world, name):
            if not pods_of.is_terminating(obj) and world.store.by_key(resource, key_of(obj)) is not None:
                kube_api.delete(world, resource, name, name_of(obj))
        rest = _content(world, name)
        finalizers = [f for f in get(namespace, "spec", "finalizers", default=[]) if f != OWN]
        if not rest and not finalizers and not namespace["metadata"].get("finalizers"):
            world.store.remove("namespaces", key)
            return
        conditions = _conditions(world, namespace, rest)
        status = {**get(namespace, "status", default={}), "conditions": conditions, "phase": "Terminating"}
        if not rest:
            namespace = Obj({**namespace, "spec": {"finalizers": finalizers} if finalizers else {}})
        put_status(world, "namespaces", namespace, status)


def _content(world: World, name: str) -> list[tuple[str, Obj]]:
    """All objects in a namespace; pods last, so that nobody replaces them."""
    resources = sorted(world.store.resources(), key=lambda resource: (resource == "pods", resource))
    return [(resource, obj) for resource in resources for obj in world.store.all(resource, name) if name]


def _conditions(world: World, namespace: Obj, rest: list[tuple[str, Obj]]) -> list[dict[str, Any]]:
    """What the namespace says of its own end."""
    found = [(type_, "False", reason, message) for type_, reason, message in CALM]
    found.append((NONE_LEFT[0], "True", "SomeResourcesRemain", _remaining(rest)) if rest else _no(NONE_LEFT))
    final = Counter(f for _, obj in rest for f in obj["metadata"].get("finalizers", ()))
    listed = ", ".join(f"{name} in {number} resource instances" for name, number in sorted(final.items()))
    text = f"Some content in the namespace has finalizers remaining: {listed}"
    found.append((NONE_FINAL[0], "True", "SomeFinalizersRemain", text) if final else _no(NONE_FINAL))
    old = get(namespace, "status", "conditions", default=[])
    return [_condition(world, find_condition(old, facts[0]), facts) for facts in found]


def _no(facts: tuple[str, str, str]) -> tuple[str, str, str, str]:
    return facts[0], "False", facts[1], facts[2]


def _remaining(rest: list[tuple[str, Obj]]) -> str:
    counts = Counter(resource if "." in resource else f"{resource}." for resource, _ in rest)
    listed = ", ".join(f"{name} has {number} resource instances" for name, number in sorted(counts.items()))
    return f"Some resources are remaining: {listed}"


def _condition(world: World, old: Mapping[str, Any] | None, facts: tuple[str, str, str, str]) -> dict[str, Any]:
    type_, status, reason, message = facts
    since = kept_since(world, old, status)
    return {"lastTransitionTime": since, "message": message, "reason": reason, "status": status, "type": type_}


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Something has gone: perhaps it was the last thing in a namespace that waits for it."""
    if new is not None or old is None or not namespace_of(old):
        return
    namespace = world.store.get("namespaces", "", namespace_of(old))
    if namespace is not None and pods_of.is_terminating(namespace):
        world.enqueue("namespace", key_of(namespace))


controller = NamespaceController()
