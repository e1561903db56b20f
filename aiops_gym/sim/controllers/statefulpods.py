"""The pods of a StatefulSet: their names, their labels, and claims of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim import api, events
from aiops_gym.sim.controllers import history, making
from aiops_gym.sim.controllers.writes import owner_reference
from aiops_gym.sim.objects import Obj, get, labels_of, name_of, namespace_of
from aiops_gym.sim.world import World

COMPONENT = "statefulset-controller"
CLAIMS = "persistentvolumeclaims"


def ordinal(ss: Obj, pod: Obj) -> int:
    """A pod's number, -1 for one whose name is not of this set."""
    before, _, last = name_of(pod).rpartition("-")
    return int(last) if before == name_of(ss) and last.isdigit() else -1


def create(world: World, ss: Obj, number: int, revision: str) -> bool:
    """Make a pod of a revision, with its claims. False when the server refused it."""
    name = f"{name_of(ss)}-{number}"
    labels = {
        "apps.kubernetes.io/pod-index": str(number),
        history.HASH: revision,
        "statefulset.kubernetes.io/pod-name": name,
    }
    pod = making.pod_from(ss, history.template(world, ss, revision), labels, name)
    pod["spec"] |= {"hostname": name, "subdomain": ss["spec"].get("serviceName", "")}
    try:
        claims = _claims(world, ss, name)
        own = [volume["name"] for volume in claims]
        others = [volume for volume in pod["spec"].get("volumes") or [] if volume["name"] not in own]
        pod["spec"]["volumes"] = [*claims, *others]
        api.create(world, "pods", pod)
    except api.ApiError as error:
        text = f"create Pod {name} in StatefulSet {name_of(ss)} failed error: {error.message}"
        events.record(world, ss, "Warning", "FailedCreate", text, COMPONENT)
        making.retry(world, ss, "statefulset")
        return False
    making.settled(world, ss)
    text = f"create Pod {name} in StatefulSet {name_of(ss)} successful"
    events.record(world, ss, "Normal", "SuccessfulCreate", text, COMPONENT)
    return True


def delete(world: World, ss: Obj, pod: Obj) -> None:
    """Delete a pod, with the usual event."""
    api.delete(world, "pods", namespace_of(pod), name_of(pod))
    text = f"delete Pod {name_of(pod)} in StatefulSet {name_of(ss)} successful"
    events.record(world, ss, "Normal", "SuccessfulDelete", text, COMPONENT)


def _claims(world: World, ss: Obj, pod: str) -> list[dict[str, Any]]:
    """Make the pod's claims if they are missing; the volumes that use them."""
    volumes = []
    for template in ss["spec"].get("volumeClaimTemplates") or ():
        short = template["metadata"]["name"]
        claim = f"{short}-{pod}"
        volumes.append({"name": short, "persistentVolumeClaim": {"claimName": claim}})
        if world.store.get(CLAIMS, namespace_of(ss), claim) is None:
            _claim(world, ss, template, claim, pod)
    return volumes


def _claim(world: World, ss: Obj, template: Mapping[str, Any], claim: str, pod: str) -> None:
    labels = {**labels_of(template), **(get(ss, "spec", "selector", "matchLabels", default={}))}
    meta: dict[str, Any] = {"name": claim, "namespace": namespace_of(ss), "labels": labels}
    if notes := template["metadata"].get("annotations"):
        meta["annotations"] = dict(notes)
    if _policy(ss, "whenDeleted") == "Delete":
        meta["ownerReferences"] = [{**owner_reference(ss), "blockOwnerDeletion": True}]
    body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": template["spec"]}
    try:
        api.create(world, CLAIMS, body)
    except api.ApiError as error:
        text = f"create Claim {claim} for Pod {pod} in StatefulSet {name_of(ss)} failed error: {error.message}"
        events.record(world, ss, "Warning", "FailedCreate", text, COMPONENT)
        raise
    text = f"create Claim {claim} Pod {pod} in StatefulSet {name_of(ss)} success"
    events.record(world, ss, "Normal", "SuccessfulCreate", text, COMPONENT)


def _policy(ss: Obj, when: str) -> str:
    return str(get(ss, "spec", "persistentVolumeClaimRetentionPolicy", when, default="Retain"))


def condemn(world: World, ss: Obj, pod: Obj) -> None:
    """Where claims go with a surplus pod, make it their owner before it is deleted."""
    if _policy(ss, "whenScaled") != "Delete":
        return
    for template in ss["spec"].get("volumeClaimTemplates") or ():
        claim = world.store.get(CLAIMS, namespace_of(ss), f"{template['metadata']['name']}-{name_of(pod)}")
        if claim is not None:
            owner = {k: v for k, v in owner_reference(pod).items() if k not in ("controller", "blockOwnerDeletion")}
            world.store.put(CLAIMS, {**claim, "metadata": {**claim["metadata"], "ownerReferences": [owner]}})
