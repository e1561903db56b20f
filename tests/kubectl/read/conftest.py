"""A still cluster: objects in a store behind the API, no controllers; time passes only when kubectl waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from aiops_gym.clients.context import Context
from aiops_gym.kubectl import run
from aiops_gym.sim.kernel.blueprint import Blueprint
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.software import programs
from aiops_gym.types import Output, Request, Response

START = 1_772_442_000_000
CREATED = "2026-03-02T09:00:00Z"


@dataclass
class StillCluster:
    """A cluster whose clock only moves in `wait`; `later` is what happens at a time."""

    world: World
    budget: float = 600.0
    later: list[tuple[float, Callable[[World], object]]] = field(default_factory=list)
    answers: dict[tuple[str, str, str], Response] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    def handle(self, request: Request) -> Response:
        self.asked.append(request)
        canned = self.answers.get((request.verb, request.resource, request.subresource))
        return canned or handle(self.world, request)

    def now(self) -> float:
        return self.world.now / 1000

    def wait(self, seconds: float) -> bool:
        if self.budget < seconds:
            return False
        self.budget -= seconds
        self.world.tables["meta"]["now"] = self.world.now + int(seconds * 1000)
        due = [event for event in self.later if event[0] <= self.now()]
        self.later = [event for event in self.later if event[0] > self.now()]
        for _, happen in due:
            happen(self.world)
        return True


@dataclass
class MemoryFiles:
    """Files of a shell, as a dict."""

    texts: dict[str, str] = field(default_factory=dict)

    def read(self, path: str) -> str:
        if path not in self.texts:
            raise FileNotFoundError(path)
        return self.texts[path]

    def write(self, path: str, text: str) -> None:
        self.texts[path] = text

    def exists(self, path: str) -> bool:
        return path in self.texts

    def list(self, path: str) -> Sequence[str]:
        return sorted(name.removeprefix(path + "/") for name in self.texts if name.startswith(path + "/"))


@dataclass
class Kubectl:
    """Types kubectl commands."""

    cluster: StillCluster
    files: MemoryFiles = field(default_factory=MemoryFiles)

    def __call__(self, *words: str, stdin: str = "") -> Output:
        return run(Context(self.cluster, self.files, "/root", {"HOME": "/root"}, stdin), ["kubectl", *words])


def meta(name: str, namespace: str = "shop", **more: object) -> dict[str, object]:
    return {"name": name, "namespace": namespace, "uid": f"uid-{name}", "creationTimestamp": CREATED, **more}


def pod(name: str, app: str, ready: bool = True, restarts: int = 0, containers: Sequence[str] = ("app",)) -> dict:
    state = {"running": {"startedAt": CREATED}} if ready else {"waiting": {"reason": "CrashLoopBackOff"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta(name, labels={"app": app}),
        "spec": {"nodeName": "node-1", "containers": [{"name": c, "image": "shop:1"} for c in containers]},
        "status": {
            "phase": "Running",
            "podIP": "10.244.1.5",
            "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": CREATED}],
            "containerStatuses": [
                {"name": c, "ready": ready, "restartCount": restarts, "state": state} for c in containers
            ],
        },
    }


def event(name: str, seconds: int, **more: object) -> dict:
    at = f"2026-03-02T09:00:{seconds:02d}Z"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": meta(name),
        "involvedObject": {"kind": "Pod", "name": "geo-1", "namespace": "shop"},
        "type": "Normal",
        "reason": "Pulled",
        "message": "Pulled",
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
        **more,
    }


def deployment(name: str) -> dict:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta(name, generation=1, labels={"app": name}),
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "app", "image": "shop:1"}]},
            },
        },
        "status": {"observedGeneration": 1, "replicas": 2, "readyReplicas": 1, "updatedReplicas": 2},
    }


def still_world() -> World:
    blueprint = Blueprint(app="shop", namespace="shop", variant=0, start=START, images={}, operations=(), rate=0.0)
    world = World(blueprint, Dynamics((), {}, programs=programs.find, kubelet=kubelet_server.Server()), seed=1)
    put = world.store.put
    for name in ("default", "shop", "kube-system"):
        put("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {**meta(name, ""), "namespace": ""}})
    for item in (
        pod("geo-1", "geo"),
        pod("geo-2", "geo", ready=False, restarts=3),
        pod("rate-1", "rate", True, 0, "ab"),
    ):
        put("pods", item)
    put("deployments.apps", deployment("geo"))
    put("configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("conf"), "data": {"a": "x\ny\n"}})
    put("events", event("geo-1.a", 30, reason="Started"))
    put("events", event("geo-1.b", 10, count=4, lastTimestamp="2026-03-02T09:00:50Z", type="Warning"))
    put("events", event("rate-1.a", 20, involvedObject={"kind": "Pod", "name": "rate-1", "namespace": "shop"}))
    world.tables["meta"]["now"] = START + 60_000
    return world


@pytest.fixture
def kubectl() -> Kubectl:
    return Kubectl(StillCluster(still_world()))
