"""A pod's status, as its kubelet writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.sim.container import find_image
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import condition, put_status
from aiops_gym.sim.kubelet import images
from aiops_gym.sim.kubelet import record as records
from aiops_gym.sim.objects import Obj, get, key_of, uid_of
from aiops_gym.sim.times import iso
from aiops_gym.sim.world import World

Json = Any
Status = dict[str, Json]
ENDED = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}


def publish(world: World, uid: str, over: bool = False) -> Obj | None:
    """Write the pod's status as it is now; `over` once all its containers have ended because it is deleted."""
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None:
        return None
    before = get(pod, "status", default={})
    inits = [_container(world, pod, record, c, True, over) for c in pod["spec"].get("initContainers") or ()]
    mains = [_container(world, pod, record, c, False, over) for c in pod["spec"]["containers"]]
    phase_ = phase(pod, inits, mains, over)
    if over and record["ending"]:
        phase_ = "Failed"
    shown = "Failed" if record["ending"] and record["ending"]["reason"] == "DeadlineExceeded" else phase_
    status: Status = {"conditions": _conditions(world, pod, record, shown, inits, mains, over)}
    if phase_ in ENDED and any("running" in s["state"] for s in inits):
        phase_ = str(before.get("phase") or "Running")  # it ends only with its last container
    status["containerStatuses"] = sorted(mains, key=lambda s: str(s["name"]))
    host = host_ip(world, record["node"])
    if host:
        status |= {"hostIP": host, "hostIPs": [{"ip": host}]}
    if inits:
        status["initContainerStatuses"] = inits
    status["phase"] = phase_
    if record["ip"]:
        status |= {"podIP": record["ip"], "podIPs": [{"ip": record["ip"]}]}
    status["qosClass"] = before.get("qosClass") or quality(pod)
    status["startTime"] = before.get("startTime") or iso(record["since"])
    for kept in ("reason", "message", "nominatedNodeName"):
        if before.get(kept):
            status[kept] = before[kept]
    if over and record["ending"]:
        status |= record["ending"]
    changed = put_status(world, "pods", pod, status)
    if pods_of.is_ready(changed) != pods_of.is_ready(pod):
        world.touch()
    return changed


def host_ip(world: World, node: str) -> str:
    """InternalIP of a node."""
    obj = world.store.get("nodes", "", node)
    for address in get(obj or {}, "status", "addresses", default=()):
        if address["type"] == "InternalIP":
            return str(address["address"])
    return ""


def quality(pod: Obj) -> str:
    """QoS class, from requests and limits of cpu and memory."""
    containers = [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]
    resources = [c.get("resources") or {} for c in containers]
    if not any(r.get("requests") or r.get("limits") for r in resources):
        return "BestEffort"
    for r in resources:
        limits = r.get("limits") or {}
        if {"cpu", "memory"} - limits.keys() or {**limits, **(r.get("requests") or {})} != limits:
            return "Burstable"
    return "Guaranteed"


def sidecar_names(pod: Obj) -> frozenset[str]:
    """Init containers that run as long as the pod."""
    inits = pod["spec"].get("initContainers") or ()
    return frozenset(c["name"] for c in inits if c.get("restartPolicy") == "Always")


def restartable(pod: Obj, known: records.Record, init: bool = False) -> bool:
    """Whether a container that does not run shall be started (again)."""
    policy = pod["spec"].get("restartPolicy", "Always")
    if pods_of.terminating(pod) or known["state"] == "running":
        return False
    if known["state"] == "":
        return True
    if init and known["code"] == 0:
        return False
    return (policy == "Always" and not init) or (policy != "Never" and known["code"] != 0)


def phase(pod: Obj, inits: Sequence[Status], mains: Sequence[Status], over: bool) -> str:
    """Pending, Running, Succeeded or Failed (`getPhase`)."""
    policy = pod["spec"].get("restartPolicy", "Always")
    pending = failed = 0
    sidecars = sidecar_names(pod)
    for status in inits:
        state, last = status["state"], get(status, "lastState", "terminated")
        if status["name"] in sidecars:
            pending += not (status["started"] or last or "terminated" in state)
            continue
        ended = state.get("terminated") or (last if "waiting" in state else None)
        failed += bool(ended and ended["exitCode"])
        pending += not ended
    if failed and policy == "Never":
        return "Failed"
    running = waiting = stopped = succeeded = 0
    for status in mains:
        state = status["state"]
        running += "running" in state
        stopped += "terminated" in state or ("waiting" in state and bool(status["lastState"]))
        waiting += "waiting" in state and not status["lastState"]
        succeeded += "terminated" in state and state["terminated"]["exitCode"] == 0
    if (pending or failed or waiting) and not over:
        return "Pending"
    if running:
        return "Running"
    if over or (policy != "Always" and not any("waiting" in s["state"] for s in mains)):
        if stopped == succeeded:
            return "Succeeded"
        return "Failed" if over or policy == "Never" else "Running"
    return "Running"


def _container(
    world: World, pod: Obj, record: records.Record, spec: Mapping[str, Json], init: bool, over: bool
) -> Status:
    known = records.container(record, spec["name"])
    state, last = _state(pod, known, init, over)
    status: Status = {}
    if known["id"]:
        status["containerID"] = f"containerd://{known['id']}"
    created = bool(known["state"])
    running = "running" in state
    init = init and spec.get("restartPolicy") != "Always"
    status |= {
        "image": images.canonical(known["image"]) if created else spec["image"],
        "imageID": images.image_id(known["image"], find_image(world, known["image"])) if created else "",
        "lastState": last,
        "name": spec["name"],
        "ready": _ready(known, state, init),
        "restartCount": known["restarts"],
        "started": running and bool(known["up"] or init),
        "state": state,
    }
    if mounts := [_mount(m) for m in spec.get("volumeMounts") or ()]:
        status["volumeMounts"] = mounts
    return status


def _ready(known: records.Record, state: Mapping[str, Json], init: bool) -> bool:
    if init:
        return "terminated" in state and state["terminated"]["exitCode"] == 0
    return "running" in state and bool(known["up"] and known["ready"])


def _mount(mount: Mapping[str, Json]) -> Status:
    shown: Status = {"mountPath": mount["mountPath"], "name": mount["name"]}
    if mount.get("readOnly"):
        shown |= {"readOnly": True, "recursiveReadOnly": "Disabled"}
    return shown


def _state(pod: Obj, known: records.Record, init: bool, over: bool) -> tuple[Status, Status]:
    """(state, lastState): what could not be started lately is waiting, with the exit moved to lastState."""
    last = {"terminated": known["last"]} if known["last"] else {}
    if known["state"] == "running":
        return {"running": {"startedAt": iso(known["started"])}}, last
    if known["state"] == "exited":
        ended = {"terminated": terminated(known)}
        if known["why"] and restartable(pod, known, init):
            return {"waiting": _waiting(*known["why"])}, ended
        return ended, last
    if over:
        return {"terminated": LOST}, last
    if known["why"]:
        return {"waiting": _waiting(*known["why"])}, last
    initializing = bool(pod["spec"].get("initContainers"))
    return {"waiting": {"reason": "PodInitializing" if initializing else "ContainerCreating"}}, last


LOST: Status = {
    "exitCode": 137,
    "finishedAt": None,
    "message": "The container could not be located when the pod was terminated",
    "reason": "ContainerStatusUnknown",
    "startedAt": None,
}


def _waiting(reason: str, message: str) -> Status:
    return {"message": message, "reason": reason} if message else {"reason": reason}


def terminated(known: records.Record) -> Status:
    """The terminated state of a container that has exited."""
    ended: Status = {"containerID": f"containerd://{known['id']}", "exitCode": known["code"]}
    ended["finishedAt"] = iso(known["ended"])
    if known["message"]:
        ended["message"] = known["message"]
    return ended | {"reason": known["reason"], "startedAt": iso(known["started"])}


def _conditions(
    world: World,
    pod: Obj,
    record: records.Record,
    phase_: str,
    inits: Sequence[Status],
    mains: Sequence[Status],
    over: bool,
) -> list[Status]:
    ended = ENDED.get(phase_, "")
    sidecars = sidecar_names(pod)
    incomplete = [s["name"] for s in inits if not (s["started"] if s["name"] in sidecars else s["ready"])]
    initialized: tuple[bool, str, str] = (True, "", "")
    begun = any("waiting" not in s["state"] or s["lastState"] for s in mains)
    if incomplete and phase_ != "Succeeded" and not begun:
        text = f"containers with incomplete status: [{' '.join(incomplete)}]"
        initialized = (False, "ContainersNotInitialized", text)
    elif phase_ == "Succeeded":
        initialized = (True, "PodCompleted", "")
    unready = [s["name"] for s in (*inits, *mains) if not s["ready"] and (s["name"] in sidecars or s in mains)]
    ready: tuple[bool, str, str] = (not unready, "", "")
    if ended:
        ready = (False, ended, "")
    elif unready:
        ready = (False, "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]")
    sandboxed = bool(record["sandbox"]) and not over
    running = any("running" in s["state"] for s in (*inits, *mains))
    sandboxed = sandboxed and not (ended and not running and not record["ending"] and not pods_of.terminating(pod))
    facts = {
        "PodReadyToStartContainers": (sandboxed, "", ""),
        "Initialized": initialized,
        "Ready": ready,
        "ContainersReady": ready,
        "PodScheduled": (True, "", ""),
    }
    before = get(pod, "status", "conditions", default=[])
    conditions = [_condition(world, before, type_, *fact) for type_, fact in facts.items()]
    return conditions + [dict(c) for c in before if c["type"] not in facts]


def _condition(world: World, before: Sequence[Status], type_: str, true: bool, reason: str, message: str) -> Status:
    old, text = condition(before, type_), "True" if true else "False"
    since = old["lastTransitionTime"] if old and old["status"] == text else world.timestamp
    found: Status = {"lastProbeTime": None, "lastTransitionTime": since}
    if message:
        found["message"] = message
    if reason:
        found["reason"] = reason
    return found | {"status": text, "type": type_}


def of(world: World, pod: Obj) -> records.Record | None:
    """The kubelet's record of a pod, for those who need more than its status."""
    record = records.find(world, uid_of(pod))
    return record if record is not None and record["key"] == key_of(pod) else None
