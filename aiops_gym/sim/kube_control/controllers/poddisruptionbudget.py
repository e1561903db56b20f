"""PodDisruptionBudgets: how many pods of a group may be evicted now."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import QUEUE_DELAY, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.writes import find_condition, kept_since, put_status, without_condition

RESOURCE = "poddisruptionbudgets.policy"
COMPONENT = "controllermanager"
SCALED = {
    "Deployment": "deployments.apps",
    "ReplicaSet": "replicasets.apps",
    "StatefulSet": "statefulsets.apps",
    "ReplicationController": "replicationcontrollers",
}


class DisruptionController:
    """Writes the status of budgets."""

    name = "poddisruptionbudget"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The budget, also after its status was written, or those that select a pod that changed."""
        obj = new if new is not None else old
        if obj is None or not world.tables.get(f"objects/{RESOURCE}"):
            return
        if resource == RESOURCE:
            if new is not None:
                # Whether the first pods are there when a new budget is looked at is a matter of luck.
                lag = draws.pick(3 * QUEUE_DELAY, world.seed, "budget", f"{uid_of(new)} {world.now}")
                world.enqueue(self.name, key_of(new), 1 + lag)
            return
        if old is not None and new is not None and _facts(old) == _facts(new):
            return
        for budget in world.store.all(RESOURCE, namespace_of(obj)):
            selector = get(budget, "spec", "selector")
            if any(matches(selector, labels_of(o)) for o in (old, new) if o is not None):
                yield key_of(budget)

    def reconcile(self, world: World, key: str) -> None:
        """Count the pods of a budget."""
        budget = world.store.by_key(RESOURCE, key)
        if budget is None:
            return
        pods = [pod for pod in world.store.all("pods", namespace_of(budget)) if _selected(budget, pod)]
        if not pods:
            events.record(world, budget, "Normal", "NoPods", "No matching pods found", COMPONENT)
        expected, fault = _expected(world, budget, pods)
        if fault:
            text = f"Failed to calculate the number of expected pods: {fault}"
            events.record(world, budget, "Warning", "CalculateExpectedPodCountFailed", text, COMPONENT)
            _fail(world, budget, text)
            return
        wanted = _wanted(budget, expected)
        healthy = sum(1 for pod in pods if pods_of.is_ready(pod) and not pods_of.is_terminating(pod))
        allowed = max(0, healthy - wanted) if expected > 0 else 0
        _publish(world, budget, healthy, wanted, allowed, expected)


def _facts(pod: Obj) -> Any:
    return pods_of.is_ready(pod), pods_of.is_terminating(pod), pods_of.phase(pod), labels_of(pod)


def _selected(budget: Obj, pod: Obj) -> bool:
    return not pods_of.is_terminal(pod) and matches(get(budget, "spec", "selector"), labels_of(pod))


def _percent(value: Any) -> bool:
    return isinstance(value, str) and value.endswith("%")


def _scaled(value: Any, total: int) -> int:
    return ceil(int(value[:-1]) * total / 100) if _percent(value) else int(value)


def _expected(world: World, budget: Obj, pods: list[Obj]) -> tuple[int, str]:
    """How many pods there should be, by their controllers unless only a number of pods is asked for."""
    least = get(budget, "spec", "minAvailable")
    if get(budget, "spec", "maxUnavailable") is None and not _percent(least):
        return len(pods), ""
    sizes: dict[str, int] = {}
    for pod in pods:
        owner = _scale_of(world, pod)
        if owner is None:
            return 0, f'found no controllers for pod "{name_of(pod)}"'
        sizes[uid_of(owner)] = int(get(owner, "spec", "replicas", default=0))
    return sum(sizes.values()), ""


def _scale_of(world: World, pod: Obj) -> Obj | None:
    """The workload whose size says how many such pods there are."""
    found: Obj | None = None
    reference = controller_of(pod)
    while reference is not None and reference["kind"] in SCALED:
        owner = world.store.get(SCALED[reference["kind"]], namespace_of(pod), reference["name"])
        if owner is None or uid_of(owner) != reference["uid"]:
            break
        found, reference = owner, controller_of(owner)
    return found


def _wanted(budget: Obj, expected: int) -> int:
    most = get(budget, "spec", "maxUnavailable")
    if most is not None:
        return max(0, expected - _scaled(most, expected))
    return _scaled(get(budget, "spec", "minAvailable", default=0), expected)


def _with_condition(world: World, budget: Obj, status: str, reason: str, message: str) -> list[Any]:
    conditions = get(budget, "status", "conditions", default=[])
    old = find_condition(conditions, "DisruptionAllowed")
    since = kept_since(world, old, status)
    found = {
        "lastTransitionTime": since,
        "message": message,
        "observedGeneration": get(budget, "metadata", "generation", default=1),
        "reason": reason,
        "status": status,
        "type": "DisruptionAllowed",
    }
    return [*without_condition(conditions, "DisruptionAllowed"), found]


def _fail(world: World, budget: Obj, message: str) -> None:
    """Where the count is not known, nothing may be evicted."""
    conditions = _with_condition(world, budget, "False", "SyncFailed", message)
    status = {**get(budget, "status", default={}), "disruptionsAllowed": 0, "conditions": conditions}
    status["observedGeneration"] = get(budget, "metadata", "generation", default=1)
    put_status(world, RESOURCE, budget, status)


def _publish(world: World, budget: Obj, healthy: int, wanted: int, allowed: int, expected: int) -> None:
    facts = ("True", "SufficientPods") if allowed > 0 else ("False", "InsufficientPods")
    status = {
        "conditions": _with_condition(world, budget, *facts, ""),
        "currentHealthy": healthy,
        "desiredHealthy": wanted,
        "disruptionsAllowed": allowed,
        "expectedPods": expected,
        "observedGeneration": get(budget, "metadata", "generation", default=1),
    }
    put_status(world, RESOURCE, budget, status)


controller = DisruptionController()
