"""kube-state-metrics: what the objects of the cluster say of themselves, those of its batch and autoscaling groups in
`state_of_jobs`, of pods in `state_of_pods`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from aiops_gym.sim.kernel.objects import get, labels_of, name_of, namespace_of
from aiops_gym.sim.telemetry import journal, state_of_jobs, state_of_pods
from aiops_gym.sim.telemetry.families import Family, Kind, Rows, Tell, constant, tell
from aiops_gym.sim.telemetry.state_of_pods import UNITS
from aiops_gym.sim.traffic.quotas import parse_amount
from aiops_gym.types import Json

Object = Mapping[str, Json]


def _workload(label: str) -> Callable[..., Tell]:
    """A reader of a number at a path of a workload; `otherwise` where it is not there."""

    def at(*path: str, otherwise: float = 0.0) -> Tell:
        def rows(obj: Object) -> Rows:
            yield _named(label, obj), float(get(obj, *path, default=otherwise))

        return rows

    return at


def _named(label: str, obj: Object) -> dict[str, str]:
    return {"namespace": namespace_of(obj), label: name_of(obj)}


def _created(label: str) -> Tell:
    return lambda obj: [(_plain(label, obj), journal.born(obj) / 1000)]


def _plain(label: str, obj: Object) -> dict[str, str]:
    return _named(label, obj) if namespace_of(obj) else {label: name_of(obj)}


def _conditions(label: str) -> Tell:
    """One series a condition and what it may be."""

    def rows(obj: Object) -> Rows:
        for each in get(obj, "status", "conditions", default=()):
            for status in ("true", "false", "unknown"):
                said = float(each["status"].lower() == status)
                yield {**_plain(label, obj), "condition": each["type"], "status": status}, said

    return rows


def _phases(label: str, *phases: str) -> Tell:
    def rows(obj: Object) -> Rows:
        found = get(obj, "status", "phase", default="Pending")
        for phase in phases:
            yield {**_plain(label, obj), "phase": phase}, float(found == phase)

    return rows


def _surge(bound: str) -> Tell:
    """How many pods a rollout may add or take; a share of them is rounded up for the one, down for the other."""

    def rows(obj: Object) -> Rows:
        rolling = get(obj, "spec", "strategy", "rollingUpdate")
        if rolling:
            text, wanted = str(rolling.get(bound, "25%")), int(get(obj, "spec", "replicas", default=1))
            part = wanted * int(text[:-1]) if text.endswith("%") else 0
            share = -(-part // 100) if bound == "maxSurge" else part // 100
            yield _named("deployment", obj), float(share if text.endswith("%") else text)

    return rows


def _owners(obj: Object) -> Rows:
    for owner in obj["metadata"].get("ownerReferences") or [{}]:
        told = {f"owner_{name}": str(owner.get(name, "")) for name in ("kind", "name")}
        is_controller = str(bool(owner.get("controller"))).lower() if owner else ""
        yield {**_named("replicaset", obj), **told, "owner_is_controller": is_controller}, 1.0


def _workloads() -> Iterator[Family]:
    """Families of the same form: metric, resource, and where its value stands."""
    for kind, table in TABLES.items():
        resource, at = f"{kind}s.apps", _workload(kind)
        yield tell(f"kube_{kind}_created", "Unix time at which it was made", resource, _created(kind))
        for line in table.split("\n"):
            name, _, where = line.strip().partition(" ")
            path = where.split(".")
            help_ = f"{path[-1]} in the {path[0]} of a {kind}"
            otherwise = 1.0 if where == "spec.replicas" else 0.0
            yield tell(f"kube_{kind}_{name}", help_, resource, at(*path, otherwise=otherwise))


TABLES = {
    "deployment": """metadata_generation metadata.generation
        spec_paused spec.paused
        spec_replicas spec.replicas
        status_observed_generation status.observedGeneration
        status_replicas status.replicas
        status_replicas_available status.availableReplicas
        status_replicas_ready status.readyReplicas
        status_replicas_unavailable status.unavailableReplicas
        status_replicas_updated status.updatedReplicas""",
    "replicaset": """metadata_generation metadata.generation
        spec_replicas spec.replicas
        status_fully_labeled_replicas status.fullyLabeledReplicas
        status_observed_generation status.observedGeneration
        status_ready_replicas status.readyReplicas
        status_replicas status.replicas""",
    "statefulset": """metadata_generation metadata.generation
        replicas spec.replicas
        status_observed_generation status.observedGeneration
        status_replicas status.replicas
        status_replicas_available status.availableReplicas
        status_replicas_current status.currentReplicas
        status_replicas_ready status.readyReplicas
        status_replicas_updated status.updatedReplicas""",
    "daemonset": """metadata_generation metadata.generation
        status_current_number_scheduled status.currentNumberScheduled
        status_desired_number_scheduled status.desiredNumberScheduled
        status_number_available status.numberAvailable
        status_number_misscheduled status.numberMisscheduled
        status_number_ready status.numberReady
        status_number_unavailable status.numberUnavailable
        status_observed_generation status.observedGeneration
        status_updated_number_scheduled status.updatedNumberScheduled""",
}


def _revision(which: str) -> Tell:
    def rows(obj: Object) -> Rows:
        yield {**_named("statefulset", obj), "revision": get(obj, "status", f"{which}Revision", default="")}, 1.0

    return rows


def _node_info(obj: Object) -> Rows:
    info = get(obj, "status", "nodeInfo", default={})
    words = {"containerRuntimeVersion": "container_runtime_version", "kernelVersion": "kernel_version"}
    words |= {"kubeletVersion": "kubelet_version", "kubeProxyVersion": "kubeproxy_version", "osImage": "os_image"}
    told = {label: str(info.get(field, "")) for field, label in words.items()}
    told |= {"system_uuid": str(info.get("systemUUID", "")), "pod_cidr": str(get(obj, "spec", "podCIDR", default=""))}
    addresses = {each["type"]: each["address"] for each in get(obj, "status", "addresses", default=())}
    told |= {"provider_id": get(obj, "spec", "providerID", default=""), "internal_ip": addresses.get("InternalIP", "")}
    yield {"node": name_of(obj), **told}, 1.0


def _amounts(field: str) -> Tell:
    def rows(obj: Object) -> Rows:
        for resource, text in sorted(get(obj, "status", field, default={}).items()):
            unit = UNITS.get(resource, "byte" if resource.startswith("hugepages") else "integer")
            amount = parse_amount(str(text))
            yield {"node": name_of(obj), "resource": resource.replace("-", "_"), "unit": unit}, amount

    return rows


def _taints(obj: Object) -> Rows:
    for taint in get(obj, "spec", "taints", default=()):
        told = {"key": taint["key"], "value": taint.get("value", ""), "effect": taint["effect"]}
        yield {"node": name_of(obj), **told}, 1.0


def _roles(obj: Object) -> Rows:
    for label in labels_of(obj):
        if label.startswith("node-role.kubernetes.io/"):
            yield {"node": name_of(obj), "role": label.partition("/")[2]}, 1.0


def _claim(obj: Object) -> Rows:
    told = {"storageclass": get(obj, "spec", "storageClassName", default="")}
    told |= {"volumename": get(obj, "spec", "volumeName", default="")}
    told |= {"volumemode": get(obj, "spec", "volumeMode", default="")}
    yield {**_named("persistentvolumeclaim", obj), **told}, 1.0


def _volume(obj: Object) -> Rows:
    told = {"storageclass": get(obj, "spec", "storageClassName", default="")}
    told |= {"host_path": get(obj, "spec", "hostPath", "path", default="")}
    yield {"persistentvolume": name_of(obj), **told}, 1.0


def _claimed(obj: Object) -> Rows:
    claim = get(obj, "spec", "claimRef")
    if claim:
        yield (
            {
                "persistentvolume": name_of(obj),
                "claim_namespace": claim.get("namespace", ""),
                "name": claim.get("name", ""),
            },
            1.0,
        )


def _service(obj: Object) -> Rows:
    told = {"uid": obj["metadata"]["uid"], "cluster_ip": get(obj, "spec", "clusterIP", default="")}
    told |= {"external_name": get(obj, "spec", "externalName", default=""), "load_balancer_ip": ""}
    yield {**_named("service", obj), **told}, 1.0


def _service_type(obj: Object) -> Rows:
    yield {**_named("service", obj), "uid": obj["metadata"]["uid"], "type": get(obj, "spec", "type", default="")}, 1.0


def _quota(obj: Object) -> Rows:
    for kind in ("hard", "used"):
        for resource, text in sorted(get(obj, "status", kind, default={}).items()):
            yield {**_named("resourcequota", obj), "resource": resource, "type": kind}, parse_amount(str(text))


def _at(label: str, *path: str) -> Tell:
    def rows(obj: Object) -> Rows:
        text = get(obj, *path)
        if text is not None:
            yield _plain(label, obj), parse_amount(str(text))

    return rows


NODE, CLAIM, VOLUME = "nodes", "persistentvolumeclaims", "persistentvolumes"
kind = Kind(
    (
        *state_of_pods.FAMILIES,
        *_workloads(),
        tell("kube_deployment_status_condition", "Conditions of a deployment", "deployments.apps",
             _conditions("deployment")),
        tell("kube_deployment_spec_strategy_rollingupdate_max_surge", "Pods that a rollout may add",
             "deployments.apps", _surge("maxSurge")),
        tell("kube_deployment_spec_strategy_rollingupdate_max_unavailable", "Pods that a rollout may take",
             "deployments.apps", _surge("maxUnavailable")),
        tell("kube_replicaset_owner", "Who owns a ReplicaSet", "replicasets.apps", _owners),
        *(tell(f"kube_statefulset_status_{which}_revision", f"Which revision is {which}", "statefulsets.apps",
               _revision(which)) for which in ("current", "update")),
        *state_of_jobs.FAMILIES,
        tell("kube_node_created", "Unix time at which it was made", NODE, _created("node")),
        tell("kube_node_info", "What a node is", NODE, _node_info),
        tell("kube_node_role", "Roles of a node", NODE, _roles),
        tell("kube_node_spec_taint", "Taints of a node", NODE, _taints),
        tell("kube_node_spec_unschedulable", "Whether a node takes no new pods", NODE,
             lambda obj: [({"node": name_of(obj)}, float(get(obj, "spec", "unschedulable", default=False)))]),
        tell("kube_node_status_allocatable", "What of a node pods may have", NODE, _amounts("allocatable")),
        tell("kube_node_status_capacity", "What a node has", NODE, _amounts("capacity")),
        tell("kube_node_status_condition", "Conditions of a node", NODE, _conditions("node")),
        tell("kube_namespace_created", "Unix time at which it was made", "namespaces", _created("namespace")),
        tell("kube_namespace_status_phase", "Phase of a namespace", "namespaces",
             lambda obj: [({"namespace": name_of(obj), "phase": phase},
                           float(get(obj, "status", "phase", default="Active") == phase))
                          for phase in ("Active", "Terminating")]),
        tell("kube_persistentvolumeclaim_info", "What a claim is", CLAIM, _claim),
        tell("kube_persistentvolumeclaim_resource_requests_storage_bytes", "Bytes that a claim asks for", CLAIM,
             _at("persistentvolumeclaim", "spec", "resources", "requests", "storage")),
        tell("kube_persistentvolumeclaim_status_phase", "Phase of a claim", CLAIM,
             _phases("persistentvolumeclaim", "Bound", "Lost", "Pending")),
        tell("kube_persistentvolume_capacity_bytes", "Bytes of a volume", VOLUME,
             _at("persistentvolume", "spec", "capacity", "storage")),
        tell("kube_persistentvolume_claim_ref", "Whose a volume is", VOLUME, _claimed),
        tell("kube_persistentvolume_info", "What a volume is", VOLUME, _volume),
        tell("kube_persistentvolume_status_phase", "Phase of a volume", VOLUME,
             _phases("persistentvolume", "Pending", "Available", "Bound", "Released", "Failed")),
        tell("kube_resourcequota", "Bounds of a namespace, and what is used of them", "resourcequotas", _quota),
        tell("kube_service_created", "Unix time at which it was made", "services", _created("service")),
        tell("kube_service_info", "What a service is", "services", _service),
        tell("kube_service_spec_type", "Type of a service", "services", _service_type),
        constant("kube_state_metrics_build_info", "Version of kube-state-metrics", branch="", goarch="amd64",
                 goos="linux", goversion="go1.20.8", revision="unknown", tags="unknown", version="v2.10.1"),
    ),
    seconds=0.006,
)  # fmt: skip
