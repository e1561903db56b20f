"""ReplicaSets: as many pods as asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim.controllers import making
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import compact, put_status, without_condition
from aiops_gym.sim.objects import Obj, controller_of, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.times import SECOND, millis
from aiops_gym.sim.world import Handler, World

RESOURCE = "replicasets.apps"
COMPONENT = "replicaset-controller"


class ReplicaSetController:
    """Creates and deletes pods until their number is right, and counts them."""

    name = "replicaset"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The set itself, or the set that controls (or could adopt) a pod."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"]):
                yield key_of(obj)
            return
        reference = controller_of(obj)
        if reference is not None and reference["kind"] == "ReplicaSet":
            yield f"{namespace_of(obj)}/{reference['name']}"
        elif reference is None and (old is None or new is None or labels_of(old) != labels_of(new)):
            for candidate in world.store.all(RESOURCE, namespace_of(obj)):
                if pods_of.matches(candidate["spec"].get("selector"), labels_of(obj)):
                    yield key_of(candidate)

    def reconcile(self, world: World, key: str) -> None:
        """Create or delete pods, then publish the counts."""
        rs = world.store.by_key(RESOURCE, key)
        if rs is None:
            return
        mine = [pod for pod in pods_of.claimed(world, rs) if pods_of.active(pod)]
        failure = None
        if not pods_of.terminating(rs):
            missing = int(get(rs, "spec", "replicas", default=1)) - len(mine)
            if missing > 0:
                failure = _create(world, rs, missing)
            elif missing < 0:
                shrink(world, rs, mine, -missing, COMPONENT)
            mine = [pod for pod in pods_of.claimed(world, rs) if pods_of.active(pod)]
        _publish(world, world.store.by_key(RESOURCE, key) or rs, mine, failure)


def _create(world: World, rs: Obj, missing: int) -> str | None:
    """Create pods; the reason for which one could not be created, or None."""
    for _ in range(missing):
        made = making.make(world, rs, making.pod_from(rs, rs["spec"]["template"], {}), COMPONENT)
        if isinstance(made, str):
            making.retry(world, rs, "replicaset")
            return made
    return None


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a set that could not create its pods."""
    rs = world.store.by_key(RESOURCE, key)
    if rs is not None and uid_of(rs) == uid:
        world.enqueue("replicaset", key, 0)
    else:
        world.table("retries").pop(uid, None)


def shrink(world: World, owner: Obj, mine: list[Obj], surplus: int, component: str) -> None:
    """Delete so many of an owner's pods, those first that cost the least."""
    for pod in sorted(mine, key=lambda pod: _value(world, pod, mine))[: max(0, surplus)]:
        making.remove(world, owner, pod, component)


def _value(world: World, pod: Obj, mine: list[Obj]) -> tuple[Any, ...]:
    """What deleting the pod would cost; the cheapest goes first (`ActivePodsWithRanks`)."""
    node = get(pod, "spec", "nodeName", default="")
    since = pods_of.ready_since(pod)
    beside = sum(1 for other in mine if pods_of.is_ready(other) and get(other, "spec", "nodeName", default="") == node)
    deletion_cost = get(pod, "metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost", default="0")
    return (
        bool(node),
        ("Pending", "Unknown", "Running").index(pods_of.phase(pod)),
        since is not None,
        int(deletion_cost) if str(deletion_cost).lstrip("-").isdigit() else 0,
        -beside,
        -(since or 0),
        -pods_of.restarts(pod),
        -millis(pod["metadata"]["creationTimestamp"]),
        name_of(pod),
    )


def _publish(world: World, rs: Obj, mine: list[Obj], failure: str | None) -> None:
    wait = int(get(rs, "spec", "minReadySeconds", default=0))
    labels = get(rs, "spec", "template", "metadata", "labels", default={})
    ready = [pod for pod in mine if pods_of.is_ready(pod)]
    able = [pod for pod in ready if pods_of.available(pod, wait, world.now)]
    conditions = without_condition(get(rs, "status", "conditions", default=[]), "ReplicaFailure")
    if failure:
        conditions.append(_failure(world, rs, failure))
    status = {
        "availableReplicas": len(able),
        "conditions": conditions,
        "fullyLabeledReplicas": sum(1 for pod in mine if labels.items() <= labels_of(pod).items()),
        "observedGeneration": get(rs, "metadata", "generation", default=0),
        "readyReplicas": len(ready),
        "replicas": len(mine),
    }
    put_status(world, RESOURCE, rs, compact(status, keep=("replicas",)))
    if len(able) < len(ready):
        world.schedule(wait * SECOND, "replicaset.retry", key_of(rs), uid_of(rs))


def _failure(world: World, rs: Obj, message: str) -> dict[str, Any]:
    old = [c for c in get(rs, "status", "conditions", default=[]) if c["type"] == "ReplicaFailure"]
    return {
        "lastTransitionTime": old[0]["lastTransitionTime"] if old else world.timestamp,
        "message": message,
        "reason": "FailedCreate",
        "status": "True",
        "type": "ReplicaFailure",
    }


controller = ReplicaSetController()
HANDLERS: dict[str, Handler] = {"replicaset.retry": retry}
