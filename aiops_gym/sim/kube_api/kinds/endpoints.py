"""Endpoints and EndpointSlices: where a Service's requests go."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.kind import Draft, Kind, age, columns
from aiops_gym.types import Json

SHOWN = 3


def _default(draft: Draft) -> None:
    for subset in draft.get("subsets") or ():
        for port in subset.get("ports") or ():
            port.setdefault("protocol", "TCP")


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
    return [obj["metadata"]["name"], shown, age(obj)]


def _slice_cells(obj: Obj) -> list[Json]:
    ports = [str(p["port"]) if p.get("port") is not None else "*" for p in obj.get("ports") or ()]
    addresses = [a for e in obj.get("endpoints") or () for a in e.get("addresses", ())]
    shown = (_some(ports, "<unset>"), _some(addresses, "<unset>"))
    return [obj["metadata"]["name"], obj.get("addressType", ""), *shown, age(obj)]


KINDS = (
    Kind(resource="endpoints", columns=columns("Name/Endpoints/Age"), cells=_cells, default=_default),
    Kind(
        resource="endpointslices.discovery.k8s.io",
        columns=columns("Name/AddressType/Ports/Endpoints/Age"),
        cells=_slice_cells,
        generation=True,
    ),
)
