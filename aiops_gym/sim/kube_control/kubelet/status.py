"""A pod's status, as its kubelet writes it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj, get, key_of, uid_of
from aiops_gym.sim.kernel.tables import ContainerRecord, PodRecord
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.kubelet import conditions
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.kube_control.writes import find_condition, put_status
from aiops_gym.sim.machine.images import find_shown_name, identify
from aiops_gym.types import Json

Status = dict[str, Json]


def publish(world: World, uid: str, over: bool = False, lost: bool = False) -> Obj | None:
    """Write the pod's status as it is now.

    Args:
        over: its containers have ended for good; until then a phase that says so is held back, but not its conditions.
        lost: nothing of it is left on the node: what did not end by then counts as failed.
    """
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None:
        return None
    before: Mapping[str, Json] = get(pod, "status", default={})
    inits = [_container(world, pod, record, c, True) for c in pod["spec"].get("initContainers") or ()]
    mains = [_container(world, pod, record, c, False) for c in pod["spec"]["containers"]]
    if lost:
        _give_up(inits, mains)
    status: Status = _judged(world, pod, record, inits, mains, over, lost)
    status["containerStatuses"] = sorted(mains, key=lambda s: str(s["name"]))
    host = find_host_ip(world, record["node"])
    if host:
        status |= {"hostIP": host, "hostIPs": [{"ip": host}]}
    if inits:
        status["initContainerStatuses"] = inits
    if joined := pod["spec"].get("ephemeralContainers"):
        status["ephemeralContainerStatuses"] = [_joined(world, pod, record, each) for each in joined]
    if record["ip"]:
        status |= {"podIP": record["ip"], "podIPs": [{"ip": record["ip"]}]}
    status["qosClass"] = before.get("qosClass") or compute_qos_class(pod)
    status["startTime"] = before.get("startTime") or iso(record["since"])
    if before.get("nominatedNodeName"):
        status["nominatedNodeName"] = before["nominatedNodeName"]
    changed = put_status(world, "pods", pod, status)
    if pods_of.is_ready(changed) != pods_of.is_ready(pod):
        world.touch()
    return changed


def _judged(
    world: World, pod: Obj, record: PodRecord, inits: list[Status], mains: list[Status], over: bool, lost: bool
) -> Status:
    """Phase, reason, message and conditions."""
    before: Mapping[str, Json] = get(pod, "status", default={})
    kept: Status = {k: before[k] for k in ("reason", "message") if before.get(k)}
    old, conditions_ = str(before.get("phase") or "Pending"), before.get("conditions") or []
    if lost:
        return {**kept, "conditions": conditions_, "phase": old if old in conditions.ENDED else "Failed"}
    sidecars, ending = sidecar_names(pod), record["ending"] or {}
    phase = conditions.compute_phase(pod["spec"].get("restartPolicy", "Always"), sidecars, inits, mains, over)
    if ending.get("reason") and (over or ending["reason"] == "DeadlineExceeded"):
        phase = "Failed"
    if over:
        kept |= {k: v for k, v in ending.items() if v}
    sandboxed = bool(record["sandbox"]) and not over
    found = conditions.compute_conditions(world, pod, phase, sidecars, inits, mains, sandboxed)
    return {**kept, "conditions": found, "phase": old if phase in conditions.ENDED and not over else phase}


def _give_up(inits: list[Status], mains: list[Status]) -> None:
    """Count as failed what has not ended (`TerminatePod`); what never had a chance to start stays waiting."""
    tried = [i for i, s in enumerate(inits) if "waiting" not in s["state"] or s["lastState"]]
    ready = bool(inits) and get(inits[-1], "state", "terminated", "exitCode") == 0
    begun = not inits or ready or any("waiting" not in s["state"] or s["lastState"] for s in mains)
    for status in [*inits[: tried[-1] + 1 if tried else 1], *(mains if begun else ())]:
        if "terminated" not in status["state"]:
            status["state"] = {"terminated": LOST}


def is_settled(pod: Obj) -> bool:
    """Whether a pod's containers have ended for good, though its phase may not say so yet."""
    found = find_condition(get(pod, "status", "conditions", default=()), "ContainersReady")
    return found is not None and found.get("reason") in conditions.ENDED.values()


def find_host_ip(world: World, node: str) -> str:
    """InternalIP of a node."""
    obj = world.store.get("nodes", "", node)
    for address in get(obj or {}, "status", "addresses", default=()):
        if address["type"] == "InternalIP":
            return str(address["address"])
    return ""


def compute_qos_class(pod: Obj) -> str:
    """QoS class, from requests and limits of cpu and memory."""
    containers = [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]
    asked = [_amounts(c, "requests") for c in containers]
    given = [_amounts(c, "limits") for c in containers]
    if not any(asked) and not any(given):
        return "BestEffort"
    limited = all(len(limits) == len(COUNTED) for limits in given)
    total = [{name: sum(each.get(name, 0) for each in some) for name in COUNTED} for some in (asked, given)]
    return "Guaranteed" if limited and total[0] == total[1] else "Burstable"


COUNTED = ("cpu", "memory")
"""Resources that decide the QoS class."""


def _amounts(container: Mapping[str, Json], side: str) -> dict[str, Decimal]:
    """Requests or limits of a container that count: those that are more than nothing, however they are written."""
    told = get(container, "resources", side, default={})
    found = {name: quantity.parse(str(told[name])) for name in COUNTED if name in told}
    return {name: amount for name, amount in found.items() if amount > 0}


def sidecar_names(pod: Obj) -> frozenset[str]:
    """Init containers that run as long as the pod."""
    inits = pod["spec"].get("initContainers") or ()
    return frozenset(c["name"] for c in inits if c.get("restartPolicy") == "Always")


def should_restart(pod: Obj, known: ContainerRecord, init: bool = False) -> bool:
    """Whether a container that does not run shall be started (again)."""
    policy = pod["spec"].get("restartPolicy", "Always")
    if pods_of.is_terminating(pod) or known["state"] == "running":
        return False
    if known["state"] == "":
        return True
    if init and known["code"] == 0:
        return False
    return (policy == "Always" and not init) or (policy != "Never" and known["code"] != 0)


def _container(world: World, pod: Obj, record: PodRecord, spec: Mapping[str, Json], init: bool) -> Status:
    known = records.find_container(record, spec["name"])
    state, last = _state(pod, known, init)
    status: Status = {}
    if known["id"]:
        status["containerID"] = f"containerd://{known['id']}"
    created = bool(known["state"])
    running = "running" in state
    init = init and spec.get("restartPolicy") != "Always"
    status |= {
        "image": find_shown_name(world, record["node"], known["image"]) if created else spec["image"],
        "imageID": identify(world, known["image"]) if created else "",
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


def _joined(world: World, pod: Obj, record: PodRecord, spec: Mapping[str, Json]) -> Status:
    """An ephemeral container's: it is never ready, and nothing waits for it."""
    status = _container(world, pod, record, spec, False)
    return {k: v for k, v in status.items() if k != "started"} | {"ready": False}


def _ready(known: ContainerRecord, state: Mapping[str, Json], init: bool) -> bool:
    if init:
        return "terminated" in state and state["terminated"]["exitCode"] == 0
    return "running" in state and bool(known["up"] and known["ready"])


def _mount(mount: Mapping[str, Json]) -> Status:
    shown: Status = {"mountPath": mount["mountPath"], "name": mount["name"]}
    if mount.get("readOnly"):
        shown |= {"readOnly": True, "recursiveReadOnly": "Disabled"}
    return shown


def _state(pod: Obj, known: ContainerRecord, init: bool) -> tuple[Status, Status]:
    """(state, lastState): what could not be started lately is waiting, with the exit moved to lastState."""
    last = {"terminated": known["last"]} if known["last"] else {}
    if known["state"] == "running":
        return {"running": {"startedAt": iso(known["started"])}}, last
    if known["state"] == "exited":
        ended = {"terminated": make_terminated_state(known)}
        if known["why"] and should_restart(pod, known, init):
            return {"waiting": _waiting(*known["why"])}, ended
        return ended, last
    if known["why"] and not pods_of.is_terminating(pod):
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


def make_terminated_state(known: ContainerRecord) -> Status:
    """The terminated state of a container that has exited."""
    ended: Status = {"containerID": f"containerd://{known['id']}", "exitCode": known["code"]}
    ended["finishedAt"] = iso(known["ended"])
    if known["message"]:
        ended["message"] = known["message"]
    return ended | {"reason": known["reason"], "startedAt": iso(known["started"])}


def of(world: World, pod: Obj) -> PodRecord | None:
    """The kubelet's record of a pod, for those who need more than its status."""
    record = records.find(world, uid_of(pod))
    return record if record is not None and record["key"] == key_of(pod) else None
