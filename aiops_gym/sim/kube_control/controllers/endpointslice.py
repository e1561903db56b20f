"""EndpointSlices: the newer form of Endpoints, one object for each set of ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers import endpoints
from aiops_gym.sim.kube_control.writes import make_owner_reference

RESOURCE = "endpointslices.discovery.k8s.io"
SERVICE = "kubernetes.io/service-name"
MANAGED = "endpointslice.kubernetes.io/managed-by"
MANAGER = "endpointslice-controller.k8s.io"

Ports = tuple[tuple[str, int, str], ...]


class EndpointSliceController:
    """Keeps the slices of each Service; the garbage collector takes them with it."""

    name = "endpointslice"
    watches = ("services", "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The Service, or the Services that select a pod."""
        if resource == "pods":
            yield from endpoints.find_services(world, old, new)
        elif new is not None:
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Write one slice for each set of ports, reusing those that are there."""
        service = world.store.by_key("services", key)
        if service is None or not service["spec"].get("selector") or pods_of.is_terminating(service):
            return
        if service["spec"].get("type") == endpoints.EXTERNAL:
            return
        groups = _groups(world, service)
        mine = {SERVICE: name_of(service), MANAGED: MANAGER}
        spare = world.store.labelled(RESOURCE, namespace_of(service), mine)
        for ports, found in groups.items():
            body = _body(service, ports, found)
            same = next((s for s in spare if s.get("ports") == body["ports"]), spare[0] if spare else None)
            if same is not None:
                spare = [s for s in spare if s is not same]
            _write(world, service, same, body)
        for rest in spare:
            world.store.remove(RESOURCE, key_of(rest))


def _groups(world: World, service: Obj) -> dict[Ports, list[dict[str, Any]]]:
    groups: dict[Ports, list[dict[str, Any]]] = {}
    for pod in endpoints.select_pods(world, service):
        ports = tuple(
            (str(port.get("name", "")), number, str(port.get("protocol", "TCP")))
            for port in service["spec"].get("ports") or ()
            if (number := endpoints.find_port(pod, port))
        )
        groups.setdefault(ports, []).append(_endpoint(service, pod))
    return groups or {(): []}


def _endpoint(service: Obj, pod: Obj) -> dict[str, Any]:
    serving, leaving = pods_of.is_ready(pod), pods_of.is_terminating(pod)
    ready = bool(service["spec"].get("publishNotReadyAddresses")) or (serving and not leaving)
    return {
        "addresses": [pod["status"]["podIP"]],
        "conditions": {"ready": ready, "serving": serving, "terminating": leaving},
        "nodeName": pod["spec"].get("nodeName", ""),
        "targetRef": endpoints.make_target_ref(pod),
    }


def _body(service: Obj, ports: Ports, found: list[dict[str, Any]]) -> dict[str, Any]:
    shown = [{"name": name, "port": number, "protocol": protocol} for name, number, protocol in ports]
    labels = {**labels_of(service), MANAGED: MANAGER, SERVICE: name_of(service)}
    if service["spec"].get("clusterIP") == "None":
        labels[endpoints.HEADLESS] = ""
    return {"endpoints": found, "ports": shown or None, "labels": labels}


def _write(world: World, service: Obj, old: Obj | None, body: Mapping[str, Any]) -> None:
    content = {"addressType": "IPv4", "endpoints": body["endpoints"], "ports": body["ports"]}
    if old is not None:
        if all(old.get(k) == v for k, v in content.items()) and labels_of(old) == body["labels"]:
            return
        annotations = {**get(old, "metadata", "annotations", default={}), endpoints.TRIGGER: world.timestamp}
        generation = int(get(old, "metadata", "generation", default=1)) + 1
        meta = {**old["metadata"], "annotations": annotations, "generation": generation, "labels": body["labels"]}
        world.store.put(RESOURCE, {**old, **content, "metadata": meta})
        return
    new_meta = {
        "annotations": {endpoints.TRIGGER: world.timestamp} if body["endpoints"] else {},
        "generateName": f"{name_of(service)}-",
        "labels": body["labels"],
        "namespace": namespace_of(service),
        "ownerReferences": [make_owner_reference(service)],
    }
    new_meta = {k: v for k, v in new_meta.items() if v}
    whole = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": new_meta, **content}
    try:
        made = kube_api.create(world, RESOURCE, whole)
    except kube_api.ApiError:
        return  # the namespace is going away
    if "generation" not in made["metadata"]:
        world.store.put(RESOURCE, {**made, "metadata": {**made["metadata"], "generation": 1}})


controller = EndpointSliceController()
