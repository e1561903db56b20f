"""Endpoints: for each Service with a selector, the addresses of the pods it selects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym import caches
from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kernel.objects import Obj, get, key_of, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of

_CONCERNED = caches.slot(
    f"{__name__}.concerned",
    "finding a pod's Services for their endpoints and once more for their slices",
)
_MATTERS = caches.slot(f"{__name__}.matters", "reading what endpoints depend on from a pod")

TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time"
EXTERNAL = "ExternalName"
HEADLESS = "service.kubernetes.io/headless"


def find_services(world: World, old: Obj | None, new: Obj | None) -> Sequence[str]:
    """Keys of the Services that a change of a pod concerns."""
    if new is None:
        return _select_services(world, old, old) if old is not None else ()
    if old is not None and matters(old) == matters(new):
        return ()
    found: Sequence[str] | None = new.memo.get(_CONCERNED)
    if found is None:  # what was written just now is known to nobody else, nor is it ever written again
        found = new.memo[_CONCERNED] = _select_services(world, old, new)
    return found


def _select_services(world: World, old: Obj | None, pod: Obj) -> list[str]:
    """Keys of the Services that select a pod, or did as it was before."""
    labels, found = labels_of(pod).items(), []
    before = labels if old is None or labels_of(old) == labels_of(pod) else labels_of(old).items()
    for service in world.store.all("services", namespace_of(pod)):
        if selector := service["spec"].get("selector"):
            wanted = selector.items()
            if wanted <= labels or (before is not labels and wanted <= before):
                found.append(key_of(service))
    return found


def matters(pod: Obj) -> tuple[Any, ...]:
    """All of a pod that its endpoints depend on."""
    cached: tuple[Any, ...] | None = pod.memo.get(_MATTERS)
    if cached is None:
        address = get(pod, "status", "podIP", default="")
        cached = (address, pods_of.is_ready(pod), pods_of.is_terminating(pod), pods_of.is_terminal(pod), labels_of(pod))
        pod.memo[_MATTERS] = cached
    return cached


def find_port(pod: Mapping[str, Any], port: Mapping[str, Any]) -> int | None:
    """A Service port's target on a pod: a number, or the container port with that name."""
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    for container in pod["spec"].get("containers", ()):
        for candidate in container.get("ports") or ():
            same = candidate.get("protocol", "TCP") == port.get("protocol", "TCP")
            if candidate.get("name") == target and same:
                return int(candidate["containerPort"])
    return None


def select_pods(world: World, service: Obj) -> list[Obj]:
    """Pods of a Service that have an address and have not ended."""
    chosen = world.store.labelled("pods", namespace_of(service), service["spec"].get("selector") or {})
    return [pod for pod in chosen if get(pod, "status", "podIP") and not pods_of.is_terminal(pod)]


def make_target_ref(pod: Mapping[str, Any]) -> dict[str, Any]:
    """The reference to a pod in an address."""
    meta = pod["metadata"]
    return {"kind": "Pod", "name": meta["name"], "namespace": meta["namespace"], "uid": meta["uid"]}


class EndpointsController:
    """Keeps the Endpoints object of each Service."""

    name = "endpoints"
    watches = ("services", "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The Service, or the Services that select a pod."""
        if resource == "pods":
            yield from find_services(world, old, new)
        elif (obj := new if new is not None else old) is not None:
            yield key_of(obj)

    def reconcile(self, world: World, key: str) -> None:
        """Write the addresses of one Service; drop those of one that is gone."""
        service, old = world.store.by_key("services", key), world.store.by_key("endpoints", key)
        if service is None:
            if old is not None:
                world.store.remove("endpoints", key)
                world.touch()
            return
        if not service["spec"].get("selector") or service["spec"].get("type") == EXTERNAL:
            return
        labels = {**labels_of(service)}
        if service["spec"].get("clusterIP") == "None":
            labels[HEADLESS] = ""
        subsets = _subsets(world, service)
        if old is not None and old.get("subsets", []) == subsets and labels_of(old) == labels:
            return
        _write(world, service, old, labels, subsets)
        world.touch()


def _write(world: World, service: Obj, old: Obj | None, labels: dict[str, str], subsets: list[Any]) -> None:
    meta: dict[str, Any] = {"annotations": {TRIGGER: world.timestamp}}
    if labels:
        meta["labels"] = labels
    body: dict[str, Any] = {"apiVersion": "v1", "kind": "Endpoints"}
    if subsets:
        body["subsets"] = subsets
    if old is not None:
        kept = {k: v for k, v in old["metadata"].items() if k != "labels"}
        world.store.put("endpoints", {**body, "metadata": {**kept, **meta}})
        return
    meta |= {"name": name_of(service), "namespace": namespace_of(service)}
    if not subsets:
        meta.pop("annotations")
    try:
        kube_api.create(world, "endpoints", {**body, "metadata": meta})
    except kube_api.ApiError:
        return  # the namespace is going away


def _subsets(world: World, service: Obj) -> list[Any]:
    """Addresses grouped by the ports they serve, sorted as the real controller's repacking does."""
    groups: dict[tuple[Any, ...], dict[str, list[Any]]] = {}
    anyway = bool(service["spec"].get("publishNotReadyAddresses"))
    for pod in select_pods(world, service):
        if pods_of.is_terminating(pod) and not anyway:
            continue
        ports = tuple(
            _port(port, found) for port in service["spec"].get("ports") or () if (found := find_port(pod, port))
        )
        if not ports and service["spec"].get("ports"):
            continue
        kind = "addresses" if anyway or pods_of.is_ready(pod) else "notReadyAddresses"
        groups.setdefault(ports, {}).setdefault(kind, []).append(_address(service, pod))
    return [_subset(ports, groups[ports]) for ports in sorted(groups)]


def _port(port: Mapping[str, Any], found: int) -> tuple[str, int, str]:
    return str(port.get("name", "")), found, str(port.get("protocol", "TCP"))


def _address(service: Obj, pod: Obj) -> dict[str, Any]:
    address = {
        "ip": pod["status"]["podIP"],
        "nodeName": pod["spec"].get("nodeName", ""),
        "targetRef": make_target_ref(pod),
    }
    hostname = pod["spec"].get("hostname")
    if hostname and pod["spec"].get("subdomain") == name_of(service):
        address = {"hostname": hostname, **address}
    return address


def _order(address: Mapping[str, Any]) -> tuple[Any, ...]:
    numbers = [parse_natural(part) or 0 for part in address["ip"].split(".")]  # a node's address need not be of digits
    return numbers, address["ip"], address["targetRef"]["uid"]


def _subset(ports: tuple[Any, ...], found: Mapping[str, list[Any]]) -> dict[str, Any]:
    subset: dict[str, Any] = {}
    for kind in ("addresses", "notReadyAddresses"):
        if kind in found:
            subset[kind] = sorted(found[kind], key=_order)
    if ports:
        subset["ports"] = [
            {**({"name": name} if name else {}), "port": found_port, "protocol": protocol}
            for name, found_port, protocol in ports
        ]
    return subset


controller = EndpointsController()
