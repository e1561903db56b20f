"""What an API server asks of the kubelets: heartbeats, logs, and for `metrics.k8s.io` what is used."""

from __future__ import annotations

from typing import Any

from aiops_gym.errors import BackendError
from aiops_gym.sim.kernel.objects import Obj, get, name_of, namespace_of
from aiops_gym.sim.kernel.times import MINUTE, iso
from aiops_gym.sim.kernel.world import Kubelet, World
from aiops_gym.sim.kube_api import availability
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import ApiError

PARTS = "apiservices.apiregistration.k8s.io"
LAZY = frozenset(["nodes", "leases.coordination.k8s.io", PARTS])
"""Resources whose stored objects say less than the truth: times of heartbeats are worked out when read."""

KUBELET = 10250
"""The port at which a node's kubelet answers."""


def refresh(world: World, resource: str, obj: Obj) -> Obj:
    """An object as a reader would see it now."""
    if resource == PARTS:
        return availability.refresh(world, obj)
    return obj if resource not in LAZY else _kubelet(world).heartbeat(world, obj)


def reach(world: World, pod: Obj, path: str) -> None:
    """Raise ApiError where a question about a pod would find nobody at home: its node's kubelet has stopped."""
    reach_node(world, get(pod, "spec", "nodeName", default=""), path)


def reach_node(world: World, name: str, path: str) -> None:
    """Raise ApiError where a node's kubelet has stopped."""
    if name not in world.table("nodes_down"):
        return
    node = world.store.get("nodes", "", name) or Obj()
    addresses = get(node, "status", "addresses", default=[])
    host = next((a["address"] for a in addresses if a["type"] == "InternalIP"), name)
    why = f"dial tcp {host}:{KUBELET}: connect: connection refused"
    raise ApiError(500, "", f'Get "https://{host}:{KUBELET}/{path}": {why}')


def read_log(world: World, process: str, **window: Any) -> str:
    """A container's log."""
    return _kubelet(world).log(world, process, **window)


def read_metrics(world: World, node: str, path: str) -> str | None:
    """What the kubelet of a node (of "": the API server) tells Prometheus at a path; None where nothing is."""
    return _kubelet(world).metrics(world, node, path)


def collect_metrics(world: World, resource: Resource, namespace: str) -> list[Obj]:
    """`metrics.k8s.io` objects: what running pods and ready nodes use."""
    stamp = iso(world.now // MINUTE * MINUTE)
    if resource.kind == "NodeMetrics":
        return [_node_metrics(world, node, stamp) for node in world.store.all("nodes") if _ready(node)]
    pods = [pod for pod in world.store.all("pods", namespace or None) if _measured(pod)]
    return [_pod_metrics(pod, used, stamp) for pod, used in zip(pods, _kubelet(world).pods(world, pods), strict=True)]


def _kubelet(world: World) -> Kubelet:
    if world.dynamics.kubelet is None:
        raise BackendError("nobody runs the nodes of this world: it was made without a kubelet")
    return world.dynamics.kubelet


def _ready(node: Obj) -> bool:
    conditions = get(node, "status", "conditions", default=[])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def _measured(pod: Obj) -> bool:
    return get(pod, "status", "phase") == "Running" and any(
        "running" in s.get("state", {}) for s in get(pod, "status", "containerStatuses", default=[])
    )


def _pod_metrics(pod: Obj, used: dict[str, tuple[int, int]], stamp: str) -> Obj:
    containers = [
        {"name": name, "usage": {"cpu": f"{cpu}n", "memory": f"{memory // 1024}Ki"}}
        for name, (cpu, memory) in used.items()
    ]
    return _metrics("PodMetrics", pod, namespace_of(pod), stamp, {"containers": containers})


def _node_metrics(world: World, node: Obj, stamp: str) -> Obj:
    cpu, memory = _kubelet(world).node(world, node)
    return _metrics(
        "NodeMetrics", node, "", stamp, {"usage": {"cpu": f"{int(cpu)}n", "memory": f"{int(memory) // 1024}Ki"}}
    )


def _metrics(kind: str, of: Obj, namespace: str, stamp: str, content: dict[str, Any]) -> Obj:
    metadata: dict[str, Any] = {"name": name_of(of), "creationTimestamp": stamp}
    if namespace:
        metadata["namespace"] = namespace
    if of["metadata"].get("labels"):
        metadata["labels"] = of["metadata"]["labels"]
    head = {"kind": kind, "apiVersion": "metrics.k8s.io/v1beta1", "metadata": metadata}
    return Obj({**head, "timestamp": stamp, "window": "15.0s", **content})
