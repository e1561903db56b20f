"""kube-state-metrics: what the objects of the cluster say of themselves."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.sim.kernel.objects import get, labels_of
from aiops_gym.sim.telemetry.families import Family, Kind, Rows, Tell, constant, tell
from aiops_gym.sim.telemetry.statements import LABELS, Object, name_labels, read_lines
from aiops_gym.sim.traffic.quotas import parse_amount

UNITS = {"cpu": "core", "memory": "byte", "ephemeral-storage": "byte", "storage": "byte"}


def _amounts(resource: str, field: str, items: bool) -> Tell:
    """What an object, or each of its containers, has of each resource."""

    def rows(obj: Object) -> Rows:
        where = {"node": get(obj, "spec", "nodeName", default="")} if items else {}
        for item in obj["spec"]["containers"] if items else (obj,):
            named = {"container": item["name"]} if items else {}
            for what, text in sorted(get(item, "resources" if items else "status", field, default={}).items()):
                unit = UNITS.get(what, "byte" if what.startswith("hugepages") else "integer")
                told = {**where, **named, "resource": what.replace("-", "_"), "unit": unit}
                yield {**name_labels(resource, obj), **told}, parse_amount(str(text))

    return rows


def _roles(obj: Object) -> Rows:
    for label in labels_of(obj):
        if label.startswith("node-role.kubernetes.io/"):
            yield {**name_labels("nodes", obj), "role": label.partition("/")[2]}, 1.0


def _quota(obj: Object) -> Rows:
    for type_ in ("hard", "used"):
        for what, text in sorted(get(obj, "status", type_, default={}).items()):
            yield {**name_labels("resourcequotas", obj), "resource": what, "type": type_}, parse_amount(str(text))


def _surge(bound: str) -> Tell:
    """How many pods a rollout may add or take; a share of them is rounded up for the one, down for the other."""

    def rows(obj: Object) -> Rows:
        rolling = get(obj, "spec", "strategy", "rollingUpdate")
        if rolling:
            text, wanted = str(rolling.get(bound, "25%")), int(get(obj, "spec", "replicas", default=1))
            part = wanted * int(text[:-1]) if text.endswith("%") else 0
            share = -(-part // 100) if bound == "maxSurge" else part // 100
            yield name_labels("deployments.apps", obj), float(share if text.endswith("%") else text)

    return rows


def _containers() -> Iterator[str]:
    """The lines that containers have and init containers too."""
    for prefix, field in (("container", "containerStatuses"), ("init_container", "initContainerStatuses")):
        head, each = f"kube_pod_{prefix}_status", f"*status.{field} container=.name"
        for state in ("running", "terminated", "waiting"):
            yield f"{head}_{state} | pods | {each} | .state.{state}? | Whether it is {state}"
        for state in ("terminated", "waiting"):
            yield f"{head}_{state}_reason | pods | {each} !reason=.state.{state}.reason | 1 | Why it is {state}"
        yield f"{head}_last_terminated_reason | pods | {each} !reason=.lastState.terminated.reason | 1 | Why it ended"
        yield f"{head}_ready | pods | {each} | .ready | Whether it is ready"
        yield f"{head}_restarts_total | pods | {each} | .restartCount | Restarts"


def _workloads() -> Iterator[str]:
    """The lines of numbers in workloads, by kind: name and path."""
    for resource, table in WORKLOADS.items():
        for word in table.split():
            name, _, path = word.partition("=")
            yield f"kube_{LABELS[resource]}_{name} | {resource} | | {path} | {path.partition('/')[0]}"


WORKLOADS = {
    "deployments.apps": """metadata_generation=metadata.generation spec_paused=spec.paused/0
        spec_replicas=spec.replicas/1 status_observed_generation=status.observedGeneration/0
        status_replicas=status.replicas/0 status_replicas_available=status.availableReplicas/0
        status_replicas_ready=status.readyReplicas/0 status_replicas_unavailable=status.unavailableReplicas/0
        status_replicas_updated=status.updatedReplicas/0""",
    "replicasets.apps": """metadata_generation=metadata.generation spec_replicas=spec.replicas/1
        status_fully_labeled_replicas=status.fullyLabeledReplicas/0
        status_observed_generation=status.observedGeneration/0 status_ready_replicas=status.readyReplicas/0
        status_replicas=status.replicas/0""",
    "statefulsets.apps": """metadata_generation=metadata.generation replicas=spec.replicas/1
        status_observed_generation=status.observedGeneration/0 status_replicas=status.replicas/0
        status_replicas_available=status.availableReplicas/0 status_replicas_current=status.currentReplicas/0
        status_replicas_ready=status.readyReplicas/0 status_replicas_updated=status.updatedReplicas/0""",
    "daemonsets.apps": """metadata_generation=metadata.generation
        status_current_number_scheduled=status.currentNumberScheduled/0
        status_desired_number_scheduled=status.desiredNumberScheduled/0
        status_number_available=status.numberAvailable/0 status_number_misscheduled=status.numberMisscheduled/0
        status_number_ready=status.numberReady/0 status_number_unavailable=status.numberUnavailable/0
        status_observed_generation=status.observedGeneration/0
        status_updated_number_scheduled=status.updatedNumberScheduled/0""",
}
CREATED = "kube_{0}_created | {1} | | metadata.creationTimestamp | When it was made, Unix seconds"
OWNERS = "*metadata.ownerReferences owner_kind=.kind owner_name=.name owner_is_controller=.controller"
MADE = ("pods", "services", "nodes", "namespaces", "jobs.batch", "cronjobs.batch", *WORKLOADS)
LINES = f"""
kube_deployment_status_condition | deployments.apps | *status.conditions condition=.type status:true,false,unknown=.status | 1 | Conditions
kube_replicaset_owner | replicasets.apps | {OWNERS} | 1 | Who owns it
kube_statefulset_status_current_revision | statefulsets.apps | revision=status.currentRevision | 1 | Its revision
kube_statefulset_status_update_revision | statefulsets.apps | revision=status.updateRevision | 1 | Its next revision
kube_pod_container_info | pods | *status.containerStatuses container=.name image=.image image_id=.imageID container_id=.containerID | 1 | What it runs
kube_pod_container_state_started | pods | *status.containerStatuses container=.name | .state.running.startedAt | When it began
kube_pod_container_status_last_terminated_exitcode | pods | *status.containerStatuses container=.name | .lastState.terminated.exitCode | Exit code of the one before
kube_pod_deletion_timestamp | pods | | metadata.deletionTimestamp | When it is to be gone, Unix seconds
kube_pod_info | pods | host_ip=status.hostIP pod_ip=status.podIP node=spec.nodeName created_by_kind=metadata.ownerReferences.0.kind created_by_name=metadata.ownerReferences.0.name priority_class=spec.priorityClassName host_network=spec.hostNetwork | 1 | What a pod is
kube_pod_owner | pods | {OWNERS} | 1 | Who owns it
kube_pod_restart_policy | pods | type=spec.restartPolicy | 1 | What happens when a container ends
kube_pod_spec_volumes_persistentvolumeclaims_info | pods | *spec.volumes volume=.name !persistentvolumeclaim=.persistentVolumeClaim.claimName | 1 | Claims that it mounts
kube_pod_start_time | pods | | status.startTime | When its node took it, Unix seconds
kube_pod_status_initialized_time | pods | *status.conditions ?.type=Initialized ?.status=True | .lastTransitionTime | Since when it is initialized
kube_pod_status_phase | pods | phase:Pending,Succeeded,Failed,Unknown,Running=status.phase | 1 | Its phase
kube_pod_status_qos_class | pods | qos_class:BestEffort,Burstable,Guaranteed=status.qosClass | 1 | Its quality of service
kube_pod_status_ready | pods | *status.conditions ?.type=Ready condition:true,false,unknown=.status | 1 | Whether it is ready
kube_pod_status_ready_time | pods | *status.conditions ?.type=Ready ?.status=True | .lastTransitionTime | Since when it is ready
kube_pod_status_reason | pods | reason:Evicted,NodeAffinity,NodeLost,Shutdown,UnexpectedAdmissionError=status.reason | 1 | Why it is in its phase
kube_pod_status_scheduled | pods | *status.conditions ?.type=PodScheduled condition:true,false,unknown=.status | 1 | Whether it has a node
kube_pod_status_scheduled_time | pods | *status.conditions ?.type=PodScheduled ?.status=True | .lastTransitionTime | Since when it has a node
kube_pod_status_unschedulable | pods | *status.conditions ?.type=PodScheduled ?.reason=Unschedulable | 1 | Pods that fit nowhere
kube_job_complete | jobs.batch | *status.conditions ?.type=Complete condition:true,false,unknown=.status | 1 | Whether it has done its work
kube_job_failed | jobs.batch | *status.conditions ?.type=Failed condition:true,false,unknown=.status | 1 | Whether it has given up
kube_job_owner | jobs.batch | {OWNERS} | 1 | Who owns it
kube_job_spec_completions | jobs.batch | | spec.completions | Pods that have to succeed
kube_job_spec_parallelism | jobs.batch | | spec.parallelism | Pods at once
kube_job_status_active | jobs.batch | | status.active/0 | Pods that run
kube_job_status_completion_time | jobs.batch | | status.completionTime | When it was done, Unix seconds
kube_job_status_failed | jobs.batch | | status.failed/0 | Pods that failed
kube_job_status_start_time | jobs.batch | | status.startTime | When it was begun, Unix seconds
kube_job_status_succeeded | jobs.batch | | status.succeeded/0 | Pods that succeeded
kube_cronjob_info | cronjobs.batch | schedule=spec.schedule concurrency_policy=spec.concurrencyPolicy timezone=spec.timeZone | 1 | What it is
kube_cronjob_spec_suspend | cronjobs.batch | | spec.suspend/0 | Whether it rests
kube_cronjob_status_last_schedule_time | cronjobs.batch | | status.lastScheduleTime | When a job was made last
kube_cronjob_status_last_successful_time | cronjobs.batch | | status.lastSuccessfulTime | When a job succeeded last
kube_horizontalpodautoscaler_spec_max_replicas | horizontalpodautoscalers.autoscaling | | spec.maxReplicas | Most replicas
kube_horizontalpodautoscaler_spec_min_replicas | horizontalpodautoscalers.autoscaling | | spec.minReplicas/1 | Fewest replicas
kube_horizontalpodautoscaler_status_condition | horizontalpodautoscalers.autoscaling | *status.conditions condition=.type status:true,false,unknown=.status | 1 | Conditions
kube_horizontalpodautoscaler_status_current_replicas | horizontalpodautoscalers.autoscaling | | status.currentReplicas/0 | Replicas at present
kube_horizontalpodautoscaler_status_desired_replicas | horizontalpodautoscalers.autoscaling | | status.desiredReplicas/0 | Replicas that there should be
kube_node_info | nodes | kernel_version=status.nodeInfo.kernelVersion os_image=status.nodeInfo.osImage container_runtime_version=status.nodeInfo.containerRuntimeVersion kubelet_version=status.nodeInfo.kubeletVersion kubeproxy_version=status.nodeInfo.kubeProxyVersion provider_id=spec.providerID pod_cidr=spec.podCIDR system_uuid=status.nodeInfo.systemUUID internal_ip=status.addresses.0.address | 1 | What a node is
kube_node_spec_taint | nodes | *spec.taints key=.key value=.value effect=.effect | 1 | Its taints
kube_node_spec_unschedulable | nodes | | spec.unschedulable/0 | Whether it takes no new pods
kube_node_status_condition | nodes | *status.conditions condition=.type status:true,false,unknown=.status | 1 | Conditions
kube_namespace_status_phase | namespaces | phase:Active,Terminating=status.phase | 1 | Its phase
kube_persistentvolumeclaim_info | persistentvolumeclaims | storageclass=spec.storageClassName volumename=spec.volumeName volumemode=spec.volumeMode | 1 | What a claim is
kube_persistentvolumeclaim_resource_requests_storage_bytes | persistentvolumeclaims | | spec.resources.requests.storage | Bytes that it asks for
kube_persistentvolumeclaim_status_phase | persistentvolumeclaims | phase:Bound,Lost,Pending=status.phase | 1 | Its phase
kube_persistentvolume_capacity_bytes | persistentvolumes | | spec.capacity.storage | Bytes
kube_persistentvolume_claim_ref | persistentvolumes | claim_namespace=spec.claimRef.namespace !name=spec.claimRef.name | 1 | Whose it is
kube_persistentvolume_info | persistentvolumes | storageclass=spec.storageClassName host_path=spec.hostPath.path | 1 | What a volume is
kube_persistentvolume_status_phase | persistentvolumes | phase:Pending,Available,Bound,Released,Failed=status.phase | 1 | Its phase
kube_service_info | services | uid=metadata.uid cluster_ip=spec.clusterIP external_name=spec.externalName load_balancer_ip=spec.loadBalancerIP | 1 | What a service is
kube_service_spec_type | services | uid=metadata.uid type=spec.type | 1 | Its type
"""  # noqa: E501 - a line each
"""See `statements`."""

ROLLING = "kube_deployment_spec_strategy_rollingupdate"
FAMILIES: tuple[Family, ...] = (
    *read_lines("\n".join([*_containers(), *_workloads()])),
    *read_lines(LINES),
    *read_lines("\n".join(CREATED.format(LABELS[each].partition("_")[0], each) for each in MADE)),
    tell(f"{ROLLING}_max_surge", "Pods that a rollout may add", "deployments.apps", _surge("maxSurge")),
    tell(f"{ROLLING}_max_unavailable", "Pods that it may take", "deployments.apps", _surge("maxUnavailable")),
    tell("kube_node_role", "Its roles", "nodes", _roles),
    tell("kube_node_status_allocatable", "What pods may have", "nodes", _amounts("nodes", "allocatable", False)),
    tell("kube_node_status_capacity", "What it has", "nodes", _amounts("nodes", "capacity", False)),
    tell("kube_pod_container_resource_limits", "What it may have", "pods", _amounts("pods", "limits", True)),
    tell("kube_pod_container_resource_requests", "What it asks for", "pods", _amounts("pods", "requests", True)),
    tell("kube_resourcequota", "Bounds of a namespace, and what is used of them", "resourcequotas", _quota),
    constant("kube_state_metrics_build_info", "Version of kube-state-metrics", branch="", goarch="amd64", goos="linux",
             goversion="go1.20.8", revision="unknown", tags="unknown", version="v2.10.1"),
)  # fmt: skip
kind = Kind(FAMILIES, seconds=0.006)
