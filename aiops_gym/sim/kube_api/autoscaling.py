"""`autoscaling/v1` autoscalers, which kubectl still makes, as the `autoscaling/v2` ones that are stored."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json

OLD, NEW = "autoscaling/v1", "autoscaling/v2"
PERCENT = "targetCPUUtilizationPercentage"


def to_v2(body: Json) -> Json:
    """A v1 object, or a patch of one, as v2; what is neither stays as it is."""
    if not isinstance(body, Mapping):
        return body
    made = {**body}
    if made.get("apiVersion") == OLD:
        made["apiVersion"] = NEW
    spec = made.get("spec")
    if isinstance(spec, Mapping) and PERCENT in spec:
        target = {"type": "Utilization", "averageUtilization": spec[PERCENT]}
        metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
        made["spec"] = {**{k: v for k, v in spec.items() if k != PERCENT}, "metrics": [metric]}
    return made


def to_v1(body: Json) -> Json:
    """The body of an answer with v2 objects as one with v1 objects."""
    if body.get("apiVersion") != NEW:
        return body
    if "items" in body:
        return {**body, "apiVersion": OLD, "items": [_older(item) for item in body["items"]]}
    return _older(body)


def _older(obj: Mapping[str, Json]) -> dict[str, Json]:
    spec = {k: v for k, v in obj.get("spec", {}).items() if k not in ("metrics", "behavior")}
    for metric in get(obj, "spec", "metrics", default=()):
        percent = get(metric, "resource", "target", "averageUtilization")
        if get(metric, "resource", "name") == "cpu" and percent is not None:
            spec[PERCENT] = percent
    status = {k: v for k, v in obj.get("status", {}).items() if k not in ("conditions", "currentMetrics")}
    counts = {"currentReplicas": 0, "desiredReplicas": 0}
    return {**obj, "apiVersion": OLD, "spec": spec, "status": {**counts, **status}}
