"""Quotas, priorities, leases and other small kinds of the control plane."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim.api.kind import Draft, Kind, age, columns
from aiops_gym.sim.objects import Obj, controller_of, get

Json = Any


def _quota(draft: Draft) -> None:
    draft.setdefault("spec", {})


def _quota_cells(obj: Obj) -> list[Json]:
    hard = get(obj, "status", "hard", default={})
    used = get(obj, "status", "used", default={})
    shown: dict[bool, list[str]] = {True: [], False: []}
    for name in sorted(hard):
        shown[name.startswith("limits.")].append(f"{name}: {used.get(name, '0')}/{hard[name]}")
    return [obj["metadata"]["name"], ", ".join(shown[False]), ", ".join(shown[True]), age(obj)]


def _priority(draft: Draft) -> None:
    draft.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _priority_cells(obj: Obj) -> list[Json]:
    default = "true" if obj.get("globalDefault") else "false"
    name, policy = obj["metadata"]["name"], obj.get("preemptionPolicy", "PreemptLowerPriority")
    return [name, obj.get("value", 0), default, age(obj), policy]


def _lease_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], get(obj, "spec", "holderIdentity", default=""), age(obj)]


def _revision_cells(obj: Obj) -> list[Json]:
    owner = controller_of(obj) or {}
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    kind = f"{str(owner.get('kind', '')).lower()}.{group}" if group else str(owner.get("kind", "")).lower()
    shown = f"{kind}/{owner['name']}" if owner else "<none>"
    return [obj["metadata"]["name"], shown, obj.get("revision", 0), age(obj)]


def _service_cells(obj: Obj) -> list[Json]:
    service = get(obj, "spec", "service")
    where = f"{service['namespace']}/{service['name']}" if service else "Local"
    condition: dict[str, Json] = next(
        (c for c in get(obj, "status", "conditions", default=[]) if c["type"] == "Available"), {}
    )
    state = condition.get("status", "Unknown")
    shown = state if state == "True" else f"{state} ({condition.get('reason', '')})"
    return [obj["metadata"]["name"], where, shown, age(obj)]


def _runtime_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], obj.get("handler", ""), age(obj)]


def _node_driver_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], len(get(obj, "spec", "drivers", default=[])), age(obj)]


def _driver_cells(obj: Obj) -> list[Json]:
    spec = obj.get("spec", {})
    flags = [str(spec.get(n, False)).lower() for n in ("attachRequired", "podInfoOnMount", "storageCapacity")]
    modes = ",".join(spec.get("volumeLifecycleModes") or ()) or "<none>"
    again = str(spec.get("requiresRepublish", False)).lower()
    return [obj["metadata"]["name"], *flags, "<unset>", again, modes, age(obj)]


KINDS = (
    Kind(
        resource="resourcequotas",
        columns=columns("Name/Request/Limit/Age"),
        cells=_quota_cells,
        default=_quota,
        status={},
    ),
    Kind(
        resource="priorityclasses.scheduling.k8s.io",
        columns=columns("Name/Value#/Global-Default/Age/PreemptionPolicy"),
        cells=_priority_cells,
        default=_priority,
        generation=True,
    ),
    Kind(resource="leases.coordination.k8s.io", columns=columns("Name/Holder/Age"), cells=_lease_cells),
    Kind(
        resource="controllerrevisions.apps",
        columns=columns("Name/Controller/Revision#/Age"),
        cells=_revision_cells,
    ),
    Kind(
        resource="apiservices.apiregistration.k8s.io",
        columns=columns("Name/Service/Available/Age"),
        cells=_service_cells,
    ),
    Kind(resource="runtimeclasses.node.k8s.io", columns=columns("Name/Handler/Age"), cells=_runtime_cells),
    Kind(resource="csinodes.storage.k8s.io", columns=columns("Name/Drivers#/Age"), cells=_node_driver_cells),
    Kind(
        resource="csidrivers.storage.k8s.io",
        columns=columns("Name/AttachRequired/PodInfoOnMount/StorageCapacity/TokenRequests/RequiresRepublish/Modes/Age"),
        cells=_driver_cells,
    ),
)
