"""Quotas, priorities, leases and other small kinds of the control plane."""

from __future__ import annotations

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj, controller_of, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import limits, standing
from aiops_gym.sim.kube_api.kind import CREATED_AT, NAME, Draft, Kind, make_age_cell, make_created_cells, parse_columns
from aiops_gym.sim.kube_api.names import validate_qualified_name
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import Fault, field_forbidden, forbidden, invalid_value, unsupported
from aiops_gym.types import Json


def _quota(draft: Draft) -> None:
    draft.setdefault("spec", {})


def _quota_cells(obj: Obj) -> list[Json]:
    hard = get(obj, "status", "hard", default={})
    used = get(obj, "status", "used", default={})
    shown: dict[bool, list[str]] = {True: [], False: []}
    for name in sorted(hard):
        shown[name.startswith("limits.")].append(f"{name}: {used.get(name, '0')}/{hard[name]}")
    return [obj["metadata"]["name"], ", ".join(shown[False]), ", ".join(shown[True]), make_age_cell(obj)]


def _priority(draft: Draft) -> None:
    draft.setdefault("preemptionPolicy", "PreemptLowerPriority")


HIGHEST = 1_000_000_000
STANDARD = ("cpu", "memory", "ephemeral-storage", "storage", *limits.COUNTED)


def _quota_faults(draft: Draft) -> list[Fault]:
    faults: list[Fault] = []
    for name, amount in sorted(get(draft, "spec", "hard", default={}).items()):
        where = f"spec.hard[{name}]"
        faults += [invalid_value(where, name, why) for why in validate_qualified_name(name)]
        if "/" not in name and name not in STANDARD and not name.startswith(("requests.", "limits.", "services.")):
            faults.append(invalid_value(where, name, "must be a standard resource type or fully qualified"))
            faults.append(invalid_value(where, name, "must be a standard resource for quota"))
        elif quantity.parse(str(amount)) < 0:
            faults.append(invalid_value(where, str(amount), "must be greater than or equal to 0"))
    return faults


def _priority_faults(draft: Draft) -> list[Fault]:
    name, faults = str(draft["metadata"].get("name", "")), list[Fault]()
    if name.startswith("system-"):
        text = "priority class names with 'system-' prefix are reserved for system use only"
        faults.append(field_forbidden("metadata.name", text))
    elif draft.get("value", 0) > HIGHEST:
        text = f"maximum allowed value of a user defined priority is {HIGHEST}"
        faults.append(field_forbidden("value", text))
    if draft["preemptionPolicy"] not in ("Never", "PreemptLowerPriority"):
        allowed = ["Never", "PreemptLowerPriority"]
        faults.append(unsupported("preemptionPolicy", draft["preemptionPolicy"], allowed))
    return faults


def _priority_kept(draft: Draft, old: Obj) -> list[Fault]:
    if draft.get("value", 0) == old.get("value", 0):
        return []
    return [field_forbidden("value", "may not be changed in an update.")]


def _admit_priority(world: World, draft: Draft, old: Obj | None) -> None:
    """There is one default class at most."""
    if not draft.get("globalDefault"):
        return
    for other in world.store.all("priorityclasses.scheduling.k8s.io"):
        if other.get("globalDefault") and other["metadata"]["name"] != draft["metadata"]["name"]:
            why = f"PriorityClass {other['metadata']['name']} is already marked as default. Only one default can exist"
            raise forbidden(RESOURCES["priorityclasses.scheduling.k8s.io"], draft["metadata"]["name"], why)


def _priority_cells(obj: Obj) -> list[Json]:
    default = "true" if obj.get("globalDefault") else "false"
    name, policy = obj["metadata"]["name"], obj.get("preemptionPolicy", "PreemptLowerPriority")
    return [name, obj.get("value", 0), default, make_age_cell(obj), policy]


def _lease_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], get(obj, "spec", "holderIdentity", default=""), make_age_cell(obj)]


def _revision_cells(obj: Obj) -> list[Json]:
    owner = controller_of(obj) or {}
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    kind = f"{str(owner.get('kind', '')).lower()}.{group}" if group else str(owner.get("kind", "")).lower()
    shown = f"{kind}/{owner['name']}" if owner else "<none>"
    return [obj["metadata"]["name"], shown, obj.get("revision", 0), make_age_cell(obj)]


def _service_cells(obj: Obj) -> list[Json]:
    service = get(obj, "spec", "service")
    where = f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"
    condition: dict[str, Json] = next(
        (c for c in get(obj, "status", "conditions", default=[]) if c["type"] == "Available"), {}
    )
    state = condition.get("status", "Unknown")
    shown = state if state == "True" else f"{state} ({condition.get('reason', '')})"
    return [obj["metadata"]["name"], where, shown, make_age_cell(obj)]


def _runtime_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], obj.get("handler", ""), make_age_cell(obj)]


def _node_driver_cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], len(get(obj, "spec", "drivers", default=[])), make_age_cell(obj)]


def _driver_cells(obj: Obj) -> list[Json]:
    spec = obj.get("spec", {})
    flags = [str(spec.get(n, False)).lower() for n in ("attachRequired", "podInfoOnMount", "storageCapacity")]
    modes = ",".join(spec.get("volumeLifecycleModes") or ()) or "<none>"
    again = str(spec.get("requiresRepublish", False)).lower()
    return [obj["metadata"]["name"], *flags, "<unset>", again, modes, make_age_cell(obj)]


def _canonical(draft: Draft) -> None:
    """Have the data as the server keeps raw JSON: kubectl compares it byte by byte with what it would be now."""
    draft["data"] = _sorted(draft.get("data") or {})


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _revision_faults(draft: Draft) -> list[Fault]:
    if draft.get("revision", 0) >= 0:
        return []
    return [invalid_value("revision", draft["revision"], "must be greater than or equal to 0")]


def _revision_kept(draft: Draft, old: Obj) -> list[Fault]:
    """What a revision remembers stays (`ValidateControllerRevisionUpdate`)."""
    if draft.get("data") == old.get("data"):
        return []
    return [Fault("FieldValueInvalid", "data", "Invalid value: runtime.RawExtension{...}: field is immutable")]


KINDS = (
    Kind(
        resource="resourcequotas",
        columns=parse_columns("Name/Request/Limit/Age"),
        cells=_quota_cells,
        default=_quota,
        validate=_quota_faults,
        validate_status=standing.amounts("hard", "used"),
        status={},
    ),
    Kind(
        resource="limitranges",
        columns=(NAME, CREATED_AT),
        cells=make_created_cells,
        default=limits.complete_defaults,
        validate=limits.validate_limit_range,
    ),
    Kind(
        resource="priorityclasses.scheduling.k8s.io",
        columns=parse_columns("Name/Value#/Global-Default/Age/PreemptionPolicy"),
        cells=_priority_cells,
        default=_priority,
        admit=_admit_priority,
        validate=_priority_faults,
        validate_update=_priority_kept,
        generation=True,
    ),
    Kind(resource="leases.coordination.k8s.io", columns=parse_columns("Name/Holder/Age"), cells=_lease_cells),
    Kind(
        resource="controllerrevisions.apps",
        columns=parse_columns("Name/Controller/Revision#/Age"),
        cells=_revision_cells,
        default=_canonical,
        validate=_revision_faults,
        validate_update=_revision_kept,
    ),
    Kind(
        resource="apiservices.apiregistration.k8s.io",
        columns=parse_columns("Name/Service/Available/Age"),
        cells=_service_cells,
    ),
    Kind(resource="runtimeclasses.node.k8s.io", columns=parse_columns("Name/Handler/Age"), cells=_runtime_cells),
    Kind(resource="csinodes.storage.k8s.io", columns=parse_columns("Name/Drivers#/Age"), cells=_node_driver_cells),
    Kind(
        resource="csidrivers.storage.k8s.io",
        columns=parse_columns(
            "Name/AttachRequired/PodInfoOnMount/StorageCapacity/TokenRequests/RequiresRepublish/Modes/Age"
        ),
        cells=_driver_cells,
    ),
)
