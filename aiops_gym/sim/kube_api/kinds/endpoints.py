"""Endpoints and EndpointSlices: where a Service's requests go."""

from __future__ import annotations

from ipaddress import ip_address

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api import names, standing
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.status import Fault, duplicate, invalid_value, required, unsupported
from aiops_gym.types import Json

SHOWN = 3


def _default(draft: Draft) -> None:
    for subset in draft.get("subsets") or ():
        for port in subset.get("ports") or ():
            port.setdefault("protocol", "TCP")


SPECIAL = (
    ("is_unspecified", "may not be unspecified (0.0.0.0 or ::)"),
    ("is_loopback", "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
    ("is_link_local", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
    ("is_multicast", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
)
"""Addresses that no endpoint has (`ValidateNonSpecialIP`)."""

MOST = {"endpoints": 1000, "addresses": 100, "ports": 20_000}
KINDS_OF_ADDRESS = ("FQDN", "IPv4", "IPv6")
PROTOCOLS = ("SCTP", "TCP", "UDP")


def _faults(draft: Draft) -> list[Fault]:
    """What is wrong with Endpoints (`ValidateEndpoints`)."""
    faults: list[Fault] = []
    for index, subset in enumerate(draft.get("subsets") or ()):
        path = f"subsets[{index}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            faults.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
        for kind in ("addresses", "notReadyAddresses"):
            for number, address in enumerate(subset.get(kind) or ()):
                faults += _address_faults(address, f"{path}.{kind}[{number}]")
        ports = subset.get("ports") or ()
        for number, port in enumerate(ports):
            faults += _port_faults(port, len(ports) > 1, f"{path}.ports[{number}]")
    return faults


def _address_faults(address: Json, path: str) -> list[Fault]:
    faults = _ip_faults(address["ip"], f"{path}.ip")
    for name in ("hostname", "nodeName"):
        if text := address.get(name):
            rule = names.validate_dns_label if name == "hostname" else names.validate_dns_subdomain
            faults += [invalid_value(f"{path}.{name}", text, why) for why in rule(text)]
    return faults


def _ip_faults(text: str, path: str) -> list[Fault]:
    faults = standing.ip_faults(text, path)
    if faults:
        return faults
    address = ip_address(text)
    return [invalid_value(path, text, why) for attribute, why in SPECIAL if getattr(address, attribute)]


def _port_faults(port: Json, several: bool, path: str) -> list[Fault]:
    faults: list[Fault] = []
    if several and not port.get("name"):
        faults.append(required(f"{path}.name"))
    elif port.get("name"):
        faults += [invalid_value(f"{path}.name", port["name"], why) for why in names.validate_dns_label(port["name"])]
    faults += [invalid_value(f"{path}.port", port["port"], why) for why in names.validate_port_number(port["port"])]
    if port["protocol"] not in PROTOCOLS:
        faults.append(unsupported(f"{path}.protocol", port["protocol"], PROTOCOLS))
    return faults


def _slice_default(draft: Draft) -> None:
    for port in draft.get("ports") or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


def _slice_faults(draft: Draft) -> list[Fault]:
    """What is wrong with an EndpointSlice (`ValidateEndpointSlice`)."""
    kind, faults = draft.get("addressType", ""), list[Fault]()
    if not kind:
        faults.append(required("addressType"))
    elif kind not in KINDS_OF_ADDRESS:
        faults.append(unsupported("addressType", kind, KINDS_OF_ADDRESS))
    for index, end in enumerate(draft.get("endpoints") or ()):
        addresses, path = end.get("addresses") or (), f"endpoints[{index}].addresses"
        if not addresses:
            faults.append(required(path, "must contain at least 1 address"))
        if len(addresses) > MOST["addresses"]:
            text = f"Too many: {len(addresses)}: must have at most {MOST['addresses']} items"
            faults.append(Fault("FieldValueTooMany", path, text))
        for number, address in enumerate(addresses):
            faults += _of_type(address, kind, f"{path}[{number}]")
    seen: set[str] = set()
    for index, port in enumerate(draft.get("ports") or ()):
        path, name = f"ports[{index}]", port.get("name", "")
        if name:
            faults += [invalid_value(f"{path}.name", name, why) for why in names.validate_dns_label(name)]
        if name in seen:
            faults.append(duplicate(f"{path}.name", name))
        seen.add(name)
        if port["protocol"] not in PROTOCOLS:
            faults.append(unsupported(f"{path}.protocol", port["protocol"], PROTOCOLS))
        if port.get("port") is not None:
            faults += [
                invalid_value(f"{path}.port", port["port"], why) for why in names.validate_port_number(port["port"])
            ]
    return faults


def _of_type(address: str, kind: str, path: str) -> list[Fault]:
    if kind == "FQDN":
        return [invalid_value(path, address, why) for why in names.validate_dns_subdomain(address)]
    faults = _ip_faults(address, path)
    version = 4 if kind == "IPv4" else 6
    if not faults and kind in KINDS_OF_ADDRESS and ip_address(address).version != version:
        faults.append(invalid_value(path, address, f"must be an {kind} address"))
    return faults


def _slice_kept(draft: Draft, old: Obj) -> list[Fault]:
    if draft.get("addressType") == old.get("addressType"):
        return []
    return [invalid_value("addressType", draft.get("addressType", ""), "field is immutable")]


def _some(found: list[str], nothing: str) -> str:
    more = f" + {len(found) - SHOWN} more..." if len(found) > SHOWN else ""
    return ",".join(found[:SHOWN]) + more if found else nothing


def _cells(obj: Obj) -> list[Json]:
    found = []
    for subset in obj.get("subsets") or ():
        addresses = [a["ip"] for a in subset.get("addresses") or ()]
        if not subset.get("ports"):
            found += addresses
        for port in subset.get("ports") or ():
            found += [f"{address}:{port['port']}" for address in addresses]
    shown = _some(found, "") if obj.get("subsets") else "<none>"
    return [obj["metadata"]["name"], shown, make_age_cell(obj)]


def _slice_cells(obj: Obj) -> list[Json]:
    ports = [str(p["port"]) if p.get("port") is not None else "*" for p in obj.get("ports") or ()]
    addresses = [a for e in obj.get("endpoints") or () for a in e.get("addresses", ())]
    shown = (_some(ports, "<unset>"), _some(addresses, "<unset>"))
    return [obj["metadata"]["name"], obj.get("addressType", ""), *shown, make_age_cell(obj)]


KINDS = (
    Kind(
        resource="endpoints",
        columns=parse_columns("Name/Endpoints/Age"),
        cells=_cells,
        default=_default,
        validate=_faults,
    ),
    Kind(
        resource="endpointslices.discovery.k8s.io",
        columns=parse_columns("Name/AddressType/Ports/Endpoints/Age"),
        cells=_slice_cells,
        default=_slice_default,
        validate=_slice_faults,
        validate_update=_slice_kept,
        generation=True,
    ),
)
