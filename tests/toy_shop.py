"""A small shop to watch: users ask `front`, which asks `stock`, which asks a cache and a database."""

import pytest

from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.blueprint import Blueprint, Operation
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.software import programs
from aiops_gym.sim.traffic import inputs, solutions, timeline

START = 1_772_442_000_000
NAMESPACE = "shop"


def grpc(handler, service, **more):
    return {"kind": "grpc", "service": service, "handler": handler, **more}


PARAMS = {
    "front": {
        "name": "front",
        "startup": [{"registry": "consul:8500"}, {"tracer": "jaeger:6831"}],
        "handlers": {
            "HTTP GET /buy": {
                "ms": 1.0,
                "calls": [grpc("/stock.Stock/Take", "srv-stock", log=["front.go:12", "taking from stock failed"])],
            },
            "HTTP GET /": {"ms": 0.5, "calls": []},
        },
    },
    "stock": {
        "name": "stock",
        "startup": [{"registry": "consul:8500"}, {"tracer": "jaeger:6831"}],
        "handlers": {
            "/stock.Stock/Take": {
                "ms": 2.0,
                "calls": [
                    {
                        "kind": "memcached",
                        "host": "cache",
                        "port": 11211,
                        "span": "memcached_get",
                        "ms": 0.2,
                        "on_error": "ignore",
                        "log": ["stock.go:7", "cache: {error}"],
                    },
                    {
                        "kind": "mongo",
                        "host": "db",
                        "port": 27017,
                        "span": "mongo_stock",
                        "ms": 1.0,
                        "p": 0.5,
                        "database": "stock-db",
                        "on_error": "panic",
                        "log": ["stock.go:9", "query failed"],
                    },
                ],
            }
        },
    },
}
KINDS = {
    "front": ("go_service", 5000),
    "stock": ("go_service", 8080),
    "cache": ("memcached", 11211),
    "db": ("mongod", 27017),
    "consul": ("consul", 8500),
    "jaeger": ("jaeger", 6831),
}


def add_process(world, name, ip, uid=None, program=None, started=None, port=None):
    kind, own_port = KINDS[name]
    uid = uid or f"uid-{name}"
    pod = {
        "metadata": {"name": f"{name}-pod", "namespace": NAMESPACE, "uid": uid, "labels": {"app": name}},
        "spec": {
            "nodeName": "node-1",
            "containers": [{"name": "main", "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}}}],
        },
        "status": {"podIP": ip},
    }
    world.store.put("pods", pod)
    world.table("processes")[f"{uid}/main"] = {
        "id": f"id-{uid}",
        "pod": f"{NAMESPACE}/{name}-pod",
        "uid": uid,
        "container": "main",
        "node": "node-1",
        "image": name,
        "argv": [name],
        "program": program or kind,
        "params": PARAMS.get(name, {}),
        "env": {"JAEGER_SAMPLE_RATIO": "1"},
        "ip": ip,
        "attempt": 0,
        "started": started or world.now,
        "ports": [port or own_port],
        "state": {},
        "log": [],
        "running": True,
        "ended": 0,
        "exit": None,
    }
    world.touch()


def add_service(world, name, ip, target):
    port = KINDS[name][1]
    meta = {"name": name, "namespace": NAMESPACE, "uid": f"svc-{name}"}
    world.store.put("services", {"metadata": meta, "spec": {"clusterIP": ip, "ports": [{"port": port}]}})
    subsets = [{"addresses": [{"ip": target}], "ports": [{"port": port}]}]
    world.store.put("endpoints", {"metadata": meta, "subsets": subsets})
    world.touch()


def change(world, name, **fields):
    table = world.table("processes")
    table[f"uid-{name}/main"] = {**table[f"uid-{name}/main"], **fields}
    world.touch()


def stop(world, name):
    change(world, name, running=False, ended=world.now, ports=[])


def register(world, addresses):
    services = {
        str(i): {"id": str(i), "name": "srv-stock", "address": ip, "port": 8080} for i, ip in enumerate(addresses)
    }
    change(world, "consul", state={"services": services})


def make_shop(seed=7, rate=20.0, pods=(), services=(), operations=()):
    """The shop; pods and services in the order of `KINDS`, where they are given, at these addresses."""
    pods = pods or [f"10.244.1.{i + 2}" for i in range(len(KINDS))]
    services = services or [f"10.96.0.{i + 2}" for i in range(len(KINDS))]
    operations = operations or (
        Operation(name="buy", weight=0.8, service="front", port=5000, handler="HTTP GET /buy"),
        Operation(name="look", weight=0.2, service="front", port=5000, handler="HTTP GET /"),
    )
    blueprint = Blueprint(
        app="shop", namespace=NAMESPACE, variant=0, start=START, images={}, operations=operations, rate=rate
    )
    handlers = {**runtime.HANDLERS, **traffic.HANDLERS, "kubelet.exited": lambda world, *_: None}
    world = World(
        blueprint,
        Dynamics((), handlers, (traffic.observe,), programs=programs.find, kubelet=kubelet_server.Server()),
        seed,
    )
    world.table("processes")
    for i, name in enumerate(KINDS):
        add_process(world, name, pods[i])
        add_service(world, name, services[i], pods[i])
    register(world, [pods[1]])
    return world


def looked_up_anew(shop):
    """The present outcome without anything remembered of this or another world."""
    twin = shop.fork()
    load = timeline.rate(twin)
    found = inputs.gather(twin, load)
    with pytest.MonkeyPatch.context() as patch:
        for kept in (inputs._values, solutions._graphs, solutions._read, solutions._solved):
            patch.setattr(kept.entry, "off", True)
        return solutions.name_processes(solutions.look_up(twin, found, load), found.processes)
