"""The kubelets' end of the API: which pods are theirs, and what changed about them."""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.kubelet import probes, termination, worker
from aiops_gym.sim.kubelet import record as records
from aiops_gym.sim.objects import Obj, get, key_of, uid_of
from aiops_gym.sim.world import World


class KubeletController:
    """Wakes the workers of pods that were bound, changed or deleted."""

    name = "kubelet"
    watches = ("pods",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Pods of a node that exists, unless only their status changed."""
        if new is None or not get(new, "spec", "nodeName"):
            return
        same = old is not None and old["spec"] == new["spec"] and _deletion(old) == _deletion(new)
        if not same and world.store.get("nodes", "", new["spec"]["nodeName"]) is not None:
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Have the pod's worker look at it."""
        pod = world.store.by_key("pods", key)
        if pod is None or not get(pod, "spec", "nodeName"):
            return
        uid = uid_of(pod)
        record = records.ensure(world, pod)
        if record["dying"]:
            termination.hurry(world, uid, pod)
            return
        if pods_of.terminating(pod):
            # A deletion interrupts whatever the worker is waiting for.
            records.change(world, uid, busy="", again=0, next=0)
        records.wake(world, uid, world.now)


def _deletion(pod: Obj) -> object:
    return pod["metadata"].get("deletionGracePeriodSeconds") if pods_of.terminating(pod) else None


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """A pod's object is gone: end what is left of it at once, before another takes its name."""
    if resource == "pods" and old is not None and (new is None or uid_of(new) != uid_of(old)):
        termination.clean(world, uid_of(old), old)


controller = KubeletController()
HANDLERS = worker.HANDLERS
OBSERVERS = (probes.observe,)
