"""What a kubelet does when its node is new: it reports for the first time, and some seconds later that it is ready.

A node that is created with conditions has reported before, and is left as it is. Events as recorded on a real node.
"""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of, name_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control.controllers.nodelifecycle import COMPONENT, POSTED, SAID

NETWORK_MS = (8 * SECOND, 14 * SECOND)
"""From the first report to a ready network, and so to a ready node."""

NOT_YET = {
    "message": "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized",
    "reason": "KubeletNotReady",
    "status": "False",
}


class NodeJoinController:
    """Lets the kubelet of a new node report."""

    name = "nodejoin"
    watches = ("nodes",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A node that nobody has heard of yet."""
        if old is None and new is not None and not get(new, "status", "conditions"):
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """The first report: all is well but for the network."""
        node = world.store.by_key("nodes", key)
        if node is None or get(node, "status", "conditions"):
            return
        now = world.timestamp
        times = {"lastHeartbeatTime": now, "lastTransitionTime": now}
        conditions = [
            {**times, "message": message, "reason": reason, "status": status, "type": type_, **_early(type_)}
            for type_, status, reason, message in POSTED
        ]
        node = world.store.put("nodes", assoc(node, ("status", "conditions"), conditions))
        name = name_of(node)
        events.record(world, node, "Normal", "Starting", "Starting kubelet.", "kubelet", name)
        enforced = "Updated Node Allocatable limit across pods"
        events.record(world, node, "Normal", "NodeAllocatableEnforced", enforced, "kubelet", name)
        for type_, reason in SAID.items():
            if type_ != "Ready":
                _say(world, node, reason)
        low, high = NETWORK_MS
        world.schedule(int(draws.between(low, high, world.seed, "network", name)), "node.joined", key)


def _early(type_: str) -> dict[str, str]:
    return NOT_YET if type_ == "Ready" else {}


def _say(world: World, node: Obj, reason: str) -> None:
    message = f"Node {name_of(node)} status is now: {reason}"
    events.record(world, node, "Normal", reason, message, "kubelet", name_of(node))


def joined(world: World, key: str) -> None:
    """The node's network is up: it is ready, and the node controller knows it."""
    node = world.store.by_key("nodes", key)
    if node is None:
        return
    now = world.timestamp
    type_, status, reason, message = POSTED[-1]
    ready = {"lastHeartbeatTime": now, "lastTransitionTime": now, "message": message, "reason": reason}
    others = [c for c in get(node, "status", "conditions", default=()) if c["type"] != type_]
    conditions = [*others, {**ready, "status": status, "type": type_}]
    node = world.store.put("nodes", assoc(node, ("status", "conditions"), conditions))
    _say(world, node, SAID[type_])
    known = f"Node {name_of(node)} event: Registered Node {name_of(node)} in Controller"
    events.record(world, node, "Normal", "RegisteredNode", known, COMPONENT)
    world.touch()


controller = NodeJoinController()
HANDLERS: dict[str, Handler] = {"node.joined": joined}
