"""What controllers ask about pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, controller_of, get, labels_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.workloads.writes import owner_reference

Pod = Mapping[str, Any]


def phase(pod: Pod) -> str:
    """`status.phase`, Pending where there is none yet."""
    return str(get(pod, "status", "phase", default="Pending"))


def finished(pod: Pod) -> bool:
    """Whether all its containers have ended for good."""
    return phase(pod) in ("Succeeded", "Failed")


def terminating(pod: Pod) -> bool:
    """Whether it is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def active(pod: Pod) -> bool:
    """Whether it counts as a replica."""
    return not finished(pod) and not terminating(pod)


def ready_since(pod: Pod) -> int | None:
    """Since when (ms) the pod has been ready; None when it is not."""
    for found in get(pod, "status", "conditions", default=()):
        if found["type"] == "Ready":
            return millis(found["lastTransitionTime"]) if found["status"] == "True" else None
    return None


def is_ready(pod: Pod) -> bool:
    """Whether its Ready condition is True."""
    return ready_since(pod) is not None


def available(pod: Pod, min_ready_seconds: int, now: int) -> bool:
    """Whether it has been ready for `min_ready_seconds` at `now` (ms)."""
    since = ready_since(pod)
    return since is not None and (not min_ready_seconds or since + min_ready_seconds * 1000 <= now)


def restarts(pod: Pod) -> int:
    """The highest restart count of its containers."""
    statuses = get(pod, "status", "containerStatuses", default=())
    return max((int(status.get("restartCount", 0)) for status in statuses), default=0)


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector selects these labels; an empty selector selects all, None nothing.

    >>> matches({"matchLabels": {"app": "web"}}, {"app": "web", "tier": "back"})
    True
    >>> matches({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, {"app": "web"})
    False
    """
    if selector is None:
        return False
    if any(labels.get(k) != v for k, v in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_expression(e, labels) for e in selector.get("matchExpressions") or ())


def _expression(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator, values = expression["key"], expression["operator"], expression.get("values") or ()
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return labels.get(key) not in values
    return bool((key in labels) == (operator == "Exists"))


def claimed(world: World, owner: Obj) -> list[Obj]:
    """The pods that a controller object controls; matching orphans are adopted, those that no longer match released."""
    selector, uid, mine = owner["spec"].get("selector"), uid_of(owner), []
    for pod in world.store.owned("pods", uid):
        reference = controller_of(pod)
        if reference is None or reference["uid"] != uid:
            continue
        if selector is None or matches(selector, labels_of(pod)):
            mine.append(pod)
        elif not terminating(owner):
            _release(world, pod, uid)
    if selector is not None and not terminating(owner):
        for pod in orphans(world, "pods", owner):
            if active(pod):
                mine.append(adopt(world, "pods", pod, owner))
    return mine


def orphans(world: World, resource: str, owner: Obj) -> list[Obj]:
    """Objects that the owner's selector selects and nobody controls."""
    selector = owner["spec"].get("selector") or {}
    wanted = selector.get("matchLabels")
    if wanted:
        candidates = world.store.labelled(resource, namespace_of(owner), wanted)
    else:
        candidates = world.store.all(resource, namespace_of(owner))
    return [o for o in candidates if controller_of(o) is None and matches(selector, labels_of(o))]


def adopt(world: World, resource: str, obj: Obj, owner: Obj) -> Obj:
    """Make `owner` the controller of an orphan."""
    references = [*obj["metadata"].get("ownerReferences", []), owner_reference(owner)]
    return world.store.put(resource, {**obj, "metadata": {**obj["metadata"], "ownerReferences": references}})


def _release(world: World, pod: Obj, uid: str) -> None:
    rest = [ref for ref in pod["metadata"]["ownerReferences"] if ref["uid"] != uid]
    meta = {k: v for k, v in pod["metadata"].items() if k != "ownerReferences"}
    world.store.put("pods", {**pod, "metadata": {**meta, "ownerReferences": rest} if rest else meta})
