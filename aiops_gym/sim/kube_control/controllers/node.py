"""Nodes: their leases, and heartbeats that are worked out when somebody reads them.

A healthy kubelet renews its lease every 10 s and posts its status every 5 min. Writing that down would keep the heap
busy for ever, so the stored objects are left alone and `refresh` shows what a reader would see.
"""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym import caches
from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND, iso, iso_micro, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.bootstrap import leases

_FRESH = caches.slot(
    f"{__name__}.fresh",
    "writing the heartbeats into a node",
    ends="a heartbeat, whose time is compared, and a write to the object",
)

LEASES = "leases.coordination.k8s.io"
LEASE_SPACE = "kube-node-lease"
RENEWAL = 10 * SECOND
REPORT = 5 * MINUTE


class NodeController:
    """Gives each node its lease."""

    name = "node"
    watches = ("nodes", "namespaces")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """New nodes; all of them once the leases' namespace is there."""
        if old is None and new is not None:
            if resource == "nodes":
                yield key_of(new)
            elif name_of(new) == LEASE_SPACE:
                yield from (key_of(node) for node in world.store.all("nodes"))

    def reconcile(self, world: World, key: str) -> None:
        """Create the lease if it is missing."""
        node = world.store.by_key("nodes", key)
        space = world.store.get("namespaces", "", LEASE_SPACE)
        if node is None or space is None or world.store.get(LEASES, LEASE_SPACE, name_of(node)) is not None:
            return
        owner = {"apiVersion": "v1", "kind": "Node", "name": name_of(node), "uid": uid_of(node)}
        spec = {"holderIdentity": name_of(node), "leaseDurationSeconds": 40, "renewTime": iso_micro(world.now)}
        meta = {"name": name_of(node), "namespace": LEASE_SPACE, "ownerReferences": [owner]}
        kube_api.create(
            world, LEASES, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": spec}
        )


def refresh(world: World, obj: Obj) -> Obj:
    """A node or a lease as a reader sees it now: with the times of its last heartbeats."""
    if obj["kind"] == "Lease":
        if namespace_of(obj) == leases.SPACE:
            return leases.refresh(world, obj)
        last = _last(world, name_of(obj), RENEWAL)
        renewed = get(obj, "spec", "renewTime")
        return obj if not renewed or last <= millis(renewed) else _lease(obj, last)
    last = _last(world, name_of(obj), REPORT)
    cached = obj.memo.get(_FRESH)
    if cached is not None and cached[0] == last:
        seen: Obj = cached[1]
        return seen
    seen = _node(obj, last)
    obj.memo[_FRESH] = (last, seen)
    return seen


def _last(world: World, node: str, period: int) -> int:
    """The newest multiple of the period, from an offset of the node's own; a kubelet that stopped has no more."""
    offset = draws.pick(period, world.seed, "heartbeat", node)
    now = int(world.table("nodes_down").get(node, world.now))
    return now - (now - offset) % period


def read_renew_time(world: World, node: str) -> int:
    """When (ms) the kubelet of a node last renewed its lease."""
    return _last(world, node, RENEWAL)


def _lease(lease: Obj, last: int) -> Obj:
    changed: Obj = assoc(lease, ("spec", "renewTime"), iso_micro(last, last % 997))
    return changed


def _node(node: Obj, last: int) -> Obj:
    conditions = get(node, "status", "conditions", default=[])
    renewed = [
        {**c, "lastHeartbeatTime": iso(last)} if last > millis(c.get("lastHeartbeatTime") or iso(0)) else c
        for c in conditions
        if c["type"] != "NetworkUnavailable"
    ]
    renewed += [c for c in conditions if c["type"] == "NetworkUnavailable"]
    if renewed == conditions:
        return node
    seen: Obj = assoc(node, ("status", "conditions"), renewed)
    return seen


controller = NodeController()
