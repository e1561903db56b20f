"""Nodes, and what is measured of nodes and pods."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj, get, labels_of
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.types import Json

ROLE = "node-role.kubernetes.io/"


def _default(draft: Draft) -> None:
    draft.setdefault("spec", {})


def _roles(obj: Obj) -> str:
    found = {k.removeprefix(ROLE) for k in labels_of(obj) if k.startswith(ROLE) and k != ROLE}
    if role := labels_of(obj).get("kubernetes.io/role"):
        found.add(role)
    return ",".join(sorted(found)) or "<none>"


def _state(obj: Obj) -> str:
    ready = next((c for c in get(obj, "status", "conditions", default=[]) if c["type"] == "Ready"), None)
    states = ["Unknown" if ready is None else "Ready" if ready["status"] == "True" else "NotReady"]
    if get(obj, "spec", "unschedulable"):
        states.append("SchedulingDisabled")
    return ",".join(states)


def _address(obj: Obj, kind: str) -> str:
    addresses = get(obj, "status", "addresses", default=[])
    return next((str(a["address"]) for a in addresses if a["type"] == kind), "<none>")


def _cells(obj: Obj) -> list[Json]:
    info = get(obj, "status", "nodeInfo", default={})
    return [
        obj["metadata"]["name"],
        _state(obj),
        _roles(obj),
        make_age_cell(obj),
        info.get("kubeletVersion", ""),
        _address(obj, "InternalIP"),
        _address(obj, "ExternalIP"),
        info.get("osImage") or "<unknown>",
        info.get("kernelVersion") or "<unknown>",
        info.get("containerRuntimeVersion") or "<unknown>",
    ]


def _pod_use(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], str(len(obj.get("containers", ()))), obj["window"]]


def _node_use(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], obj["usage"]["cpu"], obj["usage"]["memory"], obj["window"]]


KINDS = (
    Kind(
        resource="nodes",
        columns=parse_columns(
            "Name/Status/Roles/Age/Version/Internal-IP*/External-IP*/OS-Image*/Kernel-Version*/Container-Runtime*"
        ),
        cells=_cells,
        default=_default,
        status={},
        fields={"spec.unschedulable": lambda obj: "true" if get(obj, "spec", "unschedulable") else "false"},
    ),
    Kind(resource="nodes.metrics.k8s.io", columns=parse_columns("Name/cpu/memory/Window"), cells=_node_use),
    Kind(resource="pods.metrics.k8s.io", columns=parse_columns("Name/Containers/Window"), cells=_pod_use),
)
