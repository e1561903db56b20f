"""Taint eviction: pods leave a node with a NoExecute taint that they do not tolerate (for ever)."""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.pods import mark_disrupted
from aiops_gym.sim.kube_control.scheduling import filters

COMPONENT = "taint-eviction-controller"
FOREVER = -1
"""A toleration without `tolerationSeconds`."""


class TaintEvictionController:
    """Plans the deletion of pods, and takes it back when the taint goes away in time.

    Table `evictions`: uid of a pod -> [when it shall go (ms), when that was decided (ms)].
    """

    name = "tainteviction"
    watches = ("nodes", "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Pods of a node whose NoExecute taints changed, and pods that came to a node that has some."""
        if new is None:
            return
        if resource == "nodes":
            if old is not None and _taints(old) != _taints(new):
                yield from (key_of(pod) for pod in world.store.on_node(name_of(new)))
            return
        node = get(new, "spec", "nodeName", default="")
        if node and (old is None or old["spec"] != new["spec"]):
            found = world.store.get("nodes", "", node)
            if found is not None and _taints(found):
                yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Decide how long a pod may stay."""
        pod = world.store.by_key("pods", key)
        node = world.store.get("nodes", "", str(get(pod or {}, "spec", "nodeName", default="")))
        if pod is None or node is None or pods_of.is_terminating(pod):
            return
        table, uid = world.table("evictions"), uid_of(pod)
        stay = _stay(pod, node)
        if stay == FOREVER:
            _cancel(world, pod)
            return
        if stay == 0:
            _cancel(world, pod)
        since = table[uid][1] if uid in table else world.now
        if table.get(uid) != [since + stay, since]:
            table[uid] = [since + stay, since]
            world.schedule(since + stay - world.now, "tainteviction.due", key, uid)


def _cancel(world: World, pod: Obj) -> None:
    """Take back a deletion that is planned."""
    if world.table("evictions").pop(uid_of(pod), None) is not None:
        text = f"Cancelling deletion of Pod {key_of(pod)}"
        events.record(world, pod, "Normal", "TaintManagerEviction", text, COMPONENT)


def _taints(node: Obj) -> list[tuple[str, str]]:
    taints = get(node, "spec", "taints", default=())
    return [(t["key"], t.get("value", "")) for t in taints if t["effect"] == "NoExecute"]


def _stay(pod: Obj, node: Obj) -> int:
    """Milliseconds that the pod may stay."""
    shortest = FOREVER
    for taint in get(node, "spec", "taints", default=()):
        if taint["effect"] != "NoExecute":
            continue
        used = filters.find_tolerations(pod, taint)
        if not used:
            return 0
        for seconds in (one.get("tolerationSeconds") for one in used):
            if seconds is not None:
                limit = max(0, int(seconds)) * SECOND
                shortest = limit if shortest == FOREVER else min(shortest, limit)
    return shortest


def due(world: World, key: str, uid: str) -> None:
    """The time of a pod is over."""
    entry = world.table("evictions").get(uid)
    if entry is None or entry[0] > world.now:
        return
    del world.table("evictions")[uid]
    pod = world.store.by_key("pods", key)
    if pod is None or uid_of(pod) != uid or pods_of.is_terminating(pod):
        return
    text = f"Marking for deletion Pod {key}"
    events.record(world, pod, "Normal", "TaintManagerEviction", text, COMPONENT)
    mark_disrupted(world, pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
    kube_api.delete(world, "pods", namespace_of(pod), name_of(pod))


controller = TaintEvictionController()
HANDLERS: dict[str, Handler] = {"tainteviction.due": due}
