"""The pods of a StatefulSet: their names, their labels, and claims of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import controller_revisions, pod_control
from aiops_gym.sim.kube_control.writes import make_owner_reference

COMPONENT = "statefulset-controller"
CLAIMS = "persistentvolumeclaims"


def parse_ordinal(ss: Obj, pod: Obj) -> int:
    """A pod's number, -1 for one whose name is not of this set."""
    before, _, last = name_of(pod).rpartition("-")
    return int(last) if before == name_of(ss) and is_natural(last) else -1


def create(world: World, ss: Obj, number: int, revision: str) -> bool:
    """Make a pod of a revision, with its claims. False when the server refused it."""
    name = f"{name_of(ss)}-{number}"
    labels = {
        "apps.kubernetes.io/pod-index": str(number),
        controller_revisions.HASH: revision,
        "statefulset.kubernetes.io/pod-name": name,
    }
    pod = pod_control.build_pod(ss, controller_revisions.find_template(world, ss, revision), labels, name)
    pod["spec"] |= {"hostname": name, "subdomain": ss["spec"].get("serviceName", "")}
    claims = {one["metadata"]["name"]: one for one in ss["spec"].get("volumeClaimTemplates") or ()}
    volumes = [{"name": short, "persistentVolumeClaim": {"claimName": f"{short}-{name}"}} for short in claims]
    others = [volume for volume in pod["spec"].get("volumes") or [] if volume["name"] not in claims]
    pod["spec"]["volumes"] = [*volumes, *others]
    faults = [_claim(world, ss, template, f"{short}-{name}", name) for short, template in claims.items()]
    fault = _aggregate(filter(None, faults))
    if not fault:
        try:
            kube_api.create(world, "pods", pod, trusted=False)  # the set's own template is not proof-read
        except kube_api.ApiError as error:
            fault = error.message
    if fault:
        text = f"create Pod {name} in StatefulSet {name_of(ss)} failed error: {fault}"
        events.record(world, ss, "Warning", "FailedCreate", text, COMPONENT)
        return False
    text = f"create Pod {name} in StatefulSet {name_of(ss)} successful"
    events.record(world, ss, "Normal", "SuccessfulCreate", text, COMPONENT)
    return True


def _aggregate(faults: Iterable[str]) -> str:
    """Several errors in one, each of them once (`NewAggregate`)."""
    several = list(dict.fromkeys(faults))
    return several[0] if len(several) == 1 else f"[{', '.join(several)}]" if several else ""


def delete(world: World, ss: Obj, pod: Obj) -> None:
    """Delete a pod, with the usual event."""
    kube_api.delete(world, "pods", namespace_of(pod), name_of(pod))
    text = f"delete Pod {name_of(pod)} in StatefulSet {name_of(ss)} successful"
    events.record(world, ss, "Normal", "SuccessfulDelete", text, COMPONENT)


def _claim(world: World, ss: Obj, template: Mapping[str, Any], claim: str, pod: str) -> str:
    """Make one of a pod's claims if it is missing; why it cannot be used, "" if it can."""
    there = world.store.get(CLAIMS, namespace_of(ss), claim)
    if there is not None:
        return f"pvc {claim} is being deleted" if pods_of.is_terminating(there) else ""
    labels = {**labels_of(template), **(get(ss, "spec", "selector", "matchLabels", default={}))}
    meta: dict[str, Any] = {"name": claim, "namespace": namespace_of(ss), "labels": labels}
    if notes := template["metadata"].get("annotations"):
        meta["annotations"] = dict(notes)
    if _policy(ss, "whenDeleted") == "Delete":
        meta["ownerReferences"] = [{**make_owner_reference(ss), "blockOwnerDeletion": True}]
    body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": template["spec"]}
    try:
        kube_api.create(world, CLAIMS, body)
    except kube_api.ApiError as error:
        text = f"create Claim {claim} for Pod {pod} in StatefulSet {name_of(ss)} failed error: {error.message}"
        events.record(world, ss, "Warning", "FailedCreate", text, COMPONENT)
        return f"failed to create PVC {claim}: {error.message}"
    text = f"create Claim {claim} Pod {pod} in StatefulSet {name_of(ss)} success"
    events.record(world, ss, "Normal", "SuccessfulCreate", text, COMPONENT)
    return ""


def _policy(ss: Obj, when: str) -> str:
    return str(get(ss, "spec", "persistentVolumeClaimRetentionPolicy", when, default="Retain"))


def condemn(world: World, ss: Obj, pod: Obj) -> None:
    """Where claims go with a surplus pod, make it their owner before it is deleted."""
    if _policy(ss, "whenScaled") != "Delete":
        return
    for template in ss["spec"].get("volumeClaimTemplates") or ():
        claim = world.store.get(CLAIMS, namespace_of(ss), f"{template['metadata']['name']}-{name_of(pod)}")
        if claim is not None:
            owner = {
                k: v for k, v in make_owner_reference(pod).items() if k not in ("controller", "blockOwnerDeletion")
            }
            world.store.put(CLAIMS, {**claim, "metadata": {**claim["metadata"], "ownerReferences": [owner]}})
