"""What kube-state-metrics tells of pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from aiops_gym.sim.kernel.objects import controller_of, get, name_of, namespace_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.telemetry import journal
from aiops_gym.sim.telemetry.families import Family, Rows, Tell, tell
from aiops_gym.sim.traffic.quotas import parse_amount
from aiops_gym.types import Json

Object = Mapping[str, Json]

UNITS = {"cpu": "core", "memory": "byte", "ephemeral-storage": "byte", "storage": "byte"}
PHASES = ("Pending", "Succeeded", "Failed", "Unknown", "Running")
REASONS = ("Evicted", "NodeAffinity", "NodeLost", "Shutdown", "UnexpectedAdmissionError")
"""Reasons of a pod's status that have a series each, whether they apply or not."""


def _pod(obj: Object) -> dict[str, str]:
    return {"namespace": namespace_of(obj), "pod": name_of(obj), "uid": obj["metadata"]["uid"]}


def _phase(obj: Object) -> Rows:
    found = get(obj, "status", "phase", default="")
    return [({**_pod(obj), "phase": phase}, float(found == phase)) for phase in PHASES]


def _reason(obj: Object) -> Rows:
    found = get(obj, "status", "reason", default="")
    return [({**_pod(obj), "reason": reason}, float(found == reason)) for reason in REASONS]


def _condition(type_: str) -> Tell:
    def rows(obj: Object) -> Rows:
        for each in get(obj, "status", "conditions", default=()):
            if each["type"] == type_:
                for status in ("true", "false", "unknown"):
                    yield {**_pod(obj), "condition": status}, float(each["status"].lower() == status)

    return rows


def _since(type_: str) -> Tell:
    def rows(obj: Object) -> Rows:
        for each in get(obj, "status", "conditions", default=()):
            if each["type"] == type_ and each["status"] == "True" and each.get("lastTransitionTime"):
                yield _pod(obj), millis(each["lastTransitionTime"]) / 1000

    return rows


def _info(obj: Object) -> Rows:
    owner = controller_of(obj) or {}
    status, spec = obj.get("status") or {}, obj["spec"]
    told = {"host_ip": status.get("hostIP", ""), "pod_ip": status.get("podIP", ""), "node": spec.get("nodeName", "")}
    told |= {"created_by_kind": owner.get("kind", ""), "created_by_name": owner.get("name", "")}
    told |= {"priority_class": spec.get("priorityClassName", "")}
    yield {**_pod(obj), **told, "host_network": str(bool(spec.get("hostNetwork"))).lower()}, 1.0


def _owner(obj: Object) -> Rows:
    for owner in obj["metadata"].get("ownerReferences") or [{}]:
        told = {f"owner_{name}": str(owner.get(name, "")) for name in ("kind", "name")}
        is_controller = str(bool(owner.get("controller"))).lower() if owner else ""
        yield {**_pod(obj), **told, "owner_is_controller": is_controller}, 1.0


def _time(*path: str) -> Tell:
    def rows(obj: Object) -> Rows:
        text = get(obj, *path)
        if text:
            yield _pod(obj), millis(text) / 1000

    return rows


def _states(field: str, read: Callable[[Mapping[str, Json]], Rows]) -> Tell:
    """What the status of each container says."""

    def rows(obj: Object) -> Rows:
        for status in get(obj, "status", field, default=()):
            for labels, value in read(status):
                yield {**_pod(obj), "container": status["name"], **labels}, value

    return rows


def _in_state(state: str) -> Callable[[Mapping[str, Json]], Rows]:
    def read(status: Mapping[str, Json]) -> Rows:
        yield {}, float(state in status.get("state", {}))

    return read


def _why(last: str, state: str) -> Callable[[Mapping[str, Json]], Rows]:
    def read(status: Mapping[str, Json]) -> Rows:
        reason = get(status, last, state, "reason")
        if reason:
            yield {"reason": reason}, 1.0

    return read


def _said(*path: str) -> Callable[[Mapping[str, Json]], Rows]:
    """A number, or whether something is true."""

    def read(status: Mapping[str, Json]) -> Rows:
        found = get(status, *path)
        if found is not None:
            yield {}, float(found)

    return read


def _started(status: Mapping[str, Json]) -> Rows:
    text = get(status, "state", "running", "startedAt")
    if text:
        yield {}, millis(text) / 1000


def _container_info(obj: Object) -> Rows:
    asked = {each["name"]: each.get("image", "") for each in obj["spec"]["containers"]}
    for status in get(obj, "status", "containerStatuses", default=()):
        told = {"image": status.get("image", ""), "image_spec": asked.get(status["name"], "")}
        told |= {"image_id": status.get("imageID", ""), "container_id": status.get("containerID", "")}
        yield {**_pod(obj), "container": status["name"], **told}, 1.0


def make_resource_rows(field: str) -> Tell:
    """What the containers of a pod ask for or may have."""

    def rows(obj: Object) -> Rows:
        node = obj["spec"].get("nodeName", "")
        for container in obj["spec"]["containers"]:
            for resource, text in sorted(get(container, "resources", field, default={}).items()):
                told = {"node": node, "resource": resource.replace("-", "_"), "unit": UNITS.get(resource, "integer")}
                yield {**_pod(obj), "container": container["name"], **told}, parse_amount(str(text))

    return rows


def _claims(obj: Object) -> Rows:
    for volume in obj["spec"].get("volumes", ()):
        claim = get(volume, "persistentVolumeClaim", "claimName")
        if claim:
            yield {**_pod(obj), "volume": volume["name"], "persistentvolumeclaim": claim}, 1.0


def _quality(obj: Object) -> Rows:
    found = get(obj, "status", "qosClass", default="")
    return [({**_pod(obj), "qos_class": c}, float(found == c)) for c in ("BestEffort", "Burstable", "Guaranteed")]


def _unschedulable(obj: Object) -> Rows:
    for each in get(obj, "status", "conditions", default=()):
        if each["type"] == "PodScheduled" and each["status"] == "False" and each.get("reason") == "Unschedulable":
            yield _pod(obj), 1.0


def _family(name: str, help_: str, rows: Tell, kind: str = "gauge") -> Family:
    return tell(f"kube_pod_{name}", help_, "pods", rows, kind)


def _of_containers() -> Iterator[Family]:
    """The families that containers have and init containers too."""
    for prefix, field in (("container", "containerStatuses"), ("init_container", "initContainerStatuses")):
        what = prefix.replace("_", " ")
        for state in ("running", "terminated", "waiting"):
            name = f"{prefix}_status_{state}"
            yield _family(name, f"Whether a {what} is {state}", _states(field, _in_state(state)))
        for state in ("terminated", "waiting"):
            name = f"{prefix}_status_{state}_reason"
            yield _family(name, f"Why a {what} is {state}", _states(field, _why("state", state)))
        name, told = f"{prefix}_status_last_terminated_reason", _why("lastState", "terminated")
        yield _family(name, f"Why a {what} ended before", _states(field, told))
        yield _family(f"{prefix}_status_ready", f"Whether a {what} is ready", _states(field, _said("ready")))
        restarts = _states(field, _said("restartCount"))
        yield _family(f"{prefix}_status_restarts_total", f"Restarts of a {what}", restarts, "counter")


FAMILIES: tuple[Family, ...] = (
    *_of_containers(),
    _family("container_info", "What a container runs", _container_info),
    _family("container_resource_limits", "What a container may have", make_resource_rows("limits")),
    _family("container_resource_requests", "What a container asks for", make_resource_rows("requests")),
    _family("container_state_started", "Unix time at which it began", _states("containerStatuses", _started)),
    _family("container_status_last_terminated_exitcode", "Exit code of the one before",
            _states("containerStatuses", _said("lastState", "terminated", "exitCode"))),
    _family("created", "Unix time at which it was made", lambda obj: [(_pod(obj), journal.born(obj) / 1000)]),
    _family("deletion_timestamp", "Unix time of its deletion", _time("metadata", "deletionTimestamp")),
    _family("info", "What a pod is", _info),
    _family("owner", "Who owns a pod", _owner),
    _family("restart_policy", "What happens when a container ends",
            lambda obj: [({**_pod(obj), "type": obj["spec"].get("restartPolicy", "Always")}, 1.0)]),
    _family("spec_volumes_persistentvolumeclaims_info", "Claims that a pod mounts", _claims),
    _family("start_time", "Unix time at which it was started", _time("status", "startTime")),
    _family("status_initialized_time", "Unix time since when it is initialized", _since("Initialized")),
    _family("status_phase", "Phase of a pod", _phase),
    _family("status_qos_class", "Quality of service of a pod", _quality),
    _family("status_ready", "Whether a pod is ready", _condition("Ready")),
    _family("status_ready_time", "Unix time since when it is ready", _since("Ready")),
    _family("status_reason", "Why a pod is in its phase", _reason),
    _family("status_scheduled", "Whether a pod has a node", _condition("PodScheduled")),
    _family("status_scheduled_time", "Unix time since when it has a node", _since("PodScheduled")),
    _family("status_unschedulable", "Pods that fit nowhere", _unschedulable),
)  # fmt: skip
