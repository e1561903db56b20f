"""Parts of the control plane, which are never stored."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.kind import Kind, parse_columns
from aiops_gym.types import Json


def _cells(obj: Obj) -> list[Json]:
    condition = obj["conditions"][0]
    state = "Healthy" if condition["status"] == "True" else "Unhealthy"
    return [obj["metadata"]["name"], state, condition.get("message", ""), condition.get("error", "")]


KINDS = (Kind(resource="componentstatuses", columns=parse_columns("Name/Status/Message/Error"), cells=_cells),)
