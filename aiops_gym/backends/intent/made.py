"""What controllers made: an owner that is there and would have made just that. Anybody may write down an owner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World

MAKERS = {
    "Pod": {
        "ReplicaSet": "replicasets.apps",
        "StatefulSet": "statefulsets.apps",
        "DaemonSet": "daemonsets.apps",
        "ReplicationController": "replicationcontrollers",
        "Job": "jobs.batch",
    },
    "ReplicaSet": {"Deployment": "deployments.apps"},
    "Job": {"CronJob": "cronjobs.batch"},
    "EndpointSlice": {"Service": "services", "Endpoints": "endpoints"},
}
"""Kinds that controllers make, and from what: kind of the owner -> its resource."""

SLICES = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
MANAGED = "endpointslice.kubernetes.io/managed-by"

HASH = "pod-template-hash"

OF_CLUSTER = {
    *("nodeName", "serviceAccountName", "serviceAccount", "tolerations", "priority", "preemptionPolicy", "hostname"),
    *("enableServiceLinks", "imagePullSecrets", "volumes", "ephemeralContainers", "schedulerName", "securityContext"),
    *("restartPolicy", "dnsPolicy", "terminationGracePeriodSeconds", "readinessGates", "nodeSelector"),
}
"""Fields of a pod that its template may leave to the cluster, or to what is asked about each new pod."""

OF_CONTAINERS = {"resources", "volumeMounts"}
"""Fields of a container to which the cluster adds."""


def is_made(world: World, obj: Obj) -> bool:
    """Whether an object's owner is there and would have made it as it is; what people put into pods to look apart."""
    owner = controller_of(obj)
    kinds = MAKERS.get(obj["kind"], {})
    if owner is None or owner.get("kind") not in kinds:
        return False
    found = world.store.get(kinds[owner["kind"]], namespace_of(obj), str(owner.get("name")))
    if found is None or uid_of(found) != owner.get("uid"):
        return False
    if obj["kind"] == "EndpointSlice":
        return labels_of(obj).get(MANAGED) in SLICES
    return _is_selected(found, obj) and _is_alike(found, obj)


def is_provisioned(world: World, volume: Obj) -> bool:
    """Whether a storage class made a volume for a claim, in a place of its own that bears its name."""
    name, spec = name_of(volume), volume.get("spec") or {}
    claim = world.store.get(
        "persistentvolumeclaims",
        str(get(spec, "claimRef", "namespace", default="")),
        str(get(spec, "claimRef", "name", default="")),
    )
    place = next((str(spec[kind].get("path", "")) for kind in ("hostPath", "local") if spec.get(kind)), "")
    asked = get(claim or Obj(), "spec", "storageClassName")
    class_ = world.store.get("storageclasses.storage.k8s.io", "", str(asked)) if asked else None
    return claim is not None and class_ is not None and name == f"pvc-{uid_of(claim)}" and name in place


def _is_selected(owner: Obj, obj: Obj) -> bool:
    """Whether an owner's selector selects what it owns; a controller lets go of what it does not select."""
    selector = get(owner, "spec", "selector")
    if not selector:
        return True
    wanted = selector if {"matchLabels", "matchExpressions"} & selector.keys() else {"matchLabels": selector}
    return matches(wanted, labels_of(obj))


def _is_alike(owner: Obj, obj: Obj) -> bool:
    """Whether an object comes from the template of its owner."""
    if owner["kind"] == "Deployment":  # of older revisions no pods are left
        return not get(obj, "spec", "replicas", default=1) or _plain(owner) == _plain(obj)
    if owner["kind"] == "CronJob":
        template = get(owner, "spec", "jobTemplate", "spec", "template", "spec", default={})
        # What an earlier template made and has ended does nothing any more.
        return has_ended(obj) or _programs(template) == _programs(get(obj, "spec", "template", "spec", default={}))
    template = get(owner, "spec", "template", "spec", default={})
    if owner["kind"] in ("ReplicaSet", "ReplicationController"):
        return _fits(template, obj.get("spec") or {})
    return _programs(template) == _programs(obj.get("spec") or {}) or owner["kind"] in ("StatefulSet", "DaemonSet")


def has_ended(job: Obj) -> bool:
    """Whether a Job has run, well or not."""
    conditions = get(job, "status", "conditions", default=())
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


def _plain(obj: Obj) -> Any:
    """The template of a workload without the mark of its revision."""
    template = get(obj, "spec", "template", default={})
    labels = get(template, "metadata", "labels", default={})
    return {key: value for key, value in labels.items() if key != HASH}, template.get("spec")


def _programs(spec: Mapping[str, Any]) -> list[Any]:
    return [[each["image"], each.get("command"), each.get("args")] for each in spec.get("containers") or ()]


def _fits(template: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether a pod is what its template says, with what the cluster adds."""
    for group in ("containers", "initContainers"):
        wanted, found = template.get(group) or (), spec.get(group) or ()
        if len(wanted) != len(found) or not all(map(_holds, wanted, found)):
            return False
    mounted = {volume["name"]: volume for volume in spec.get("volumes") or ()}
    rest = {key for key in (*template, *spec) if key not in {"containers", "initContainers", *OF_CLUSTER}}
    return all(template.get(key) == spec.get(key) for key in rest) and all(
        mounted.get(volume["name"]) == volume for volume in template.get("volumes") or ()
    )


def _holds(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    fields = {*wanted, *found} - OF_CONTAINERS
    mounts = found.get("volumeMounts") or ()
    return all(wanted.get(field) == found.get(field) for field in fields) and all(
        mount in mounts for mount in wanted.get("volumeMounts") or ()
    )
