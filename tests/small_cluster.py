"""One or two nodes, all controllers, and images whose programs are easy to reason about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.shell.inside import run_utility
from aiops_gym.sim import kube_api
from aiops_gym.sim.dynamics import make_dynamics
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Request

Json = Any
START = 1_772_442_000_000
SERVER = Binary(program="idle", params={"ports": [8080], "http": {"/": [200, "ok"]}})
IMAGES = {
    "app:1": Image(cached=True, entrypoint=("app",), binaries={"app": SERVER}),
    "app:2": Image(cached=True, entrypoint=("app",), binaries={"app": SERVER}),
    "big:1": Image(size=400_000_000, entrypoint=("app",), binaries={"app": SERVER}),
    "missing:9": Image(pull="not_found"),
    "far.example/x:1": Image(pull="no_such_host"),
    "absent:1": Image(),
}
RESOURCES = {
    "Deployment": "deployments.apps",
    "DaemonSet": "daemonsets.apps",
    "StatefulSet": "statefulsets.apps",
    "Job": "jobs.batch",
    "StorageClass": "storageclasses.storage.k8s.io",
}


class SmallCluster:
    """A running cluster and what has been seen of its pods."""

    def __init__(self, seed: int = 1, nodes: int = 1) -> None:
        blueprint = Blueprint(app="test", namespace="ns", variant=0, start=START, images=IMAGES)
        self.world = World(blueprint, make_dynamics(run_utility), seed)
        for number in range(1, nodes + 1):
            self.add_node(f"node-{number}")
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
        self.world.run(1_000)
        self.zero = self.world.now
        self.seen: list[tuple[float, str, str]] = []
        tell = self.world.store.observer

        def observe(resource: str, old: Obj | None, new: Obj | None) -> None:
            if resource == "pods" and (some := new or old) is not None:
                self._note(some["metadata"]["name"], summary(new) if new else "gone")
            tell(resource, old, new)

        self.world.store.observer = observe

    def add_node(self, name: str, **spec: Json) -> None:
        number = len(self.world.store.all("nodes")) + 1
        body = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "spec": spec,
            "status": {
                "addresses": [{"type": "InternalIP", "address": f"172.18.0.{number + 1}"}],
                "allocatable": {"cpu": "2", "ephemeral-storage": "100Gi", "memory": "8Gi", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": self.world.timestamp}],
            },
        }
        kube_api.create(self.world, "nodes", body)

    def apply(self, body: Mapping[str, Json]) -> Obj:
        """Create an object, or give the one that is there a new spec."""
        meta = dict(body["metadata"])
        resource = RESOURCES.get(body["kind"], body["kind"].lower() + "s")
        if body["kind"] not in ("Namespace", "PersistentVolume", "StorageClass", "Node"):
            meta.setdefault("namespace", "ns")
        old = self.world.store.get(resource, meta.get("namespace", ""), meta["name"])
        if old is None:
            return kube_api.create(self.world, resource, {**body, "metadata": meta})
        return self._ask("update", resource, meta["name"], {**body, "metadata": meta})

    def change(self, resource: str, name: str, spec: Mapping[str, Json]) -> Obj:
        """Merge fields into a spec."""
        return self._ask("patch", resource, name, {"spec": spec})

    def label(self, node: str, **labels: Json) -> None:
        """Give a node labels."""
        body = {"metadata": {"labels": labels}}
        request = Request("patch", "nodes", "", node, body=body, content_type="application/merge-patch+json")
        assert kube_api.handle(self.world, request).code == 200

    def _ask(self, verb: str, resource: str, name: str, body: Json) -> Obj:
        kind = "application/merge-patch+json"
        answer = kube_api.handle(self.world, Request(verb, resource, "ns", name, body=body, content_type=kind))
        assert answer.code == 200, answer.body
        return self.get(resource, name)

    def delete(self, resource: str, name: str, **options: Json) -> None:
        kube_api.delete(self.world, resource, "ns", name, **options)

    def at(self, seconds: float) -> None:
        """Run until so many seconds after the start."""
        self.world.run_until(self.zero + round(seconds * 1000))

    def pods(self, prefix: str = "") -> list[Obj]:
        return [pod for pod in self.world.store.all("pods", "ns") if pod["metadata"]["name"].startswith(prefix)]

    def pod(self, prefix: str = "") -> Obj:
        (found,) = self.pods(prefix)
        return found

    def get(self, resource: str, name: str) -> Obj:
        found = self.world.store.get(resource, "ns", name) or self.world.store.get(resource, "", name)
        assert found is not None
        return found

    def events(self, prefix: str = "") -> dict[str, int]:
        """`Reason message` -> count, of the objects whose names begin so."""
        found = {}
        for event in self.world.store.all("events", "ns"):
            if event["involvedObject"]["name"].startswith(prefix):
                found[f"{event['reason']} {event['message']}"] = event.get("count") or 1
        return found

    def states(self, prefix: str = "") -> list[tuple[float, str]]:
        """(seconds, state) at each change of the pods whose names begin so."""
        return [(time, state) for time, name, state in self.seen if name.startswith(prefix)]

    def _note(self, name: str, state: str) -> None:
        before = [s for _, n, s in self.seen if n == name]
        if not before or before[-1] != state:
            self.seen.append(((self.world.now - self.zero) / 1000, name, state))


def summary(pod: Mapping[str, Json]) -> str:
    """Phase, then each container: `Running app:R:1` (r = not ready, W = waiting, T = terminated, with restarts)."""
    words = ["Deleting" if "deletionTimestamp" in pod["metadata"] else get(pod, "status", "phase", default="")]
    status = pod.get("status", {})
    for container in (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())):
        words.append(f"{container['name']}:{_state(container)}:{container['restartCount']}")
    return " ".join(words)


def _state(status: Mapping[str, Json]) -> str:
    state = status["state"]
    if "running" in state:
        return "R" if status["ready"] else "r"
    if "waiting" in state:
        return str(state["waiting"]["reason"])
    return f"{state['terminated']['reason']}/{state['terminated']['exitCode']}"


def near(measured: float, recorded: float) -> bool:
    """Within 20 % or 2 s of what was recorded."""
    return abs(measured - recorded) <= max(2.0, 0.2 * recorded)


POD_FIELDS = (
    "volumes",
    "initContainers",
    "nodeSelector",
    "affinity",
    "terminationGracePeriodSeconds",
    "restartPolicy",
)


def deployment(name: str, image: str = "app:1", replicas: int = 1, **fields: Json) -> dict[str, Json]:
    """A Deployment of one container `app`; fields of the container, and those of pod and Deployment, as given."""
    pod = {k: fields.pop(k) for k in POD_FIELDS if k in fields}
    spec = {k: fields.pop(k) for k in ("strategy", "progressDeadlineSeconds", "revisionHistoryLimit") if k in fields}
    container = {"name": "app", "image": image, **fields}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container], **pod}}
    spec |= {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def shell(script: str) -> list[str]:
    """A command that a shell runs."""
    return ["/bin/sh", "-c", script]
