"""The kubelets' end of the API: which pods are theirs, what changed about them, and which kubelets are silent.

Table `nodes_down`: name of each node whose kubelet has stopped -> since when (ms). Its containers run on, and nobody
looks after them. Table `asleep`: node -> heap entries (kind and arguments) that wait for its return.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of, labels_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.kubelet import limits, memory, probes, termination, worker
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.machine import runtime

COMES_UP = (9 * SECOND, 11 * SECOND)
"""From the start of a kubelet to the first status of its node, as measured on a node of kind."""

FIRST_LOOK = (SECOND, 5 * SECOND)
"""From there to the status of each of its pods, which serve again then."""


class KubeletController:
    """Wakes the workers of pods that were bound, changed or deleted."""

    name = "kubelet"
    watches = ("pods",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Pods of a node that exists, unless only their status changed."""
        if new is None or not new["spec"].get("nodeName"):
            return
        same = (
            old is not None
            and (old["spec"] is new["spec"] or old["spec"] == new["spec"])
            and _deletion(old) == _deletion(new)
        )
        if not same and world.store.get("nodes", "", new["spec"]["nodeName"]) is not None:
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Have the pod's worker look at it, if its kubelet is alive."""
        pod = world.store.by_key("pods", key)
        if pod is None or not get(pod, "spec", "nodeName") or down(world, pod["spec"]["nodeName"]):
            return
        uid = uid_of(pod)
        record = records.ensure(world, pod)
        if record["dying"]:
            termination.hurry(world, uid, pod)
            return
        if pods_of.is_terminating(pod):
            # A deletion interrupts whatever the worker is waiting for.
            records.change(world, uid, busy="", again=0, next=0)
        records.wake(world, uid, world.now)


def _deletion(pod: Obj) -> object:
    return pod["metadata"].get("deletionGracePeriodSeconds") if pods_of.is_terminating(pod) else None


def down(world: World, node: str) -> bool:
    """Whether a node's kubelet has stopped."""
    return node in world.table("nodes_down")


def stop(world: World, node: str) -> None:
    """Stop the kubelet of a node: no more heartbeats, and nobody looks after its pods."""
    if not down(world, node):
        world.table("nodes_down")[node] = world.now
        world.schedule(0, "nodelifecycle.lost", node, world.now)


def start(world: World, node: str) -> None:
    """Start the kubelet of a node again: some seconds later it takes up its pods where it left them."""
    if down(world, node):
        wait = draws.between(*COMES_UP, world.seed, "kubelet/start", node, world.now)
        world.schedule(int(wait), "kubelet.started", node, world.table("nodes_down")[node])


def started(world: World, node: str, since: int) -> None:
    """A kubelet has come up, unless it was stopped once more: its node is ready, and each pod soon looked at."""
    if world.table("nodes_down").get(node) != since:
        return
    del world.table("nodes_down")[node]
    world.schedule(0, "nodelifecycle.posted", node)
    _register(world, node)
    for kind, *arguments in world.table("asleep").pop(node, []):
        world.schedule(0, kind, *arguments)
    for pod in world.store.on_node(node):
        record = records.find(world, uid_of(pod))
        if record is not None:
            wait = int(draws.between(*FIRST_LOOK, world.seed, "kubelet/first look", uid_of(pod), world.now))
            records.wake(world, uid_of(pod), world.now + wait)
        if record is None or pods_of.is_terminating(pod):
            world.enqueue("kubelet", key_of(pod))


def _register(world: World, node: str) -> None:
    """Say again what a kubelet says of its node when it starts; by hand these labels can become anything until then."""
    obj = world.store.get("nodes", "", node)
    if obj is None:
        return
    told = get(obj, "status", "nodeInfo", default={})
    system, processor = told.get("operatingSystem"), told.get("architecture")
    known = {"kubernetes.io/hostname": node, "kubernetes.io/os": system, "kubernetes.io/arch": processor}
    known |= {"beta.kubernetes.io/os": system, "beta.kubernetes.io/arch": processor}
    labels = {**labels_of(obj), **{name: value for name, value in known.items() if value}}
    if labels != labels_of(obj):
        world.store.put("nodes", assoc(obj, ("metadata", "labels"), labels))


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """A pod's object is gone: end what is left of it at once, before another takes its name."""
    if resource != "pods" or old is None or (new is not None and uid_of(new) == uid_of(old)):
        return
    uid = uid_of(old)
    if not down(world, str(get(old, "spec", "nodeName", default=""))):
        termination.clean(world, uid, old)
    elif world.table("kubelet").pop(uid, None) is not None:
        runtime.forget(world, uid)
        world.touch()


def _attentive(kind: str, handler: Handler) -> Handler:
    """A handler about a pod that waits while the pod's kubelet is silent."""

    def run(world: World, *arguments: Any) -> None:
        silent = world.table("nodes_down")
        node = _node(world, arguments) if silent else ""
        if node in silent:
            asleep = world.table("asleep")
            asleep[node] = [*asleep.get(node, []), [kind, *arguments]]
        else:
            handler(world, *arguments)

    return run


def _node(world: World, arguments: Iterable[Any]) -> str:
    """The node of the pod whose uid is among an entry's arguments."""
    known = world.table("kubelet")
    uid = next((a for a in arguments if isinstance(a, str) and a in known), None)
    return "" if uid is None else str(known[uid]["node"])


controller = KubeletController()
HANDLERS: dict[str, Handler] = {kind: _attentive(kind, handler) for kind, handler in worker.HANDLERS.items()}
HANDLERS |= memory.HANDLERS  # the kernel's, whether or not a kubelet is awake
HANDLERS |= {"kubelet.started": started}
OBSERVERS = (probes.observe, limits.observe, memory.observe)
