"""Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers: what keeps pods running."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import standing
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.pods import defaults, rules
from aiops_gym.sim.kube_api.selectors import format_object
from aiops_gym.types import Json


def make_container_cells(obj: Mapping[str, Any], *path: str) -> list[Json]:
    """The Containers and Images cells of a pod template."""
    inside = get(obj, *(path or ("spec", "template", "spec")), "containers", default=[])
    return [",".join(c["name"] for c in inside), ",".join(c.get("image", "") for c in inside)]


def _deployment(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    defaults.set_template_defaults(spec)
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


def _replica_set(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    defaults.set_template_defaults(spec)
    spec.setdefault("replicas", 1)


def _stateful_set(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    defaults.set_template_defaults(spec)
    spec.setdefault("replicas", 1)
    spec.setdefault("podManagementPolicy", "OrderedReady")
    spec.setdefault("serviceName", "")
    update = spec.setdefault("updateStrategy", {})
    if update.setdefault("type", "RollingUpdate") == "RollingUpdate":
        update.setdefault("rollingUpdate", {}).setdefault("partition", 0)
    spec.setdefault("revisionHistoryLimit", 10)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    retention.setdefault("whenDeleted", "Retain")
    retention.setdefault("whenScaled", "Retain")
    for claim in spec.get("volumeClaimTemplates") or ():
        claim.setdefault("apiVersion", "v1")
        claim.setdefault("kind", "PersistentVolumeClaim")
        claim["metadata"] = {"creationTimestamp": None, **claim.get("metadata", {})}
        claim.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
        claim["status"] = {"phase": "Pending"}


def _daemon_set(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    defaults.set_template_defaults(spec)
    update = spec.setdefault("updateStrategy", {})
    if update.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = update.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)


TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


def _count_templates(world: World, draft: Draft, old: Obj | None) -> None:
    """A DaemonSet counts its templates in an annotation, a remnant of an older version."""
    before = get(old or {}, "metadata", "annotations", TEMPLATE_GENERATION, default="0")
    number = parse_natural(str(before)) or 0
    if old is None or old["spec"].get("template") != draft["spec"].get("template"):
        number += 1
    annotations = draft["metadata"].get("annotations") or {}
    draft["metadata"]["annotations"] = {TEMPLATE_GENERATION: str(max(1, number)), **_without(annotations)}


def _without(annotations: Mapping[str, str]) -> dict[str, str]:
    """Annotations that a client may set."""
    return {k: v for k, v in annotations.items() if k != TEMPLATE_GENERATION}


def _controller(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    defaults.set_template_defaults(spec)
    spec.setdefault("replicas", 1)
    spec.setdefault("selector", dict(spec["template"]["metadata"].get("labels") or {}))


def _deployment_cells(obj: Obj) -> list[Json]:
    status = obj.get("status", {})
    ready = f"{status.get('readyReplicas', 0)}/{obj['spec'].get('replicas', 0)}"
    counts = [status.get("updatedReplicas", 0), status.get("availableReplicas", 0)]
    chosen = format_object(obj["spec"].get("selector"))
    return [obj["metadata"]["name"], ready, *counts, make_age_cell(obj), *make_container_cells(obj), chosen]


def _replica_set_cells(obj: Obj) -> list[Json]:
    status, selector = obj.get("status", {}), obj["spec"].get("selector")
    if obj["kind"] == "ReplicationController":
        selector = {"matchLabels": selector}
    counts = [obj["spec"].get("replicas", 0), status.get("replicas", 0), status.get("readyReplicas", 0)]
    return [obj["metadata"]["name"], *counts, make_age_cell(obj), *make_container_cells(obj), format_object(selector)]


def _stateful_set_cells(obj: Obj) -> list[Json]:
    ready = f"{get(obj, 'status', 'readyReplicas', default=0)}/{obj['spec'].get('replicas', 0)}"
    return [obj["metadata"]["name"], ready, make_age_cell(obj), *make_container_cells(obj)]


def _daemon_set_cells(obj: Obj) -> list[Json]:
    status = obj.get("status", {})
    names = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    node = get(obj, "spec", "template", "spec", "nodeSelector", default={})
    chosen = ",".join(f"{k}={v}" for k, v in sorted(node.items())) or "<none>"
    counts = [status.get(n, 0) for n in names]
    return [
        obj["metadata"]["name"],
        *counts,
        chosen,
        make_age_cell(obj),
        *make_container_cells(obj),
        format_object(obj["spec"].get("selector")),
    ]


KINDS = (
    Kind(
        resource="deployments.apps",
        columns=parse_columns("Name/Ready/Up-to-date#/Available#/Age/Containers*/Images*/Selector*"),
        cells=_deployment_cells,
        default=_deployment,
        validate=rules.validate_deployment,
        validate_update=rules.validate_selector_update,
        validate_status=standing.no_more_than_replicas(
            "updatedReplicas", "readyReplicas", "availableReplicas", above=("unavailableReplicas", "collisionCount")
        ),
        status={},
        generation=True,
    ),
    Kind(
        resource="replicasets.apps",
        columns=parse_columns("Name/Desired#/Current#/Ready#/Age/Containers*/Images*/Selector*"),
        cells=_replica_set_cells,
        default=_replica_set,
        validate=rules.validate_workload,
        validate_update=rules.validate_selector_update,
        validate_status=standing.no_more_than_replicas("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
        status={"replicas": 0},
        generation=True,
        fields={"status.replicas": lambda obj: str(get(obj, "status", "replicas", default=0))},
    ),
    Kind(
        resource="replicationcontrollers",
        columns=parse_columns("Name/Desired#/Current#/Ready#/Age/Containers*/Images*/Selector*"),
        cells=_replica_set_cells,
        default=_controller,
        validate=rules.validate_replication_controller,
        validate_status=standing.no_more_than_replicas("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
        status={"replicas": 0},
        generation=True,
        fields={"status.replicas": lambda obj: str(get(obj, "status", "replicas", default=0))},
    ),
    Kind(
        resource="statefulsets.apps",
        columns=parse_columns("Name/Ready/Age/Containers*/Images*"),
        cells=_stateful_set_cells,
        default=_stateful_set,
        validate=rules.validate_stateful_set,
        validate_update=rules.validate_stateful_set_update,
        validate_status=standing.no_more_than_replicas(
            "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", above=("collisionCount",)
        ),
        status={"replicas": 0, "availableReplicas": 0},
        generation=True,
    ),
    Kind(
        resource="daemonsets.apps",
        columns=parse_columns(
            "Name/Desired#/Current#/Ready#/Up-to-date#/Available#/Node Selector/Age/Containers*/Images*/Selector*"
        ),
        cells=_daemon_set_cells,
        default=_daemon_set,
        admit=_count_templates,
        validate=rules.validate_daemon_set,
        validate_update=rules.validate_selector_update,
        validate_status=standing.counts(
            *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"),
            *("observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount"),
        ),
        status={"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0},
        generation=True,
    ),
)
