"""What a kubelet takes: pods bound to its node that do not fit there are rejected."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.sim.kernel.objects import Obj, get, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.kubelet import status
from aiops_gym.sim.kube_control.kubelet.conditions import OURS
from aiops_gym.sim.kube_control.scheduling import filters
from aiops_gym.sim.kube_control.writes import put_status
from aiops_gym.types import Json


def reject_if_unfit(world: World, uid: str, pod: Obj) -> bool:
    """Reject the pod if its node cannot take it; pods that were here first stay."""
    node = world.store.get("nodes", "", pod["spec"]["nodeName"])
    if node is None or get(pod, "status", "startTime"):
        return False
    for reason, message in _reasons(world, uid, pod, node):
        events.record(world, pod, "Warning", reason, message, "kubelet", pod["spec"]["nodeName"])
        kept = [c for c in get(pod, "status", "conditions", default=()) if c["type"] not in OURS]
        found: dict[str, Json] = {"conditions": kept}
        found |= {
            "message": f"Pod was rejected: {message}",
            "phase": "Failed",
            "qosClass": status.compute_qos_class(pod),
        }
        found |= {"reason": reason, "startTime": world.timestamp}
        put_status(world, "pods", pod, {k: v for k, v in found.items() if v})
        return True
    return False


def _reasons(world: World, uid: str, pod: Obj, node: Obj) -> Iterator[tuple[str, str]]:
    here = [
        each for each in world.store.on_node(pod["spec"]["nodeName"]) if (each.get("status") or {}).get("startTime")
    ]
    here = [each for each in here if not pods_of.is_terminal(each) and uid_of(each) != uid]
    have, want = get(node, "status", "allocatable", default={}), filters.sum_requests(pod)
    used = filters.sum_used(here, want)
    if (most := filters.parse_amount("pods", have.get("pods", "110"))) < len(here) + 1:
        yield "OutOfpods", f"Node didn't have enough resource: pods, requested: 1, used: {len(here)}, capacity: {most}"
    for name, asked in want.items():
        most = filters.parse_amount(name, have.get(name, "0"))
        if asked and asked + used[name] > most:
            amounts = f"requested: {asked}, used: {used[name]}, capacity: {most}"
            yield f"OutOf{name}", f"Node didn't have enough resource: {name}, {amounts}"
    if not filters.selects(pod, node):
        yield "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
    for taint in get(node, "spec", "taints", default=()):
        if taint.get("effect") == "NoExecute" and not filters.tolerates(pod, taint):
            yield "TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
