"""EndpointSlices of Endpoints that somebody wrote by hand, for Services without a selector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.writes import make_owner_reference

RESOURCE = "endpointslices.discovery.k8s.io"
SERVICE = "kubernetes.io/service-name"
MANAGED = "endpointslice.kubernetes.io/managed-by"
MANAGER = "endpointslicemirroring-controller.k8s.io"
SKIP = "endpointslice.kubernetes.io/skip-mirror"


class MirroringController:
    """Keeps a slice for each subset of such Endpoints."""

    name = "endpointslicemirroring"
    watches = ("services", "endpoints")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Endpoints whose Service has no selector, and Services that have none."""
        obj = new if new is not None else old
        if obj is None:
            return
        service = obj if resource == "services" else world.store.by_key("services", key_of(obj))
        if service is None or not get(service, "spec", "selector"):
            yield key_of(obj)

    def reconcile(self, world: World, key: str) -> None:
        """Write the slices of one Endpoints object."""
        service, endpoints = world.store.by_key("services", key), world.store.by_key("endpoints", key)
        namespace, _, name = key.partition("/")
        there = world.store.labelled(RESOURCE, namespace, {SERVICE: name, MANAGED: MANAGER})
        wanted: list[dict[str, Any]] = []
        by_hand = service is not None and not get(service, "spec", "selector")
        if by_hand and endpoints is not None and labels_of(endpoints).get(SKIP) != "true":
            wanted = [_slice(endpoints, subset) for subset in endpoints.get("subsets") or ()]
        for body, old in zip(wanted, [*there, *([None] * len(wanted))], strict=False):
            if endpoints is not None:
                _write(world, endpoints, body, old)
        for surplus in there[len(wanted) :]:
            world.store.remove(RESOURCE, key_of(surplus))


def _slice(endpoints: Obj, subset: Mapping[str, Any]) -> dict[str, Any]:
    found = [
        {"addresses": [address["ip"]], "conditions": {"ready": ready}, **_rest(address)}
        for kind, ready in (("addresses", True), ("notReadyAddresses", False))
        for address in subset.get(kind) or ()
    ]
    ports = [
        {"name": port.get("name", ""), "port": port["port"], "protocol": port.get("protocol", "TCP")}
        for port in subset.get("ports") or ()
    ]
    return {"addressType": "IPv4", "endpoints": found, "ports": ports}


def _rest(address: Mapping[str, Any]) -> dict[str, Any]:
    return {k: address[k] for k in ("hostname", "nodeName", "targetRef") if k in address}


def _write(world: World, endpoints: Obj, body: dict[str, Any], old: Obj | None) -> None:
    if old is not None:
        if any(old.get(k) != v for k, v in body.items()):
            world.store.put(RESOURCE, {**old, **body})
        return
    owner = make_owner_reference({**endpoints, "apiVersion": "v1", "kind": "Endpoints"})
    meta = {
        "generateName": f"{name_of(endpoints)}-",
        "labels": {**labels_of(endpoints), MANAGED: MANAGER, SERVICE: name_of(endpoints)},
        "namespace": namespace_of(endpoints),
        "ownerReferences": [owner],
    }
    try:
        kube_api.create(world, RESOURCE, {"metadata": meta, **body})
    except kube_api.ApiError:
        return  # the namespace is going away


controller = MirroringController()
