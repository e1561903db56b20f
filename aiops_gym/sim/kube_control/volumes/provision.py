"""Dynamic volumes: external provisioners that make a folder on the node where the first pod goes."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control.writes import annotate

PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
PROVISIONER = "volume.kubernetes.io/storage-provisioner"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
CLAIMS = "persistentvolumeclaims"


def ask(world: World, claim: Obj, class_: Obj) -> None:
    """Ask the class's provisioner for a volume; it takes some seconds, and a pod of it must run."""
    provisioner = str(class_.get("provisioner", ""))
    text = (
        f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the "
        "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
        "correctly registered."
    )
    events.record(world, claim, "Normal", "ExternalProvisioning", text, "persistentvolume-controller")
    if get(claim, "metadata", "annotations", PROVISIONER) is not None:
        return
    noted = {PROVISIONER: provisioner, "volume.beta.kubernetes.io/storage-provisioner": provisioner}
    claim = world.store.put(CLAIMS, annotate(claim, noted))
    text = f'External provisioner is provisioning volume for claim "{key_of(claim)}"'
    events.record(world, claim, "Normal", "Provisioning", text, provisioner)
    wait = round(draws.between(2 * SECOND, 5 * SECOND, world.seed, "provision", uid_of(claim)))
    world.schedule(wait, "persistentvolume.provisioned", key_of(claim), uid_of(claim), name_of(class_))


def finish_provisioning(world: World, key: str, uid: str, class_name: str) -> None:
    """The provisioner has made the volume, already bound to its claim."""
    claim = world.store.by_key(CLAIMS, key)
    class_ = world.store.get("storageclasses.storage.k8s.io", "", class_name)
    name = f"pvc-{uid}"
    if claim is None or class_ is None or uid_of(claim) != uid or world.store.get("persistentvolumes", "", name):
        return
    provisioner, node = str(class_.get("provisioner", "")), get(claim, "metadata", "annotations", SELECTED_NODE)
    spec: dict[str, Any] = {
        "accessModes": claim["spec"].get("accessModes", ["ReadWriteOnce"]),
        "capacity": {"storage": get(claim, "spec", "resources", "requests", "storage", default="1Gi")},
        "claimRef": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "name": name_of(claim),
            "namespace": namespace_of(claim),
            "resourceVersion": claim["metadata"]["resourceVersion"],
            "uid": uid,
        },
        "persistentVolumeReclaimPolicy": class_.get("reclaimPolicy", "Delete"),
        "storageClassName": class_name,
        "volumeMode": "Filesystem",
        **_source(claim, provisioner),
    }
    if node:
        rule = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}}
    meta = {"name": name, "annotations": {PROVISIONED_BY: provisioner}}
    kube_api.create(
        world, "persistentvolumes", {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec}
    )
    events.record(
        world, claim, "Normal", "ProvisioningSucceeded", f"Successfully provisioned volume {name}", provisioner
    )


def _source(claim: Obj, provisioner: str) -> dict[str, Any]:
    """Where the data lies on the node, after the provisioner's own habit."""
    name = f"pvc-{uid_of(claim)}"
    if provisioner.startswith("openebs"):
        return {"local": {"fsType": "", "path": f"/var/openebs/local/{name}"}}
    path = f"/var/local-path-provisioner/{name}_{namespace_of(claim)}_{name_of(claim)}"
    return {"hostPath": {"path": path, "type": "DirectoryOrCreate"}}
