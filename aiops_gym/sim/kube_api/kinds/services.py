"""Services: names, virtual addresses and ports in front of pods."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import names, standing
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import Fault, duplicate, format_value, invalid, invalid_value, required, unsupported
from aiops_gym.types import Json

FIRST_ADDRESS, ADDRESSES = 256, 65_536 - 256 - 1
"""Drawn addresses lie above the first 256 of 10.96.0.0/16, which are kept for those who ask for one by number."""
FIRST_NODE_PORT, NODE_PORTS = 30_000, 2_768
TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")


def _default(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    kind = spec.setdefault("type", "ClusterIP")
    if spec.setdefault("sessionAffinity", "None") == "ClientIP":
        config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        config.setdefault("timeoutSeconds", 10800)
    elif spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if port.get("targetPort") in (None, 0, ""):
            port["targetPort"] = port.get("port", 0)
    if kind != "ExternalName":
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if kind in ("NodePort", "LoadBalancer"):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if kind == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def _admit(world: World, draft: Draft, old: Obj | None) -> None:
    """Give a Service its address and node ports, or what it had before."""
    spec = draft["spec"]
    before = old["spec"] if old is not None else {}
    if spec["type"] == "ExternalName":
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            spec.pop(name, None)
        return
    if before.get("type", "ExternalName") != "ExternalName" and not spec.get("clusterIP"):
        spec["clusterIP"] = before.get("clusterIP", "")
    address = spec.get("clusterIP") or (spec.get("clusterIPs") or [""])[0]
    if address != "None" and address != before.get("clusterIP"):
        address = _address(world, draft, address)
    spec["clusterIP"] = address
    if not spec.get("clusterIPs") or old is None:
        spec["clusterIPs"] = [address]
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")
    _node_ports(world, draft, before)


def _address(world: World, draft: Draft, wanted: str) -> str:
    taken = {s["spec"].get("clusterIP") for s in world.store.all("services")}
    if wanted:
        if wanted in taken:
            why = f"failed to allocate IP {wanted}: provided IP is already allocated"
            raise _refused(draft, "spec.clusterIPs", [wanted], why)
        parts = wanted.split(".")
        if len(parts) == 4 and all(parse_natural(p) in range(256) for p in parts) and parts[:2] != ["10", "96"]:
            why = f"failed to allocate IP {wanted}: the provided IP ({wanted}) is not in the valid range. "
            raise _refused(draft, "spec.clusterIPs", [wanted], why + "The range of valid IPs is 10.96.0.0/16")
        return wanted
    key = f"{draft['metadata'].get('namespace', '')}/{draft['metadata'].get('name', '')}"
    for attempt in range(ADDRESSES):
        number = FIRST_ADDRESS + draws.pick(ADDRESSES, world.seed, "cluster address", key, attempt)
        address = f"10.96.{number // 256}.{number % 256}"
        if address not in taken:
            return address
    raise _refused(draft, "spec.clusterIPs", [], "failed to allocate a serviceIP: range is full")


def _refused(draft: Draft, field: str, value: Json, why: str) -> Exception:
    return invalid(RESOURCES["services"], draft["metadata"].get("name", ""), [invalid_value(field, value, why)])


def _node_ports(world: World, draft: Draft, before: Any) -> None:
    spec = draft["spec"]
    old = {(p.get("port"), p.get("protocol")): p.get("nodePort") for p in before.get("ports") or ()}
    if spec["type"] not in ("NodePort", "LoadBalancer"):
        was_open = before.get("type") in ("NodePort", "LoadBalancer")
        for port in spec.get("ports") or ():
            if was_open and port.get("nodePort") == old.get((port.get("port"), port.get("protocol"))):
                port.pop("nodePort", None)
        spec.pop("externalTrafficPolicy", None) if was_open else None
        return
    key = f"{draft['metadata'].get('namespace', '')}/{draft['metadata'].get('name', '')}"
    taken = {
        p.get("nodePort")
        for s in world.store.all("services")
        if f"{s['metadata']['namespace']}/{s['metadata']['name']}" != key
        for p in s["spec"].get("ports") or ()
    }
    for index, port in enumerate(spec.get("ports") or ()):
        wanted = port.get("nodePort") or old.get((port.get("port"), port.get("protocol")))
        path = f"spec.ports[{index}].nodePort"
        if wanted and not FIRST_NODE_PORT <= wanted < FIRST_NODE_PORT + NODE_PORTS:
            why = "provided port is not in the valid range. The range of valid ports is 30000-32767"
            raise _refused(draft, path, wanted, why)
        if wanted and wanted in taken:
            raise _refused(draft, path, wanted, "provided port is already allocated")
        attempt = 0
        while not wanted or wanted in taken:
            wanted = FIRST_NODE_PORT + draws.pick(NODE_PORTS, world.seed, "node port", f"{key} {index}", attempt)
            attempt += 1
        port["nodePort"] = wanted
        taken.add(wanted)


def _validate(draft: Draft) -> list[Fault]:
    spec, faults = draft["spec"], list[Fault]()
    found = spec.get("ports") or []
    if not found and spec["type"] != "ExternalName" and spec.get("clusterIP") != "None":
        faults.append(required("spec.ports"))
    seen: set[Any] = set()
    for index, port in enumerate(found):
        faults += _port(port, f"spec.ports[{index}]", len(found) > 1, seen)
        same = (port.get("protocol"), port.get("port"))
        if same in seen:
            text = f"{{Protocol:{port.get('protocol')} Port:{port.get('port')}}}"
            faults.append(Fault("FieldValueDuplicate", f"spec.ports[{index}]", f"Duplicate value: {text}"))
        seen.add(same)
    if spec.get("selector"):
        for key, value in spec["selector"].items():
            faults += [invalid_value("spec.selector", key, why) for why in names.validate_qualified_name(key)]
            faults += [invalid_value("spec.selector", value, why) for why in names.validate_label_value(value)]
    if spec["sessionAffinity"] not in ("ClientIP", "None"):
        faults.append(unsupported("spec.sessionAffinity", spec["sessionAffinity"], ["ClientIP", "None"]))
    if spec["type"] not in TYPES:
        faults.append(unsupported("spec.type", spec["type"], TYPES))
    if spec["type"] == "ExternalName" and not spec.get("externalName"):
        faults.append(required("spec.externalName"))
    return faults


def _port(port: Draft, where: str, several: bool, seen: set[Any]) -> list[Fault]:
    faults: list[Fault] = []
    name, target = port.get("name", ""), port.get("targetPort")
    if several and not name:
        faults.append(required(f"{where}.name"))
    elif name:
        faults += [invalid_value(f"{where}.name", name, why) for why in names.validate_dns_label(name)]
        if name in seen:
            faults.append(duplicate(f"{where}.name", name))
        seen.add(name)
    faults += [
        invalid_value(f"{where}.port", port.get("port", 0), why)
        for why in names.validate_port_number(port.get("port", 0))
    ]
    if port.get("protocol") not in ("TCP", "UDP", "SCTP"):
        faults.append(unsupported(f"{where}.protocol", port.get("protocol"), ["SCTP", "TCP", "UDP"]))
    if isinstance(target, int):
        faults += [invalid_value(f"{where}.targetPort", target, why) for why in names.validate_port_number(target)]
    else:
        faults += [invalid_value(f"{where}.targetPort", target, why) for why in names.validate_port_name(str(target))]
    return faults


def _kept(draft: Draft, old: Obj) -> list[Fault]:
    new, before = draft["spec"], old["spec"]
    if "ExternalName" in (new["type"], before["type"]) or not before.get("clusterIP"):
        return []
    faults = []
    if new.get("clusterIP") != before["clusterIP"]:
        text = f"Invalid value: {format_value(new.get('clusterIPs') or [])}: may not change once set"
        faults.append(Fault("FieldValueInvalid", "spec.clusterIPs[0]", text))
    elif new.get("clusterIPs", [None])[0] != new["clusterIP"]:
        text = f"Invalid value: {format_value(new.get('clusterIPs') or [])}: must match `clusterIP`"
        faults.append(Fault("FieldValueInvalid", "spec.clusterIPs[0]", text))
    return faults


def _external(obj: Obj) -> str:
    spec = obj["spec"]
    given = list(spec.get("externalIPs") or ())
    if spec.get("type") == "ExternalName":
        return str(spec.get("externalName", ""))
    if spec.get("type") == "LoadBalancer":
        ingress = get(obj, "status", "loadBalancer", "ingress", default=[])
        found = [i.get("ip") or i.get("hostname", "") for i in ingress] + given
        return ",".join(found) or "<pending>"
    return ",".join(given) or "<none>"


def _ports(obj: Obj) -> str:
    parts = [
        f"{p['port']}:{p['nodePort']}/{p['protocol']}" if p.get("nodePort") else f"{p['port']}/{p['protocol']}"
        for p in obj["spec"].get("ports") or ()
    ]
    return ",".join(parts) or "<none>"


def _cells(obj: Obj) -> list[Json]:
    spec = obj["spec"]
    selector = ",".join(f"{k}={v}" for k, v in sorted((spec.get("selector") or {}).items())) or "<none>"
    address = spec.get("clusterIP") or "<none>"
    return [obj["metadata"]["name"], spec["type"], address, _external(obj), _ports(obj), make_age_cell(obj), selector]


KINDS = (
    Kind(
        resource="services",
        columns=parse_columns("Name/Type/Cluster-IP/External-IP/Port(s)/Age/Selector*"),
        cells=_cells,
        default=_default,
        admit=_admit,
        validate=_validate,
        validate_update=_kept,
        validate_status=standing.balancer,
        status={"loadBalancer": {}},
        fields={
            "spec.clusterIP": lambda obj: str(get(obj, "spec", "clusterIP", default="")),
            "spec.type": lambda obj: str(get(obj, "spec", "type", default="")),
        },
    ),
)
