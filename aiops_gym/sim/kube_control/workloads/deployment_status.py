"""A Deployment's status: counts and the conditions Available, Progressing and ReplicaFailure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, since, uid_of
from aiops_gym.sim.kernel.times import SECOND, iso, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.writes import compact, find_condition, put_status, without_condition

RESOURCE = "deployments.apps"
NEVER = 2**31 - 1
"""A progress deadline of MaxInt32 means none (`HasProgressDeadline`)."""

DONE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"

Condition = Mapping[str, Any]


def sum_replicas(sets: Sequence[Obj], part: str, name: str) -> int:
    """Sum of a number over sets: `spec replicas`, `status availableReplicas`."""
    return sum(int((rs.get(part) or {}).get(name) or 0) for rs in sets)


def make(world: World, type_: str, status: str, reason: str, message: str) -> dict[str, Any]:
    """A condition that changes now."""
    now = world.timestamp
    return {
        "lastTransitionTime": now,
        "lastUpdateTime": now,
        "message": message,
        "reason": reason,
        "status": status,
        "type": type_,
    }


def merge(conditions: Sequence[Condition], new: dict[str, Any]) -> list[Condition]:
    """Set a condition: unchanged status and reason leave it, an unchanged status keeps its transition time."""
    old = find_condition(conditions, new["type"])
    if old and old["status"] == new["status"] and old.get("reason") == new["reason"]:
        return list(conditions)
    if old and old["status"] == new["status"]:
        new = {**new, "lastTransitionTime": since(old, new["lastTransitionTime"])}
    return [*without_condition(conditions, new["type"]), new]


def remember(world: World, deployment: Obj, status: str, reason: str, message: str) -> None:
    """Write a Progressing condition at once, unless there is no progress deadline."""
    present = world.store.by_key(RESOURCE, key_of(deployment))
    if present is None or not _deadline(present):
        return
    conditions = get(present, "status", "conditions", default=[])
    merged = merge(conditions, make(world, "Progressing", status, reason, message))
    put_status(world, RESOURCE, present, {**get(present, "status", default={}), "conditions": merged})


def publish(
    world: World, deployment: Obj, new: Obj | None, old: Sequence[Obj], unavailable: int, rolling: bool
) -> None:
    """Write counts and conditions.

    Args:
        unavailable: how many replicas may be missing.
        rolling: whether progress is judged now; not for a paused Deployment, nor while it is only scaled.
    """
    present = world.store.by_key(RESOURCE, key_of(deployment))
    if present is None:
        return
    sets = [*old, new] if new is not None else list(old)
    before = get(present, "status", default={})
    counts = _counts(present, new, sets)
    conditions: Sequence[Condition] = before.get("conditions", [])
    conditions = merge(conditions, _availability(world, present, counts, unavailable))
    if rolling:
        conditions = _judge(world, present, new, before, counts, conditions)
        conditions = _failures(world, new, old, conditions)
    carried = {"collisionCount": before.get("collisionCount")}
    status = compact({**counts, **carried, "conditions": conditions})
    put_status(world, RESOURCE, present, status)
    _watch(world, present, conditions)


def is_complete(deployment: Obj) -> bool:
    """Whether all replicas are of the new template and available."""
    return _complete(deployment, get(deployment, "status", default={}))


def _complete(deployment: Obj, counts: Mapping[str, Any]) -> bool:
    wanted = int(get(deployment, "spec", "replicas", default=1))
    return all(counts.get(f, 0) == wanted for f in ("updatedReplicas", "replicas", "availableReplicas")) and counts.get(
        "observedGeneration", 0
    ) >= get(deployment, "metadata", "generation", default=0)


def _deadline(deployment: Obj) -> int:
    """Progress deadline in seconds, 0 for none."""
    seconds = int(get(deployment, "spec", "progressDeadlineSeconds", default=600))
    return 0 if seconds >= NEVER else seconds


def _counts(deployment: Obj, new: Obj | None, sets: Sequence[Obj]) -> dict[str, Any]:
    able = ready = there = wanted = 0
    for rs in sets:
        spec, status = rs.get("spec") or {}, rs.get("status") or {}
        wanted += int(spec.get("replicas") or 0)
        there += int(status.get("replicas") or 0)
        ready += int(status.get("readyReplicas") or 0)
        able += int(status.get("availableReplicas") or 0)
    return {
        "availableReplicas": able,
        "conditions": [],
        "observedGeneration": get(deployment, "metadata", "generation", default=0),
        "readyReplicas": ready,
        "replicas": there,
        "unavailableReplicas": max(0, wanted - able),
        "updatedReplicas": sum_replicas([new] if new is not None else [], "status", "replicas"),
    }


def _availability(world: World, deployment: Obj, counts: Mapping[str, Any], unavailable: int) -> dict[str, Any]:
    if counts["availableReplicas"] >= int(get(deployment, "spec", "replicas", default=1)) - unavailable:
        text = "Deployment has minimum availability."
        return make(world, "Available", "True", "MinimumReplicasAvailable", text)
    text = "Deployment does not have minimum availability."
    return make(world, "Available", "False", "MinimumReplicasUnavailable", text)


def _judge(
    world: World,
    deployment: Obj,
    new: Obj | None,
    before: Mapping[str, Any],
    counts: Mapping[str, Any],
    conditions: Sequence[Condition],
) -> Sequence[Condition]:
    """The Progressing condition after `syncRolloutStatus`."""
    if not _deadline(deployment):
        return without_condition(conditions, "Progressing")
    current = find_condition(conditions, "Progressing")
    if current and current.get("reason") == DONE and counts["replicas"] == counts["updatedReplicas"]:
        return conditions
    subject = f'ReplicaSet "{name_of(new)}"' if new is not None else f'Deployment "{name_of(deployment)}"'
    if _complete(deployment, counts):
        return merge(conditions, make(world, "Progressing", "True", DONE, f"{subject} has successfully progressed."))
    if _moved(before, counts):
        moving = make(world, "Progressing", "True", "ReplicaSetUpdated", f"{subject} is progressing.")
        if current and current["status"] == "True":
            moving["lastTransitionTime"] = since(current, world.timestamp)
        return [*without_condition(conditions, "Progressing"), moving]
    if current and _late(world, deployment, current):
        return merge(
            conditions, make(world, "Progressing", "False", TIMED_OUT, f"{subject} has timed out progressing.")
        )
    return conditions


def _moved(before: Mapping[str, Any], counts: Mapping[str, Any]) -> bool:
    def old(status: Mapping[str, Any]) -> int:
        return int(status.get("replicas", 0)) - int(status.get("updatedReplicas", 0))

    more = any(counts[f] > before.get(f, 0) for f in ("updatedReplicas", "readyReplicas", "availableReplicas"))
    return more or old(counts) < old(before)


def _late(world: World, deployment: Obj, current: Condition) -> bool:
    reason = current.get("reason", "")
    if reason in (DONE, "DeploymentPaused"):
        return False
    return bool(reason == TIMED_OUT or _renewed(deployment, current) + _deadline(deployment) * SECOND < world.now)


def _renewed(deployment: Obj, current: Condition) -> int:
    """When (ms) a condition was written last; one that does not say so is as old as its Deployment."""
    return millis(current.get("lastUpdateTime") or deployment["metadata"]["creationTimestamp"])


def _failures(world: World, new: Obj | None, old: Sequence[Obj], conditions: Sequence[Condition]) -> list[Condition]:
    """Carry the new set's (else an old set's) ReplicaFailure over to the Deployment."""
    for rs in ([new] if new is not None else []) + list(old):
        found = find_condition(get(rs, "status", "conditions", default=[]), "ReplicaFailure")
        if found and found["status"] == "True":
            copied = make(world, "ReplicaFailure", "True", found.get("reason", ""), found.get("message", ""))
            return merge(conditions, {**copied, "lastTransitionTime": since(found, copied["lastTransitionTime"])})
    return without_condition(conditions, "ReplicaFailure")


def _watch(world: World, deployment: Obj, conditions: Sequence[Condition]) -> None:
    """Look again when the deadline has passed; one entry for each time the condition was renewed."""
    current, seconds, uid = find_condition(conditions, "Progressing"), _deadline(deployment), uid_of(deployment)
    table = world.table("deadlines")
    if not seconds or current is None or current.get("reason") in (DONE, TIMED_OUT, "DeploymentPaused"):
        table.pop(uid, None)
        return
    renewed = _renewed(deployment, current)
    written = iso(renewed)
    if table.get(uid) != written:
        table[uid] = written
        due = renewed + (seconds + 1) * SECOND
        world.schedule(due - world.now, "deployment.deadline", key_of(deployment), uid, written)
