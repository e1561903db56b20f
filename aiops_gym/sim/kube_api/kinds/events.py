"""Events: what happened, and how often."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_api.kind import Kind, make_since_cell, parse_columns
from aiops_gym.types import Json


def _involved(*path: str) -> Any:
    return lambda obj: str(get(obj, *path, default=""))


def _target(obj: Obj) -> str:
    involved = obj.get("involvedObject", {})
    kind = str(involved.get("kind", "")).lower()
    return f"{kind}/{involved['name']}" if involved.get("name") else kind


def _source(obj: Obj) -> str:
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent", "")
    host = source.get("host") or obj.get("reportingInstance", "")
    return f"{component}, {host}" if host else str(component)


def _cells(obj: Obj) -> list[Json]:
    first = make_since_cell(obj.get("firstTimestamp") or obj.get("eventTime"))
    last = make_since_cell(obj["lastTimestamp"]) if obj.get("lastTimestamp") else first
    count = obj.get("count") or 1
    if series := obj.get("series"):
        last, count = make_since_cell(series.get("lastObservedTime")), series.get("count", 0)
    return [
        last,
        obj.get("type", ""),
        obj.get("reason", ""),
        _target(obj),
        get(obj, "involvedObject", "fieldPath", default=""),
        _source(obj),
        str(obj.get("message", "")).strip(),
        first,
        count,
        obj["metadata"]["name"],
    ]


def _component(obj: Obj) -> str:
    return str(get(obj, "source", "component", default="") or obj.get("reportingComponent", ""))


COLUMNS = parse_columns("Last Seen/Type/Reason/Object/Subobject*/Source*/Message/First Seen*/Count#*/Name*")
INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")

KINDS = (
    Kind(
        resource="events",
        columns=COLUMNS,
        cells=_cells,
        fields={
            **{f"involvedObject.{name}": _involved("involvedObject", name) for name in INVOLVED},
            "reason": _involved("reason"),
            "reportingComponent": _involved("reportingComponent"),
            "source": _component,
            "type": _involved("type"),
        },
    ),
)
