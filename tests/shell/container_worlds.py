"""A world with one running container and nothing else, for commands in it."""

from __future__ import annotations

from aiops_gym.shell.inside import run_utility
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.software import programs

START = 1_772_442_000_000
IMAGES = {
    "app:1": Image(
        binaries={"app": Binary(program="idle")},
        files={"/etc/app.conf": "port = 1\nhost = db\n", "/scripts/run.sh": "#!/bin/sh\necho run $1\n"},
        workdir="/srv/app",
    ),
    "bare:1": Image(binaries={"app": Binary(program="idle")}, shell=False),
}


def world_with(image: str) -> World:
    world = World(
        Blueprint(app="toy", namespace="shop", variant=0, start=START, images=IMAGES),
        Dynamics((), {}, utility=run_utility, programs=programs.find, kubelet=kubelet_server.Server()),
        seed=1,
    )
    pod = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": "web-1", "namespace": "shop", "uid": "u1"},
        "spec": {"nodeName": "kind-worker", "containers": [{"name": "app", "image": image}]},
    }
    world.store.put("pods", Obj(pod))
    world.table("processes")["u1/app"] = {
        "id": "ab" * 32,
        "pod": "shop/web-1",
        "uid": "u1",
        "container": "app",
        "node": "kind-worker",
        "image": image,
        "argv": ["app"],
        "program": "idle",
        "params": {},
        "env": {"MODE": "it's on", "PORT": "1"},
        "ip": "10.244.1.2",
        "attempt": 0,
        "started": START,
        "ports": [],
        "state": {},
        "log": [],
        "running": True,
        "ended": 0,
        "exit": None,
    }
    return world
