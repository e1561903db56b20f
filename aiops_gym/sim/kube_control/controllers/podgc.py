"""The pod garbage collector: pods of nodes that are no more, and ended pods when there are too many."""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of, name_of, namespace_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers.nodelifecycle import is_node_gone
from aiops_gym.sim.kube_control.pods import mark_disrupted

PERIOD = 20 * SECOND
"""`gcCheckPeriod` of the controller."""

QUARANTINE = 40 * SECOND
"""`quarantineTime`: so long a node must have been gone before its pods are."""

THRESHOLD = 12_500
"""Ended pods beyond this number are deleted, the oldest first (`--terminated-pod-gc-threshold`)."""


class PodCollector:
    """Removes what nobody else will; its only key is the cluster."""

    name = "podgc"
    watches = ("nodes", "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A node that went with pods on it, a pod bound to a node that is not there, or too many ended pods."""
        if resource == "nodes":
            if new is None and old is not None and world.store.on_node(name_of(old)):
                world.schedule(QUARANTINE + PERIOD // 2, "podgc.orphans", name_of(old))
        elif new is not None and is_node_gone(world, new) and (old is None or not get(old, "spec", "nodeName")):
            world.schedule(QUARANTINE + PERIOD // 2, "podgc.orphans", new["spec"]["nodeName"])
        elif new is not None and pods_of.is_terminal(new) and len(world.table("objects/pods")) > THRESHOLD:
            yield "ended"

    def reconcile(self, world: World, key: str) -> None:
        """Delete the oldest ended pods beyond the threshold."""
        ended = [pod for pod in world.store.all("pods") if pods_of.is_terminal(pod) and not pods_of.is_terminating(pod)]
        ended.sort(key=lambda pod: (pod["metadata"]["creationTimestamp"], key_of(pod)))
        for pod in ended[: max(0, len(ended) - THRESHOLD)]:
            kube_api.delete(world, "pods", namespace_of(pod), name_of(pod), grace=0)


def orphans(world: World, node: str) -> None:
    """A node has been away for long enough: its pods are deleted by force."""
    if world.store.get("nodes", "", node) is not None:
        return
    for pod in world.store.on_node(node):
        if not pods_of.is_terminal(pod):
            told = mark_disrupted(world, pod, "DeletionByPodGC", "PodGC: node no longer exists")
            world.store.put("pods", assoc(told, ("status", "phase"), "Failed"))
        kube_api.delete(world, "pods", namespace_of(pod), name_of(pod), grace=0)


controller = PodCollector()
HANDLERS: dict[str, Handler] = {"podgc.orphans": orphans}
