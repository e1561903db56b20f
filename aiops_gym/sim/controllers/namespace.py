"""Namespaces: one that is deleted goes when all that was in it has gone."""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim import api
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import put_status
from aiops_gym.sim.objects import Obj, get, key_of, name_of, namespace_of
from aiops_gym.sim.world import World


class NamespaceController:
    """Empties namespaces that are being deleted."""

    name = "namespace"
    watches = ("namespaces",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A namespace that is being deleted."""
        if new is not None and pods_of.terminating(new):
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Delete what is left; without a rest, the namespace itself."""
        namespace = world.store.by_key("namespaces", key)
        if namespace is None or not pods_of.terminating(namespace):
            return
        status = {**get(namespace, "status", default={}), "phase": "Terminating"}
        namespace = put_status(world, "namespaces", namespace, status)
        name = name_of(namespace)
        for resource, obj in _content(world, name):
            if not pods_of.terminating(obj) and world.store.by_key(resource, key_of(obj)) is not None:
                api.delete(world, resource, name, name_of(obj))
        if not _content(world, name):
            world.store.remove("namespaces", key)


def _content(world: World, name: str) -> list[tuple[str, Obj]]:
    """All objects in a namespace; pods last, so that nobody replaces them."""
    resources = sorted(world.store.resources(), key=lambda resource: (resource == "pods", resource))
    return [(resource, obj) for resource in resources for obj in world.store.all(resource, name) if name]


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Something has gone: perhaps it was the last thing in a namespace that waits for it."""
    if new is not None or old is None or not namespace_of(old):
        return
    namespace = world.store.get("namespaces", "", namespace_of(old))
    if namespace is not None and pods_of.terminating(namespace):
        world.enqueue("namespace", key_of(namespace))


controller = NamespaceController()
