"""From what is named on the command line to a pod and a container of it, as `logs` and `exec` choose them."""

from __future__ import annotations

from typing import Any, Final

from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get, since
from aiops_gym.sim.kernel.times import millis
from aiops_gym.types import Json

PATIENCE: Final = 1.0
DEFAULT_CONTAINER: Final = "kubectl.kubernetes.io/default-container"
SELECTING: Final = (
    *("deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch"),
    *("replicationcontrollers", "services"),
)


def first_pod(call: Invocation, info: Info, timeout: float) -> tuple[Json, int]:
    """The pod that stands for an object, and of how many; waits for one to appear.

    Raises:
        Failure: the object selects no pods, or none appeared in time.
    """
    if info.resource.name == "pods":
        return info.obj, 1
    if info.resource.name not in SELECTING:
        version = info.resource.version
        raise Failure(f"selector for *{version}.{info.resource.kind} not implemented")
    labels = find_selector(
        info, f"cannot get the logs from *v1.{info.resource.kind}: " if call.path.endswith("logs") else ""
    )
    clock = call.client.cluster
    end = clock.now() + timeout
    while True:
        pods = call.client.list(find_resource("pods"), info.namespace, labels)["items"]
        if pods:
            return min(pods, key=preference), len(pods)
        if clock.now() >= end or not clock.wait(min(PATIENCE, end - clock.now())):
            raise Failure("timed out waiting for the condition")


def find_selector(info: Info, what: str = "") -> str:
    """The label selector of a workload or Service, as text. Raises Failure, which begins with `what`."""
    if info.resource.name in ("services", "replicationcontrollers"):
        labels = get(info.obj, "spec", "selector", default={})
        if not labels:
            raise Failure(f"{what}invalid service '{info.name}': Service is defined without a selector")
        return ",".join(f"{name}={labels[name]}" for name in sorted(labels))
    spec = get(info.obj, "spec", "selector", default={})
    parts = [f"{name}={value}" for name, value in sorted((spec.get("matchLabels") or {}).items())]
    for rule in spec.get("matchExpressions") or ():
        key, operator, values = rule["key"], rule["operator"], ",".join(sorted(rule.get("values") or ()))
        if operator in ("In", "NotIn"):
            parts.append(f"{key} {operator.lower()} ({values})")
        else:
            parts.append(key if operator == "Exists" else f"!{key}")
    return ",".join(parts)


def preference(pod: Json) -> tuple[Any, ...]:
    """Sort key of pods to look into: placed, running, ready, ready for longest, restarted most, oldest."""
    status = pod.get("status") or {}
    ready: Json = next((c for c in status.get("conditions") or () if c.get("type") == "Ready"), {})
    is_ready = ready.get("status") == "True"
    restarts = max((c.get("restartCount", 0) for c in status.get("containerStatuses") or ()), default=0)
    return (
        not pod["spec"].get("nodeName"),
        {"Running": 0, "Unknown": 1, "Pending": 2}.get(status.get("phase", ""), 0),
        not is_ready,
        millis(since(ready, pod["metadata"]["creationTimestamp"])) if is_ready else 0,
        -restarts,
        millis(pod["metadata"]["creationTimestamp"]),
        pod["metadata"]["name"],
    )


def list_containers(pod: Json) -> list[tuple[str, str]]:
    """(name, mark) of all containers as kubectl lists them; the mark is `init`, `ephem` or ""."""
    spec = pod["spec"]
    kinds = (("containers", ""), ("ephemeralContainers", "ephem"), ("initContainers", "init"))
    return [(container["name"], mark) for field, mark in kinds for container in spec.get(field) or ()]


def choose_container(call: Invocation, pod: Json, quiet: bool = False) -> str:
    """The container meant when none is named; says so when there was a choice."""
    wanted = get(pod, "metadata", "annotations", DEFAULT_CONTAINER, default="")
    names = list_containers(pod)
    if wanted:
        if any(name == wanted for name, _ in names):
            return str(wanted)
        call.warn(f"Default container name {go_quote(wanted)} not found in pod {pod['metadata']['name']}")
    first = names[0][0]
    if len(names) > 1 and not quiet:
        listed = ", ".join(f"{name} ({mark})" if mark else name for name, mark in names)
        call.warn(f"Defaulted container {go_quote(first)} out of: {listed}")
    return first


def check_container(pod: Json, name: str, message: str) -> None:
    """Raise Failure when the pod has no such container."""
    if all(known_name != name for known_name, _ in list_containers(pod)):
        raise Failure(message)
