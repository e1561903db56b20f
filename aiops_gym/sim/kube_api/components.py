"""`componentstatuses`: how the control plane's own parts do, asked at the moment at which somebody reads it."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import table
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import method_not_allowed, not_found
from aiops_gym.types import Json, Request

NAME = "componentstatuses"
WARNING = "v1 ComponentStatus is deprecated in v1.19+"
PARTS = {
    "controller-manager": ("kube-controller-manager", "https://127.0.0.1:10257/healthz"),
    "scheduler": ("kube-scheduler", "https://127.0.0.1:10259/healthz"),
    "etcd-0": ("etcd", "https://127.0.0.1:2379/health"),
}
"""Names of the parts, the programs behind them, and where they are asked."""


def answer(world: World, resource: Resource, request: Request) -> Answer:
    """One part, or all of them. Raises ApiError."""
    if request.verb not in resource.verbs or request.subresource:
        raise method_not_allowed()
    found = [each for each in _list_all(world) if request.verb == "list" or each["metadata"]["name"] == request.name]
    if request.verb == "get" and not found:
        raise not_found(resource, request.name)
    body: Json = {"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": found}
    if request.table:
        body = table.make_table(NAME, found, world.now, "")
    elif request.verb == "get":
        body = found[0]
    told = Answer(200, body)
    told.warnings = (WARNING,)
    return told


def _list_all(world: World) -> Iterator[Obj]:
    for name, (program, url) in PARTS.items():
        well = _answers(world, program)
        port = url.split("/")[2]
        message = "ok" if well else f'Get "{url}": dial tcp {port}: connect: connection refused'
        condition = {"message": message, "status": "True" if well else "False", "type": "Healthy"}
        meta = {"creationTimestamp": None, "name": name}
        yield Obj({"apiVersion": "v1", "conditions": [condition], "kind": "ComponentStatus", "metadata": meta})


def _answers(world: World, program: str) -> bool:
    """Whether a part runs; of one whose pod nobody shows nothing else is known."""
    pods = world.store.labelled("pods", "kube-system", {"component": program, "tier": "control-plane"})
    states = [get(pod, "status", "containerStatuses", 0, "state", default={}) for pod in pods]
    return not states or any("running" in state for state in states)
