"""What was done to a scenario's objects while it ran, done again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim import api
from aiops_gym.sim.controllers import kubelet
from aiops_gym.sim.objects import Obj, labels_of, name_of
from aiops_gym.sim.world import World
from aiops_gym.types import Request, Response

Json = Any
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"


def create(world: World, namespace: str, body: Mapping[str, Json]) -> None:
    """Create an object of the manifest."""
    resource = _resource(str(body["kind"]), str(body.get("apiVersion", "")))
    space = namespace if resource.namespaced else ""
    meta = {**body.get("metadata", {}), **({"namespace": space} if space else {})}
    _must(api.handle(world, Request("create", resource.name, space, body={**body, "metadata": meta})))


def do(world: World, namespace: str, action: Mapping[str, Json]) -> None:
    """Do one of the manifest's actions to each object it names, or to the first only."""
    if action["verb"] in ("create", "apply"):
        create(world, namespace, action.get("object") or action["body"])
        return
    if "kubelet" in f"{action['verb']} {action.get('kind', '')}".lower():
        change = kubelet.start if "start" in action["verb"] else kubelet.stop
        change(world, str(action.get("name") or action.get("node") or world.store.all("nodes")[0]["metadata"]["name"]))
        return
    resource = _resource(str(action["kind"]))
    space = namespace if resource.namespaced else ""
    for name in _names(world, resource.name, space, action):
        _one(world, resource.name, space, name, action)


def _one(world: World, resource: str, namespace: str, name: str, action: Mapping[str, Json]) -> None:
    verb = action["verb"]
    if verb == "scale":
        body: Json = {"spec": {"replicas": action["replicas"]}}
        _must(api.handle(world, Request("patch", resource, namespace, name, body=body, content_type=MERGE)))
    elif verb == "patch":
        body = action.get("patch") or action.get("body") or {"spec": action["spec"]}
        kind = action.get("type") or STRATEGIC
        _must(api.handle(world, Request("patch", resource, namespace, name, body=body, content_type=kind)))
    elif verb == "delete":
        grace = action.get("grace", action.get("gracePeriodSeconds"))
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        _must(api.handle(world, Request("delete", resource, namespace, name, body=options)))
    elif verb == "evict":
        meta: Json = {"name": name, "namespace": namespace}
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": meta}
        api.handle(world, Request("create", resource, namespace, name, subresource="eviction", body=body))
    else:
        raise ValueError(f"no such action: {verb}")


def _resource(kind: str, api_version: str = "") -> api.Resource:
    found = api.of_kind(api_version, kind) if api_version else api.find(kind)
    if found is None:
        raise ValueError(f"no such kind: {kind}")
    return found


def _names(world: World, resource: str, namespace: str, action: Mapping[str, Json]) -> list[str]:
    if action.get("name"):
        return [str(action["name"])]
    wanted = action.get("selector") or {}
    if isinstance(wanted, str):
        wanted = dict(part.split("=", 1) for part in wanted.replace("==", "=").split(",") if part)
    objects: list[Obj] = world.store.all(resource, namespace or None)
    names = [name_of(o) for o in objects if wanted.items() <= labels_of(o).items()]
    return names[:1] if action.get("first") else names


def _must(response: Response) -> None:
    if response.code >= 400:
        raise ValueError(f"the cluster refuses: {response.body}")
