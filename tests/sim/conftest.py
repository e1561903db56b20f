"""A hand-made cluster without controllers: pods, services and endpoints are put where a test wants them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from aiops_gym.shell.inside import run_utility
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.toolbox import tools_of
from aiops_gym.sim.software import programs
from aiops_gym.types import Output

Json = Any

START = 1_772_442_000_000
NAMESPACE = "shop"

LOGIN = {"user": "app", "password": "app", "source": "admin"}
SERVICE: Json = {
    "name": "geo",
    "service": "srv-geo",
    "port": 8083,
    "protocol": "grpc",
    "startup": [
        {"log": ["cmd/geo/main.go:32", "Reading config..."]},
        {
            "mongo": {
                "address": "db:27017",
                "database": "geo-db",
                "credentials": LOGIN,
                "collection": "geo",
                "documents": 3,
                "source": "cmd/geo/db.go",
                "template": {"hotelId": "{n}", "lat": 37.7},
            }
        },
        {"listen": 8083},
        {"registry": "consul:8500"},
    ],
    "handlers": {},
}
SCRIPT = """#!/bin/bash
mongo <<EOF
use admin
db.createUser({ user: 'app', pwd: 'app', roles: [
  { role: 'userAdminAnyDatabase', db: 'admin' },
  { role: 'readWrite', db: 'geo-db' }] })
EOF
"""


def _image(kind: str, params: Json = None, name: str = "") -> Image:
    binary = Binary(program=kind, params=params or {})
    return Image(entrypoint=("docker-entrypoint.sh",), cmd=(name or kind,), binaries={name or kind: binary})


IMAGES = {
    "geo:latest": Image(binaries={"geo": Binary(program="go_service", params=SERVICE)}),
    "mongo:4.4.6": _image("mongod"),
    "consul": Image(
        entrypoint=("docker-entrypoint.sh",), cmd=("agent",), binaries={"consul": Binary(program="consul")}
    ),
    "memcached:latest": _image("memcached"),
    "pause": Image(entrypoint=("/pause",), binaries={"pause": Binary(program="pause")}, shell=False),
    "busybox": Image(cmd=("sh",)),
}


class TinyCluster:
    """Pods that start at once, and services whose endpoints are the pods named like them."""

    def __init__(self) -> None:
        self.exits: list[tuple[str, Json]] = []
        handlers = {**runtime.HANDLERS, "kubelet.exited": self._exited}
        blueprint = Blueprint(app="shop", namespace=NAMESPACE, variant=0, start=START, images=IMAGES)
        self.world = World(
            blueprint,
            Dynamics([], handlers, utility=run_utility, programs=programs.find, kubelet=kubelet_server.Server()),
            seed=7,
        )
        self._addresses = 0

    def _exited(self, world: World, pod: str, uid: str, container: str, exit_: Json) -> None:
        self.exits.append((container, exit_["code"]))

    def put(self, resource: str, name: str, namespace: str = NAMESPACE, **fields: Json) -> Json:
        meta = {"name": name, "namespace": namespace, "uid": f"uid-{name}"}
        return self.world.store.put(resource, {"metadata": meta, **fields})

    def pod(self, name: str, image: str, volumes: Json = (), **container: Json) -> str:
        """Put a pod with one container `main` and start it; its key."""
        self._addresses += 1
        spec = {"name": "main", "image": image, **container}
        pod = self.put(
            "pods",
            name,
            spec={"nodeName": "node-1", "containers": [spec], "volumes": list(volumes)},
            status={"podIP": f"10.244.1.{self._addresses}"},
        )
        outcome = runtime.start(self.world, pod, spec, 0)
        assert outcome == "", outcome
        return f"uid-{name}/main"

    def restart(self, name: str, attempt: int = 1) -> None:
        pod = self.world.store.get("pods", NAMESPACE, name)
        assert pod is not None
        assert runtime.start(self.world, pod, pod["spec"]["containers"][0], attempt) == ""

    def service(self, name: str, port: int, pods: Mapping[str, int], ip: str = "") -> None:
        """A service whose endpoints are the given pods at the given ports."""
        self._addresses += 1
        ports = [{"name": "p", "port": port}]
        self.put("services", name, spec={"clusterIP": ip or f"10.96.0.{self._addresses}", "ports": ports})
        subsets = [
            {"addresses": [{"ip": self.address(pod)}], "ports": [{"name": "p", "port": target}]}
            for pod, target in pods.items()
        ]
        self.put("endpoints", name, subsets=subsets)

    def address(self, pod: str) -> str:
        found = self.world.store.get("pods", NAMESPACE, pod)
        assert found is not None
        return str(found["status"]["podIP"])

    def database(self, *args: str) -> str:
        """A MongoDB with a script that creates the user `app`, and its service."""
        self.put("configmaps", "init", data={"users.sh": SCRIPT})
        volumes = [{"name": "init", "configMap": {"name": "init"}}, {"name": "data", "hostPath": {"path": "/data"}}]
        mounts = [
            {"name": "init", "mountPath": "/docker-entrypoint-initdb.d/"},
            {"name": "data", "mountPath": "/data/db"},
        ]
        key = self.pod("db-0", "mongo:4.4.6", volumes, args=list(args), volumeMounts=mounts)
        self.service("db", 27017, {"db-0": 27017})
        return key

    def registry(self) -> str:
        key = self.pod("consul-0", "consul", args=["agent", "-dev"])
        self.service("consul", 8500, {"consul-0": 8500})
        return key

    def row(self, key: str) -> Json:
        return self.world.table("processes")[key]

    def log(self, key: str) -> str:
        return "\n".join(line for _, line in self.row(key)["log"])

    def run(self, seconds: float) -> None:
        self.world.run(int(seconds * 1000))

    def tool(self, key: str, *argv: str, stdin: str = "") -> Output:
        return tools_of(self.world, key)[argv[0]](Container(self.world, key), list(argv), stdin)


@pytest.fixture
def tiny() -> TinyCluster:
    """An empty cluster."""
    return TinyCluster()
