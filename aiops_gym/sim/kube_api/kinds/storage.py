"""Volumes, claims on them, and storage classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import limits
from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.pods.containers import VOLUME_TYPES
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import Fault, field_forbidden, forbidden, invalid_value, required, unsupported
from aiops_gym.types import Json

MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
SOURCES = VOLUME_TYPES | {"local"}
GI = "must be greater than zero"


def _volume(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    if "hostPath" in spec:
        spec["hostPath"].setdefault("type", "")


def _claim(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    spec.setdefault("volumeMode", "Filesystem")
    spec.setdefault("resources", {})


def _class(draft: Draft) -> None:
    draft.setdefault("reclaimPolicy", "Delete")
    draft.setdefault("volumeBindingMode", "Immediate")


def _protect(finalizer: str) -> Any:
    def admit(world: World, draft: Draft, old: Obj | None) -> None:
        if old is not None:
            _resize(world, draft, old)
            return
        meta = draft["metadata"]
        meta["finalizers"] = [*(f for f in meta.get("finalizers") or () if f != finalizer), finalizer]
        if draft["kind"] == "PersistentVolumeClaim" and "storageClassName" not in draft["spec"]:
            classes = world.store.all("storageclasses.storage.k8s.io")
            marked = [c for c in classes if get(c, "metadata", "annotations", DEFAULT_CLASS) == "true"]
            if marked:
                newest = max(marked, key=lambda c: (c["metadata"]["creationTimestamp"], c["metadata"]["name"]))
                draft["spec"]["storageClassName"] = newest["metadata"]["name"]
        if draft["kind"] == "PersistentVolumeClaim":
            limits.admit_claim(world, draft)

    return admit


def _resize(world: World, draft: Draft, old: Obj) -> None:
    """A claim may only grow where its class allows it. Raises Forbidden."""
    asked, had = (get(o, "spec", "resources", "requests", "storage") for o in (draft, old))
    if (
        draft["kind"] != "PersistentVolumeClaim"
        or not asked
        or not had
        or not quantity.parse(asked) > quantity.parse(had)
    ):
        return
    claims, name = RESOURCES["persistentvolumeclaims"], old["metadata"]["name"]
    if get(old, "status", "phase") != "Bound":
        raise forbidden(claims, name, "Only bound persistent volume claims can be expanded")
    class_ = world.store.get("storageclasses.storage.k8s.io", "", str(old["spec"].get("storageClassName") or ""))
    if class_ is None or not class_.get("allowVolumeExpansion"):
        why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
        raise forbidden(claims, name, why + "support resize")


def _mode_faults(spec: Mapping[str, Any]) -> list[Fault]:
    modes = spec.get("accessModes") or []
    if not modes:
        return [required("spec.accessModes", "at least 1 access mode is required")]
    return [unsupported("spec.accessModes", mode, list(MODES)) for mode in modes if mode not in MODES]


def _volume_faults(draft: Draft) -> list[Fault]:
    spec = draft["spec"]
    faults = _mode_faults(spec)
    if not spec.get("capacity"):
        faults.append(required("spec.capacity"))
    for what, amount in (spec.get("capacity") or {}).items():
        if what != "storage":
            faults.append(unsupported("spec.capacity", what, ["storage"]))
        elif quantity.parse(amount) <= 0:
            faults.append(invalid_value("spec.capacity[storage]", amount, GI))
    kinds = [k for k in spec if k in SOURCES]
    if not kinds:
        faults.append(required("spec", "must specify a volume type"))
    faults += [field_forbidden(f"spec.{k}", "may not specify more than 1 volume type") for k in kinds[1:]]
    policy = spec["persistentVolumeReclaimPolicy"]
    if policy not in ("Retain", "Delete", "Recycle"):
        faults.append(unsupported("spec.persistentVolumeReclaimPolicy", policy, ["Delete", "Recycle", "Retain"]))
    if "local" in spec and "nodeAffinity" not in spec:
        faults.append(required("spec.nodeAffinity", "Local volume requires node affinity"))
    return faults


def _volume_kept(draft: Draft, old: Obj) -> list[Fault]:
    new = {k: v for k, v in draft["spec"].items() if k in SOURCES}
    before = {k: v for k, v in old["spec"].items() if k in SOURCES}
    if new == before:
        return []
    return [field_forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")]


def _claim_faults(draft: Draft) -> list[Fault]:
    spec = draft["spec"]
    faults = _mode_faults(spec)
    amount = get(spec, "resources", "requests", "storage")
    if amount is None:
        faults.append(required("spec.resources[storage]"))
    elif quantity.parse(amount) <= 0:
        faults.append(invalid_value("spec.resources[storage]", amount, GI))
    return faults


CLAIM_TEXT = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


def _claim_kept(draft: Draft, old: Obj) -> list[Fault]:
    new, before = copy_json(draft["spec"]), copy_json(old["spec"])
    asked, had = (get(s, "resources", "requests", "storage") for s in (new, before))
    if before.get("volumeName") is None:
        before.pop("volumeName", None)
        if get(old, "status", "phase") == "Pending":
            new.pop("volumeName", None)
    if asked and had and asked != had and get(old, "status", "phase") == "Bound":
        if quantity.parse(asked) < quantity.parse(had):
            text = "field can not be less than status.capacity"
            return [field_forbidden("spec.resources.requests.storage", text)]
        new["resources"]["requests"]["storage"] = had
    if new == before:
        return []
    lines = [
        f"{mark} \t{name[0].upper() + name[1:]}: {side.get(name)!r},".replace("'", '"')
        for name in sorted({*new, *before})
        if new.get(name) != before.get(name)
        for mark, side in (("-", before), ("+", new))
    ]
    shown = "\n".join(["  core.PersistentVolumeClaimSpec{", *lines, "  }", ""])
    return [field_forbidden("spec", f"{CLAIM_TEXT}\n{shown}")]


def _class_kept(draft: Draft, old: Obj) -> list[Fault]:
    faults = []
    for name in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
        if draft.get(name) != old.get(name):
            if name in ("parameters", "provisioner"):
                faults.append(field_forbidden(name, f"updates to {name} are forbidden."))
            else:
                faults.append(invalid_value(name, draft.get(name), "field is immutable"))
    return faults


def _short(modes: list[str]) -> str:
    return ",".join(MODES.get(m, m) for m in MODES if m in modes)


def _volume_cells(obj: Obj) -> list[Json]:
    spec, claim = obj["spec"], obj["spec"].get("claimRef") or {}
    phase = "Terminating" if "deletionTimestamp" in obj["metadata"] else get(obj, "status", "phase", default="")
    return [
        obj["metadata"]["name"],
        get(spec, "capacity", "storage", default="0"),
        _short(spec.get("accessModes") or []),
        spec.get("persistentVolumeReclaimPolicy", ""),
        phase,
        f"{claim['namespace']}/{claim['name']}" if claim else "",
        spec.get("storageClassName", ""),
        spec.get("volumeAttributesClassName") or "<unset>",
        get(obj, "status", "reason", default=""),
        make_age_cell(obj),
        spec.get("volumeMode") or "<unset>",
    ]


def _claim_cells(obj: Obj) -> list[Json]:
    spec, status = obj["spec"], obj.get("status", {})
    phase = "Terminating" if "deletionTimestamp" in obj["metadata"] else status.get("phase", "")
    bound = bool(spec.get("volumeName"))
    return [
        obj["metadata"]["name"],
        phase,
        spec.get("volumeName", ""),
        get(status, "capacity", "storage", default="0") if bound else "",
        _short(status.get("accessModes") or []) if bound else "",
        spec.get("storageClassName", ""),
        spec.get("volumeAttributesClassName") or "<unset>",
        make_age_cell(obj),
        spec.get("volumeMode") or "<unset>",
    ]


def _class_cells(obj: Obj) -> list[Json]:
    name = obj["metadata"]["name"]
    if get(obj, "metadata", "annotations", DEFAULT_CLASS) == "true":
        name += " (default)"
    expands = "true" if obj.get("allowVolumeExpansion") else "false"
    policy, mode = obj.get("reclaimPolicy", "Delete"), obj.get("volumeBindingMode", "<unset>")
    return [name, obj.get("provisioner", ""), policy, mode, expands, make_age_cell(obj)]


KINDS = (
    Kind(
        resource="persistentvolumes",
        columns=parse_columns(
            "Name/Capacity/Access Modes/Reclaim Policy/Status/Claim/StorageClass/VolumeAttributesClass/Reason/Age/"
            "VolumeMode*"
        ),
        cells=_volume_cells,
        default=_volume,
        admit=_protect("kubernetes.io/pv-protection"),
        validate=_volume_faults,
        validate_update=_volume_kept,
        status={"phase": "Pending"},
    ),
    Kind(
        resource="persistentvolumeclaims",
        columns=parse_columns(
            "Name/Status/Volume/Capacity/Access Modes/StorageClass/VolumeAttributesClass/Age/VolumeMode*"
        ),
        cells=_claim_cells,
        default=_claim,
        admit=_protect("kubernetes.io/pvc-protection"),
        validate=_claim_faults,
        validate_update=_claim_kept,
        status={"phase": "Pending"},
    ),
    Kind(
        resource="storageclasses.storage.k8s.io",
        columns=parse_columns("Name/Provisioner/ReclaimPolicy/VolumeBindingMode/AllowVolumeExpansion/Age"),
        cells=_class_cells,
        default=_class,
        validate=lambda draft: [] if draft.get("provisioner") else [required("provisioner")],
        validate_update=_class_kept,
    ),
)
