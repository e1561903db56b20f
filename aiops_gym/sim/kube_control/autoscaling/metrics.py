"""What a HorizontalPodAutoscaler measures, and how many replicas follow from it (`replica_calculator.go`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of, since
from aiops_gym.sim.kernel.times import MINUTE, SECOND, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.telemetry import usage

TOLERANCE = 0.1
"""By how much usage may miss its target: `--horizontal-pod-autoscaler-tolerance`."""

INITIALISATION = 5 * MINUTE
"""A pod that started this recently may just be warming up: `--horizontal-pod-autoscaler-cpu-initialization-period`."""

READINESS = 30 * SECOND
"""So long after its start a pod may become ready late: `--horizontal-pod-autoscaler-initial-readiness-delay`."""

WINDOW = 15 * SECOND
"""What metrics-server measures over (`--metric-resolution`)."""

NO_CUSTOM = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
NO_EXTERNAL = (
    "unable to fetch metrics from external metrics API: no external metrics API (external.metrics.k8s.io) registered"
)


class Unmeasured(Exception):
    """A metric that cannot be had.

    Attributes:
        reason: of the event and the condition, `FailedGetResourceMetric`.
        what: which value it is, `cpu resource metric value`.
    """

    def __init__(self, reason: str, what: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.what = reason, what


class Proposal(NamedTuple):
    """How many replicas one metric asks for, its name in messages, and its entry in the status."""

    replicas: int
    name: str
    current: dict[str, Any]


def propose(world: World, metric: Mapping[str, Any], target: Obj, selector: Any, replicas: int) -> Proposal:
    """Work out one metric. Raises Unmeasured."""
    kind = str(metric["type"])
    if kind == "Resource":
        return _resource(world, metric["resource"], target, selector, replicas, "")
    if kind == "ContainerResource":
        source = metric["containerResource"]
        return _resource(world, source, target, selector, replicas, str(source["container"]))
    source = metric.get(kind[0].lower() + kind[1:]) or {}
    name = str(get(source, "metric", "name", default=""))
    if kind == "External":
        text = f"unable to get external metric {namespace_of(target)}/{name}/nil: {NO_EXTERNAL}"
        raise Unmeasured(
            "FailedGetExternalMetric", f"{name} external metric value", f"failed to get {name} external metric: {text}"
        )
    word = "object" if kind == "Object" else "pods"
    text = f"unable to get metric {name}: {NO_CUSTOM}"
    raise Unmeasured(f"FailedGet{kind}Metric", f"{word} metric value", text)


def _resource(
    world: World, source: Mapping[str, Any], target: Obj, selector: Any, replicas: int, container: str
) -> Proposal:
    resource, goal = str(source["name"]), source["target"]
    utilised = goal.get("averageUtilization") is not None
    word = "utilization" if utilised else "usage"
    failed = (
        "FailedGetContainerResourceMetric" if container else "FailedGetResourceMetric",
        f"{resource} resource metric value",
    )
    try:
        pods = [pod for pod in world.store.all("pods", namespace_of(target)) if matches(selector, labels_of(pod))]
        used = _usage(world, resource, pods, container)
        if utilised:
            return _by_utilisation(world, resource, int(goal["averageUtilization"]), pods, used, replicas, container)
        return _by_value(world, resource, str(goal["averageValue"]), pods, used, replicas)
    except LookupError as error:
        raise Unmeasured(*failed, f"failed to get {resource} {word}: {error.args[0]}") from None


def _usage(world: World, resource: str, pods: Sequence[Obj], container: str) -> dict[str, int]:
    """What metrics-server says of these pods: name -> thousandths. Raises LookupError."""
    head = f"unable to get metrics for resource {resource}: "
    service = world.store.get("services", "kube-system", "metrics-server")
    if service is None:
        why = "the server could not find the requested resource (get pods.metrics.k8s.io)"
        raise LookupError(f"{head}unable to fetch metrics from resource metrics API: {why}")
    endpoints = world.store.get("endpoints", "kube-system", "metrics-server") or Obj()
    if not any(subset.get("addresses") for subset in endpoints.get("subsets") or ()):
        why = "the server is currently unable to handle the request (get pods.metrics.k8s.io)"
        raise LookupError(f"{head}unable to fetch metrics from resource metrics API: {why}")
    found = {}
    for pod in pods:
        measured = usage.measure_pod(world, pod) if pods_of.phase(pod) == "Running" else {}
        parts = [v for name, v in measured.items() if not container or name == container]
        if parts and len(measured) == len(pod["spec"]["containers"]):
            found[name_of(pod)] = sum(cpu // 1_000_000 if resource == "cpu" else 1000 * size for cpu, size in parts)
    if not found:
        raise LookupError(f"{head}no metrics returned from resource metrics API")
    return found


def _groups(
    world: World, resource: str, pods: Sequence[Obj], used: Mapping[str, int]
) -> tuple[list[Obj], list[Obj], list[Obj]]:
    """Pods that count, pods that are not ready yet, pods without a measurement."""
    counting, unready, missing = [], [], []
    for pod in pods:
        if pods_of.is_terminating(pod) or pods_of.phase(pod) == "Failed":
            continue
        if pods_of.phase(pod) == "Pending":
            unready.append(pod)
        elif name_of(pod) not in used:
            missing.append(pod)
        elif resource == "cpu" and _warming(world, pod):
            unready.append(pod)
        else:
            counting.append(pod)
    return counting, unready, missing


def _warming(world: World, pod: Obj) -> bool:
    """Whether the CPU of a pod says nothing yet, as it has just started."""
    started = get(pod, "status", "startTime")
    ready = next((c for c in get(pod, "status", "conditions", default=()) if c["type"] == "Ready"), None)
    if started is None or ready is None:
        return True
    changed = millis(since(ready, pod["metadata"]["creationTimestamp"]))
    if millis(started) + INITIALISATION > world.now:
        measured = world.now // WINDOW * WINDOW
        return ready["status"] == "False" or measured < changed + WINDOW
    return ready["status"] == "False" and millis(started) + READINESS > changed


def _by_utilisation(
    world: World, resource: str, goal: int, pods: Sequence[Obj], used: Mapping[str, int], replicas: int, container: str
) -> Proposal:
    if not pods:
        raise LookupError("no pods returned by selector while calculating replica count")
    counting, unready, missing = _groups(world, resource, pods, used)
    asked = {name_of(pod): _request(resource, pod, container) for pod in pods}
    if not counting:
        raise LookupError("did not receive metrics for targeted pods (pods might be unready)")
    values = {name_of(pod): used[name_of(pod)] for pod in counting}
    total, base = sum(values.values()), sum(asked[name] for name in values)
    percent = total * 100 // max(1, base)
    name = f"{resource} resource utilization (percentage of request)"
    if container:
        name = f"{resource} container resource utilization (percentage of request)"
    goal = max(1, goal)  # the server takes none below 1
    ratio = percent / goal
    fill = {name_of(pod): asked[name_of(pod)] * max(100, goal) // 100 if ratio < 1 else 0 for pod in missing}
    fill |= {name_of(pod): 0 for pod in unready} if ratio > 1 else {}

    def again() -> float:
        everybody = {**values, **fill}
        requested = sum(asked[pod] for pod in everybody)
        return sum(everybody.values()) * 100 // max(1, requested) / goal

    wanted = _size(replicas, ratio, len(values), len(values) + len(fill), again() if fill else None)
    current = {"averageUtilization": percent, "averageValue": _written(resource, total // len(values))}
    return Proposal(wanted, name, _entry(resource, container, current))


def _by_value(
    world: World, resource: str, goal: str, pods: Sequence[Obj], used: Mapping[str, int], replicas: int
) -> Proposal:
    counting, _, missing = _groups(world, "", pods, used)
    if not counting:
        raise LookupError("did not receive metrics for targeted pods (pods might be unready)")
    limit, total = quantity.milli(goal), sum(used[name_of(pod)] for pod in counting)
    ratio = total / len(counting) / max(1, limit)
    fill = limit * len(missing) if ratio < 1 else 0
    many = len(counting) + len(missing)
    again = (total + fill) / many / max(1, limit) if missing else None
    current = {"averageValue": _written(resource, total // len(counting))}
    return Proposal(
        _size(replicas, ratio, len(counting), many, again), f"{resource} resource", _entry(resource, "", current)
    )


def _size(replicas: int, ratio: float, ready: int, everybody: int, again: float | None) -> int:
    """Replicas for a ratio of use to goal; `again` is that ratio with careful guesses for pods without a number."""
    if again is None:
        return replicas if abs(1.0 - ratio) <= TOLERANCE else ceil(round(ratio * ready, 9))
    if abs(1.0 - again) <= TOLERANCE or (ratio < 1.0 < again) or (ratio > 1.0 > again):
        return replicas
    wanted = ceil(round(again * everybody, 9))
    wrong = (again < 1.0 and wanted > replicas) or (again > 1.0 and wanted < replicas)
    return replicas if wrong else wanted


def _request(resource: str, pod: Obj, container: str) -> int:
    """What the pod's containers ask for, in thousandths. Raises LookupError."""
    total = 0
    for one in pod["spec"]["containers"]:
        if container and one["name"] != container:
            continue
        amount = get(one, "resources", "requests", resource)
        if amount is None:
            raise LookupError(f"missing request for {resource} in container {one['name']} of Pod {name_of(pod)}")
        total += quantity.milli(str(amount))
    return total


def _written(resource: str, thousandths: int) -> str:
    return f"{thousandths}m" if resource == "cpu" else str(thousandths // 1000)


def _entry(resource: str, container: str, current: dict[str, Any]) -> dict[str, Any]:
    if container:
        return {
            "type": "ContainerResource",
            "containerResource": {"container": container, "name": resource, "current": current},
        }
    return {"type": "Resource", "resource": {"name": resource, "current": current}}
