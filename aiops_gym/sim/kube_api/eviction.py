"""Evictions: deletions of pods that ask the disruption budgets first."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim.kernel.objects import Obj, assoc, get, name_of, namespace_of
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.read import find_object
from aiops_gym.sim.kube_api.remove import delete
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.selectors import of_object
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.types import Request

BUDGETS = "poddisruptionbudgets.policy"
VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


def evict(world: World, request: Request) -> Answer:
    """Delete a pod unless a disruption budget forbids it. Raises ApiError."""
    pod = find_object(world, RESOURCES["pods"], request.namespace, request.name)
    options = request.body.get("deleteOptions") if isinstance(request.body, dict) else None
    options = options if isinstance(options, dict) else {}
    dry = bool(request.query.get("dryRun") or options.get("dryRun"))
    budget = None if _free(pod) else _budget(world, pod)
    if budget is not None and _charged(budget, pod):
        _check(budget)
        if not dry:
            _charge(world, budget, pod)
    grace = options.get("gracePeriodSeconds")
    if not dry:
        _mark(world, pod)
        delete(world, "pods", namespace_of(pod), name_of(pod), grace if isinstance(grace, int) else None)
    done = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return Answer(201, done)


def _free(pod: Obj) -> bool:
    """Whether the pod's going harms nobody: it does not run (any more), or goes already."""
    idle = get(pod, "status", "phase", default="Pending") in ("Succeeded", "Failed", "Pending")
    return idle or "deletionTimestamp" in pod["metadata"]


def _budget(world: World, pod: Obj) -> Obj | None:
    labels = pod["metadata"].get("labels") or {}
    budgets = [
        one for one in world.store.all(BUDGETS, namespace_of(pod)) if of_object(get(one, "spec", "selector"))(labels)
    ]
    if len(budgets) > 1:
        raise ApiError(500, "", SEVERAL)
    return budgets[0] if budgets else None


def _charged(budget: Obj, pod: Obj) -> bool:
    """Whether the budget pays for this pod: one that is not ready may go while the others are enough."""
    conditions = get(pod, "status", "conditions", default=[])
    if any(c["type"] == "Ready" and c["status"] == "True" for c in conditions):
        return True
    status = get(budget, "status", default={})
    if get(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return False
    return not (status.get("desiredHealthy", 0) > 0 and status.get("currentHealthy", 0) >= status["desiredHealthy"])


def _check(budget: Obj) -> None:
    status, name = get(budget, "status", default={}), name_of(budget)
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 1):
        text = f"The disruption budget {name} is still being processed by the server."
        cause = {"reason": "DisruptionBudget", "message": text}
        raise ApiError(429, "TooManyRequests", VIOLATES, {"causes": [cause], "retryAfterSeconds": 10})
    if status.get("disruptionsAllowed", 0) <= 0:
        wanted, there = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        text = f"The disruption budget {name} needs {wanted} healthy pods and has {there} currently"
        raise ApiError(429, "TooManyRequests", VIOLATES, {"causes": [{"reason": "DisruptionBudget", "message": text}]})


def _charge(world: World, budget: Obj, pod: Obj) -> None:
    status: dict[str, Any] = {**get(budget, "status", default={})}
    status["disruptionsAllowed"] -= 1
    status["disruptedPods"] = {**status.get("disruptedPods", {}), name_of(pod): world.timestamp}
    world.store.put(BUDGETS, {**budget, "status": status})


def _mark(world: World, pod: Obj) -> None:
    """Note on a pod that runs somewhere why it is deleted."""
    if not get(pod, "spec", "nodeName"):
        return
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": iso(world.now),
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    others = [c for c in get(pod, "status", "conditions", default=[]) if c["type"] != "DisruptionTarget"]
    world.store.put("pods", assoc(pod, ("status", "conditions"), [*others, condition]))
