"""Claims and volumes: binding by class, size and access; what becomes of a volume whose claim is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, assoc, dissoc, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers.scheduler import SELECTED_NODE
from aiops_gym.sim.kube_control.scheduling import filters
from aiops_gym.sim.kube_control.volumes import provision
from aiops_gym.sim.kube_control.writes import annotate, put_status, remove_finalizer

VOLUMES, CLAIMS, CLASSES = "persistentvolumes", "persistentvolumeclaims", "storageclasses.storage.k8s.io"
COMPONENT = "persistentvolume-controller"
BOUND_BY = "pv.kubernetes.io/bound-by-controller"
COMPLETED = "pv.kubernetes.io/bind-completed"
PROTECTED = "kubernetes.io/pvc-protection"
PV_PROTECTED = "kubernetes.io/pv-protection"
RESYNC = 15 * SECOND
"""A claim without a volume is looked at again this often, with the same event each time."""


class PersistentVolumeController:
    """Binds claims to volumes."""

    name = "persistentvolume"
    watches = (VOLUMES, CLAIMS, CLASSES, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Claims (`namespace/name`) and volumes (`/name`) that a change concerns."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == "pods":
            if new is None:
                yield from _leaving(world, obj)
        elif resource == CLAIMS:
            yield key_of(obj)
            if filters.volume_of(obj):
                yield f"/{filters.volume_of(obj)}"
        elif resource == VOLUMES:
            yield key_of(obj)
            reference = get(obj, "spec", "claimRef")
            if reference:
                yield f"{reference.get('namespace', '')}/{reference.get('name', '')}"
            else:
                yield from _pending(world)
        else:
            yield from _pending(world)

    def reconcile(self, world: World, key: str) -> None:
        """Look at one volume or one claim."""
        if key.startswith("/"):
            volume = world.store.by_key(VOLUMES, key)
            if volume is not None:
                _sync_volume(world, volume)
            return
        claim = world.store.by_key(CLAIMS, key)
        if claim is not None:
            _sync_claim(world, claim)


def _pending(world: World) -> Iterable[str]:
    return [key_of(claim) for claim in world.store.all(CLAIMS) if not filters.is_bound(claim)]


def _leaving(world: World, pod: Obj) -> Iterable[str]:
    """Claims of a pod that is gone, of those whose deletion waited for it."""
    for name in _claim_names(pod):
        claim = world.store.get(CLAIMS, namespace_of(pod), name)
        if claim is not None and pods_of.is_terminating(claim):
            yield key_of(claim)


def _claim_names(pod: Mapping[str, Any]) -> list[str]:
    found = [get(volume, "persistentVolumeClaim", "claimName") for volume in pod["spec"].get("volumes") or ()]
    return [name for name in found if name]


def _sync_claim(world: World, claim: Obj) -> None:
    if pods_of.is_terminating(claim):
        if PROTECTED in claim["metadata"].get("finalizers", ()) and not _in_use(world, claim):
            remove_finalizer(world, CLAIMS, claim, PROTECTED)
        return
    if filters.is_bound(claim):
        if world.store.get(VOLUMES, "", filters.volume_of(claim)) is None:
            _lose(world, claim)
        return
    volume = _match(world, claim)
    if volume is not None:
        _bind(world, claim, volume)
    elif not filters.volume_of(claim):
        _say_why(world, claim)


def _in_use(world: World, claim: Obj) -> bool:
    pods = world.store.all("pods", namespace_of(claim))
    return any(name_of(claim) in _claim_names(pod) and not pods_of.is_terminal(pod) for pod in pods)


def _lose(world: World, claim: Obj) -> None:
    text = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    events.record(world, claim, "Warning", "ClaimLost", text, COMPONENT)
    put_status(world, CLAIMS, claim, {"phase": "Lost"})


def _match(world: World, claim: Obj) -> Obj | None:
    """The volume for a claim: the one named or reserved for it, else the smallest that fits."""
    named = filters.volume_of(claim)
    if named:
        volume = world.store.get(VOLUMES, "", named)
        return volume if volume is not None and _free(volume, claim) else None
    free = [v for v in world.store.all(VOLUMES) if _free(v, claim)]
    reserved = next((v for v in free if get(v, "spec", "claimRef")), None)
    if reserved is not None:
        return reserved
    if filters.waits_for_consumer(world, claim) and not get(claim, "metadata", "annotations", SELECTED_NODE):
        return None
    fitting = [v for v in free if _fits(v, claim)]
    return min(fitting, key=lambda v: (_size(v), name_of(v)), default=None)


def _free(volume: Obj, claim: Obj) -> bool:
    """Whether the volume is nobody's, or reserved for just this claim."""
    if pods_of.is_terminating(volume):
        return False
    reference = get(volume, "spec", "claimRef")
    if not reference:
        return True
    same = (reference.get("namespace"), reference.get("name")) == (namespace_of(claim), name_of(claim))
    return same and reference.get("uid", uid_of(claim)) in ("", uid_of(claim))


def _fits(volume: Obj, claim: Obj) -> bool:
    spec, wanted = volume["spec"], claim["spec"]
    if get(volume, "status", "phase", default="Available") not in ("Available", "Pending"):
        return False
    if spec.get("storageClassName", "") != wanted.get("storageClassName", ""):
        return False
    if spec.get("volumeMode", "Filesystem") != wanted.get("volumeMode", "Filesystem"):
        return False
    if not set(wanted.get("accessModes") or ()) <= set(spec.get("accessModes") or ()):
        return False
    selector = wanted.get("selector")
    if selector and not matches(selector, labels_of(volume)):
        return False
    return bool(
        _size(volume) >= quantity.parse(str(get(claim, "spec", "resources", "requests", "storage", default="0")))
    )


def _size(volume: Obj) -> Any:
    return quantity.parse(str(get(volume, "spec", "capacity", "storage", default="0")))


def _bind(world: World, claim: Obj, volume: Obj) -> None:
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": name_of(claim),
        "namespace": namespace_of(claim),
        "resourceVersion": claim["metadata"]["resourceVersion"],
        "uid": uid_of(claim),
    }
    reserved = bool(get(volume, "spec", "claimRef"))
    bound = volume if reserved else annotate(volume, {BOUND_BY: "yes"})
    bound = assoc(bound, ("spec", "claimRef"), {**get(volume, "spec", "claimRef", default={}), **reference})
    world.store.put(VOLUMES, {**bound, "status": _status(world, volume, "Bound")})
    changed = annotate(claim, {COMPLETED: "yes"} if filters.volume_of(claim) else {BOUND_BY: "yes", COMPLETED: "yes"})
    changed = assoc(changed, ("spec", "volumeName"), name_of(volume))
    status = {
        "accessModes": volume["spec"].get("accessModes", []),
        "capacity": volume["spec"].get("capacity", {}),
        "phase": "Bound",
    }
    world.store.put(CLAIMS, {**changed, "status": status})


def _status(world: World, volume: Obj, phase: str) -> dict[str, Any]:
    if get(volume, "status", "phase") == phase:
        return dict(volume["status"])
    return {"lastPhaseTransitionTime": world.timestamp, "phase": phase}


def _say_why(world: World, claim: Obj) -> None:
    """No volume fits: find out what the claim waits for, and say it again every 15 s."""
    name = str(get(claim, "spec", "storageClassName", default=""))
    class_ = filters.find_storage_class(world, claim)
    if not name:
        text = "no persistent volumes available for this claim and no storage class is set"
        events.record(world, claim, "Normal", "FailedBinding", text, COMPONENT)
    elif class_ is None:
        text = f'storageclass.storage.k8s.io "{name}" not found'
        events.record(world, claim, "Warning", "ProvisioningFailed", text, COMPONENT)
    elif filters.waits_for_consumer(world, claim) and not get(claim, "metadata", "annotations", SELECTED_NODE):
        text = "waiting for first consumer to be created before binding"
        events.record(world, claim, "Normal", "WaitForFirstConsumer", text, COMPONENT)
    elif class_.get("provisioner") == filters.NO_CLASS:
        text = "waiting for a volume to be created"
        events.record(world, claim, "Normal", "WaitForPodScheduled", text, COMPONENT)
    else:
        provision.ask(world, claim, class_)
    if uid_of(claim) not in world.table("unbound"):
        world.table("unbound")[uid_of(claim)] = True
        world.schedule(RESYNC, "persistentvolume.resync", key_of(claim), uid_of(claim))


def resync(world: World, key: str, uid: str) -> None:
    """Look again at a claim that had no volume."""
    world.table("unbound").pop(uid, None)
    claim = world.store.by_key(CLAIMS, key)
    if claim is not None and uid_of(claim) == uid and not filters.is_bound(claim):
        world.enqueue("persistentvolume", key, 0)


def _sync_volume(world: World, volume: Obj) -> None:
    """Available, Bound, or Released once the claim is gone; a released one may be deleted by its policy."""
    reference = get(volume, "spec", "claimRef")
    if pods_of.is_terminating(volume):
        free = not reference or get(volume, "status", "phase") != "Bound"
        if free and PV_PROTECTED in volume["metadata"].get("finalizers", ()):
            remove_finalizer(world, VOLUMES, volume, PV_PROTECTED)
        return
    if not reference or not reference.get("uid"):
        put_status(world, VOLUMES, volume, _status(world, volume, "Available"))
        return
    claim = world.store.get(CLAIMS, reference.get("namespace", ""), reference.get("name", ""))
    if claim is not None and uid_of(claim) == reference["uid"]:
        return
    if get(volume, "status", "phase") == "Failed":
        return
    if get(volume, "status", "phase") != "Released":
        volume = put_status(world, VOLUMES, volume, _status(world, volume, "Released"))
        world.touch()
    policy = volume["spec"].get("persistentVolumeReclaimPolicy", "Retain")
    if policy == "Recycle":
        put_status(world, VOLUMES, dissoc(volume, ("spec", "claimRef")), _status(world, volume, "Available"))
    elif policy == "Delete" and get(volume, "metadata", "annotations", provision.PROVISIONED_BY):
        world.schedule(2 * SECOND, "persistentvolume.reclaim", name_of(volume), uid_of(volume))
    elif policy == "Delete":
        _delete_by_plugin(world, volume)


def _delete_by_plugin(world: World, volume: Obj) -> None:
    """A volume that nobody provisioned: only folders below /tmp can be deleted."""
    path = str(get(volume, "spec", "hostPath", "path", default=""))
    if path.startswith("/tmp/"):
        kube_api.delete(world, VOLUMES, "", name_of(volume))
        return
    text = f"host_path deleter only supports /tmp/.+ but received provided {path}"
    if not path:
        text = f'error getting deleter volume plugin for volume "{name_of(volume)}": no deletable volume plugin matched'
    events.record(world, volume, "Warning", "VolumeFailedDelete", text, COMPONENT)
    put_status(world, VOLUMES, volume, {**_status(world, volume, "Failed"), "message": text})


def reclaim(world: World, name: str, uid: str) -> None:
    """A provisioner has deleted what was behind a released volume."""
    volume = world.store.get(VOLUMES, "", name)
    if volume is not None and uid_of(volume) == uid and get(volume, "status", "phase") == "Released":
        kube_api.delete(world, VOLUMES, "", name)


controller = PersistentVolumeController()
HANDLERS: dict[str, Handler] = {
    "persistentvolume.resync": resync,
    "persistentvolume.reclaim": reclaim,
    "persistentvolume.provisioned": provision.finish_provisioning,
}
