"""Objects and worlds for the tests of the API."""

from pathlib import Path

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.blueprint import Blueprint
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.software import programs

START = 1772442000000
RECORDINGS = Path(__file__).parent / "recordings"


def new_world(seed: int = 7) -> World:
    world = World(
        Blueprint(app="t", namespace="t", variant=0, start=START, images={}),
        Dynamics([], {}, programs=programs.find, kubelet=kubelet_server.Server()),
        seed,
    )
    kube_api.create(world, "namespaces", {"metadata": {"name": "t"}})
    return world


def deployment(name="ok", **spec):
    labels = {"app": name}
    container = {"name": "app", "image": "registry.local/app:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}, "template": template, **spec}}


def pod(name="p", **spec):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "x:1"}], **spec}}
