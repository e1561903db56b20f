"""What controllers ask about pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, assoc, controller_of, get, labels_of, namespace_of, since, uid_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.writes import make_owner_reference

Pod = Mapping[str, Any]


def phase(pod: Pod) -> str:
    """`status.phase`, Pending where there is none yet."""
    status = pod.get("status")
    found = status.get("phase") if status else None
    return "Pending" if found is None else str(found)


def is_terminal(pod: Pod) -> bool:
    """Whether all its containers have ended for good."""
    status: Mapping[str, Any] = pod.get("status") or {}
    return status.get("phase") in ("Succeeded", "Failed")


def is_terminating(pod: Pod) -> bool:
    """Whether it is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def is_active(pod: Pod) -> bool:
    """Whether it counts as a replica."""
    return not is_terminal(pod) and not is_terminating(pod)


def ready_since(pod: Pod) -> int | None:
    """Since when (ms) the pod has been ready; None when it is not."""
    status = pod.get("status")
    for found in (status.get("conditions") or ()) if status else ():
        if found["type"] == "Ready":
            return millis(since(found, pod["metadata"]["creationTimestamp"])) if found["status"] == "True" else None
    return None


def is_ready(pod: Pod) -> bool:
    """Whether its Ready condition is True."""
    return ready_since(pod) is not None


def is_available(pod: Pod, min_ready_seconds: int, now: int) -> bool:
    """Whether it has been ready for `min_ready_seconds` at `now` (ms)."""
    since = ready_since(pod)
    return since is not None and (not min_ready_seconds or since + min_ready_seconds * 1000 <= now)


def count_restarts(pod: Pod) -> int:
    """The highest restart count of its containers."""
    statuses = get(pod, "status", "containerStatuses", default=())
    return max((int(status.get("restartCount", 0)) for status in statuses), default=0)


def mark_disrupted(world: World, pod: Obj, reason: str, message: str) -> Obj:
    """Note on a pod why it is going to be deleted."""
    found = {
        "lastProbeTime": None,
        "lastTransitionTime": world.timestamp,
        "message": message,
        "reason": reason,
        "status": "True",
        "type": "DisruptionTarget",
    }
    others = [c for c in get(pod, "status", "conditions", default=()) if c["type"] != "DisruptionTarget"]
    return world.store.put("pods", assoc(pod, ("status", "conditions"), [*others, found]))


def claim_pods(world: World, owner: Obj) -> list[Obj]:
    """The pods that a controller object controls; matching orphans are adopted, those that no longer match released."""
    selector, uid, mine = owner["spec"].get("selector"), uid_of(owner), []
    for pod in world.store.owned("pods", uid):
        reference = controller_of(pod)
        if reference is None or reference["uid"] != uid:
            continue
        if selector is None or matches(selector, labels_of(pod)):
            mine.append(pod)
        elif not is_terminating(owner):
            release(world, "pods", pod, uid)
    if selector is not None and not is_terminating(owner):
        for pod in find_orphans(world, "pods", owner):
            if is_active(pod):
                mine.append(adopt(world, "pods", pod, owner))
    return mine


def find_orphans(world: World, resource: str, owner: Obj) -> list[Obj]:
    """Objects that the owner's selector selects and nobody controls."""
    selector = owner["spec"].get("selector") or {}
    candidates = world.store.uncontrolled(resource, namespace_of(owner))
    if not candidates:
        return []
    return [o for o in candidates if matches(selector, labels_of(o))]


def adopt(world: World, resource: str, obj: Obj, owner: Obj) -> Obj:
    """Make `owner` the controller of an orphan."""
    references = [*obj["metadata"].get("ownerReferences", []), make_owner_reference(owner)]
    return world.store.put(resource, {**obj, "metadata": {**obj["metadata"], "ownerReferences": references}})


def release(world: World, resource: str, obj: Obj, uid: str) -> None:
    """Let go of what its owner's selector does not select."""
    rest = [ref for ref in obj["metadata"]["ownerReferences"] if ref["uid"] != uid]
    meta = {k: v for k, v in obj["metadata"].items() if k != "ownerReferences"}
    world.store.put(resource, {**obj, "metadata": {**meta, "ownerReferences": rest} if rest else meta})
