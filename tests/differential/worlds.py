"""The states in which both kubectls are tried: moments of one small cluster, and one of an application's incident."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import objects
from objects import NS

from aiops_gym.backends import Simulated
from aiops_gym.catalog import cluster, registry
from aiops_gym.shell.inside import run_utility
from aiops_gym.sim import kube_api
from aiops_gym.sim.dynamics import make_dynamics
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Request

Json = Any
SEED = 11
SECOND = 1_000
MINUTE = 60_000
SERVER = Binary(program="idle", params={"ports": [8080], "http": {"/": [200, "ok\n"]}, "log": ["listening on 8080"]})
SLOW = Binary(program="idle", params={"ports": [8080], "ready_ms": 9_000, "http": {"/": [200, "ok\n"]}})
MERGE = "application/merge-patch+json"
HOTEL = "revoke_auth_mongodb-mitigation-1"
LIFE = 24 * MINUTE
"""From the start of the small cluster to its youngest state, about."""


def _image(name: str, **fields: Json) -> Image:
    return Image(digest=draws.hexes(64, 0, "image digest", name), **fields)


def _server(name: str, program: Binary = SERVER) -> Image:
    return _image(name, cached=True, entrypoint=("app",), binaries={"app": program})


IMAGES = {
    "app:1": _server("app:1"),
    "app:2": _server("app:2", SLOW),
    "busybox:1.36": _image("busybox", cached=True, cmd=("sh",)),
    "nginx": _server("nginx"),
    "missing:9": _image("missing", pull="not_found"),
}


def ask(world: World, verb: str, resource: str, namespace: str = NS, name: str = "", **rest: Json) -> Json:
    answer = kube_api.handle(world, Request(verb, resource, namespace, name, **rest))
    assert answer.code < 300, answer.body
    return answer.body


def apply(world: World, body: Json) -> None:
    resource = kube_api.find_by_kind(body["apiVersion"], body["kind"])
    assert resource is not None, body
    space = body["metadata"].get("namespace", NS) if resource.namespaced else ""
    ask(world, "create", resource.name, space, body=body)


def merge(world: World, resource: str, name: str, patch: Json, namespace: str = NS) -> None:
    ask(world, "patch", resource, namespace, name, body=patch, content_type=MERGE)


def put(world: World, resource: str, name: str, namespace: str = NS, **fields: Json) -> None:
    """Change an object past the API, as the outside world does."""
    stored = world.store.get(resource, namespace, name)
    assert stored is not None
    world.store.put(resource, {**stored, **fields})


def _blueprint(start: int) -> Blueprint:
    return Blueprint(app="differential", namespace=NS, variant=0, start=start, images=IMAGES)


def _begin(start: int) -> World:
    world = World(_blueprint(start), make_dynamics(run_utility), SEED)
    for node in cluster.NODES:
        apply(world, {key: value for key, value in node.items() if key != "status"})
        put(world, "nodes", node["metadata"]["name"], "", status=node["status"])
    for name in ("default", "kube-system", NS, "limited", "empty"):
        apply(world, objects.thing("Namespace", name, namespace=""))
    world.run(MINUTE)
    for body in (*objects.CONFIG, *objects.SERVICES, *objects.WORKLOADS):
        apply(world, body)
    return world


def _healthy(start: int) -> World:
    world = _begin(start)
    world.run(5 * MINUTE)
    merge(world, "deployments.apps", "api", {"spec": {"template": {"metadata": {"annotations": {"turn": "2"}}}}})
    why = {"metadata": {"annotations": {"kubernetes.io/change-cause": "turned twice"}}}
    merge(world, "deployments.apps", "api", why)
    world.run(6 * MINUTE)
    return world


def _broken(healthy: World) -> World:
    world = healthy.fork()
    for body in objects.BROKEN:
        apply(world, body)
    merge(world, "deployments.apps", "web", {"spec": {"progressDeadlineSeconds": 60}})
    again = {"spec": {"template": {"spec": {"containers": [{**objects.container(image="missing:9"), "ports": []}]}}}}
    merge(world, "deployments.apps", "web", again)
    merge(world, "services", "nowhere", {"spec": {"selector": {"app": "unready"}}})
    for name in ("evicted-1", "evicted-2"):
        apply(world, objects.pod(name, objects.container(), labels={"app": "evicted"}))
    world.run(20 * SECOND)
    for name in ("evicted-1", "evicted-2"):
        put(world, "pods", name, status={**objects.EVICTED, "startTime": world.timestamp})
    world.run(7 * MINUTE)
    return world


def _moving(healthy: World) -> World:
    world = healthy.fork()
    new = {"spec": {"template": {"metadata": {"annotations": {"turn": "3"}}}}}
    merge(world, "deployments.apps", "web", new)
    slower = [{"op": "replace", "path": IMAGE, "value": "app:2"}]
    ask(world, "patch", "deployments.apps", NS, "web", body=slower, content_type=JSON)
    merge(world, "deployments.apps", "api", {"spec": {"paused": True, "replicas": 4}})
    merge(world, "daemonsets.apps", "agent", new)
    held = objects.pod("held", objects.container(), terminationGracePeriodSeconds=30)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    apply(world, held)
    slow = objects.container("slow", "busybox:1.36", "echo begin; sleep 600")
    apply(world, objects.pod("starting", objects.container(), initContainers=[slow]))
    apply(world, objects.job("long", "echo working; sleep 900", completions=3, parallelism=2))
    deaf = objects.container("deaf", "busybox:1.36", "trap '' TERM; while true; do sleep 1; done")
    apply(world, objects.pod("deaf", deaf, terminationGracePeriodSeconds=600))
    merge(world, "cronjobs.batch", "nightly", {"spec": {"suspend": True}})
    node = {"spec": {"unschedulable": True}, "metadata": {"labels": {"disk": "ssd"}}}
    merge(world, "nodes", cluster.CONTROL_PLANE, node, "")
    world.run(6 * SECOND)
    ask(world, "delete", "pods", NS, "held", body={})
    ask(world, "delete", "pods", NS, "deaf", body={})
    world.run(5 * SECOND)
    return world


IMAGE = "/spec/template/spec/containers/0/image"
JSON = "application/json-patch+json"


APPLICATIONS = {
    "hotel": HOTEL,
    "hotel-well": "noop_detection_hotel_reservation-1",
    "social": "auth_miss_mongodb-mitigation-1",
    "social-well": "noop_detection_social_network-1",
    "shop": "astronomy_shop_kafka_queue_problems-mitigation-1",
}
"""The states of the applications, and the problems that begin with them."""


def _application(problem: str, start: int) -> World:
    incident = Simulated(registry.find_problem(problem), 7, noise=False)
    if start:
        late = start + LIFE - incident.world.now
        incident = Simulated(registry.find_problem(problem), 7, noise=False, shift=late)
    return incident.world


STATES = ("healthy", "broken", "moving", "hotel")
"""The states of the cases in `cases.json`."""


@lru_cache(maxsize=8)
def build(state: str, start: int) -> World:
    """A state, never to be changed; the small cluster begins at this time (Unix ms)."""
    makers = {"broken": _broken, "moving": _moving}
    if state in makers:
        world = makers[state](build("healthy", start))
    else:
        world = _application(APPLICATIONS[state], start) if state in APPLICATIONS else _healthy(start)
    world.settle()
    return world


def empty(state: str, start: int) -> World:
    """A world of this state's kind in which nothing has happened: what a recorded state is put into."""
    if state in APPLICATIONS:
        base = Simulated(registry.find_problem(APPLICATIONS[state]), 7, noise=False).world
        return World(base.blueprint, base.dynamics, base.seed)
    return World(_blueprint(start), make_dynamics(run_utility), SEED)
