"""Namespaces."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import standing
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.pods import security


def _admit(world: World, draft: Draft, old: Obj | None) -> None:
    meta = draft["metadata"]
    meta["labels"] = {**(meta.get("labels") or {}), "kubernetes.io/metadata.name": meta["name"]}
    if old is None:
        draft["spec"] = {"finalizers": ["kubernetes"]}


def _cells(obj: Obj) -> list[Any]:
    return [obj["metadata"]["name"], get(obj, "status", "phase", default=""), make_age_cell(obj)]


KINDS = (
    Kind(
        resource="namespaces",
        columns=parse_columns("Name/Status/Age"),
        cells=_cells,
        admit=_admit,
        validate=security.check_labels,
        validate_status=standing.namespace,
        status={"phase": "Active"},
        fields={"status.phase": lambda obj: str(get(obj, "status", "phase", default=""))},
    ),
)
