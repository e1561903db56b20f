"""ReplicaSets: as many pods as asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

from aiops_gym.sim.kernel.digits import integer
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, labels_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import pod_control
from aiops_gym.sim.kube_control.writes import compact, find_condition, put_status, without_condition

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
            if new is not None and (old is None or old["spec"] != new["spec"] or pod_control.is_failing(world, new)):
                yield key_of(obj)
            return
        reference = controller_of(obj)
        if reference is not None and reference["kind"] == "ReplicaSet":
            yield f"{namespace_of(obj)}/{reference['name']}"
        elif reference is None and (old is None or new is None or labels_of(old) != labels_of(new)):
            for candidate in world.store.all(RESOURCE, namespace_of(obj)):
                if matches(candidate["spec"].get("selector"), labels_of(obj)):
                    yield key_of(candidate)

    def reconcile(self, world: World, key: str) -> None:
        """Create or delete pods, then publish the counts."""
        rs = world.store.by_key(RESOURCE, key)
        if rs is None:
            return
        mine = [pod for pod in pods_of.claim_pods(world, rs) if pods_of.is_active(pod)]
        failure = ""
        if not pods_of.is_terminating(rs):
            missing = int(get(rs, "spec", "replicas", default=1)) - len(mine)
            if missing > 0:
                template = pod_control.build_pod(rs, rs["spec"]["template"], {})
                failure = pod_control.make_all(world, rs, repeat(template, missing), COMPONENT)[1]
            elif missing < 0:
                shrink(world, rs, mine, -missing, COMPONENT)
            if missing:
                mine = [pod for pod in pods_of.claim_pods(world, rs) if pods_of.is_active(pod)]
        if failure:
            pod_control.retry(world, rs, "replicaset")
        else:
            pod_control.note_success(world, rs)
        _publish(world, world.store.by_key(RESOURCE, key) or rs, mine, failure)


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a set that could not create its pods."""
    pod_control.look_again(world, RESOURCE, "replicaset", key, uid)


def shrink(world: World, owner: Obj, mine: list[Obj], surplus: int, component: str) -> None:
    """Delete so many of an owner's pods, those first that cost the least."""
    if surplus <= 0:
        return
    beside = Counter(get(pod, "spec", "nodeName", default="") for pod in _related(world, owner, mine))
    for pod in sorted(mine, key=lambda pod: rank_for_deletion(world, pod, beside))[:surplus]:
        pod_control.remove(world, owner, pod, component)


def _related(world: World, owner: Obj, mine: list[Obj]) -> Iterable[Obj]:
    """The pods of all sets that have the same controller: those that run close together go first."""
    reference = controller_of(owner)
    if reference is None:
        return mine
    sets = world.store.owned(RESOURCE, reference["uid"])
    return [pod for rs in sets for pod in world.store.owned("pods", uid_of(rs)) if pods_of.is_active(pod)]


PHASES = ("Pending", "Unknown", "Running")


def rank_for_deletion(world: World, pod: Obj, beside: Mapping[str, int]) -> tuple[Any, ...]:
    """What deleting a pod would cost; the cheapest goes first (`ActivePodsWithRanks`).

    Args:
        beside: how many related pods each node has.
    """
    node, phase = get(pod, "spec", "nodeName", default=""), pods_of.phase(pod)
    since = pods_of.ready_since(pod)
    deletion_cost = get(pod, "metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost", default="0")
    return (
        bool(node),
        PHASES.index(phase) if phase in PHASES else 0,
        since is not None,
        integer(deletion_cost) or 0,
        -beside.get(node, 0),
        0 if since is None else _magnitude(world.now - since),
        -pods_of.count_restarts(pod),
        _magnitude(world.now - millis(pod["metadata"]["creationTimestamp"])),
        uid_of(pod),
    )


def _magnitude(age: int) -> int:
    """The power of two in an age (ms), by the nanosecond: ages alike in it are taken at random, by uid."""
    return (age * 1_000_000).bit_length() if age > 0 else 0


def _publish(world: World, rs: Obj, mine: list[Obj], failure: str) -> None:
    wait = int(get(rs, "spec", "minReadySeconds", default=0))
    labels = get(rs, "spec", "template", "metadata", "labels", default={})
    ready = [pod for pod in mine if pods_of.is_ready(pod)]
    able = [pod for pod in ready if pods_of.is_available(pod, wait, world.now)]
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


def _failure(world: World, rs: Obj, message: str) -> Mapping[str, Any]:
    """The condition of a set that could not make a pod; it keeps saying what went wrong first."""
    new = {
        "lastTransitionTime": world.timestamp,
        "message": message,
        "reason": "FailedCreate",
        "status": "True",
        "type": "ReplicaFailure",
    }
    return find_condition(get(rs, "status", "conditions", default=[]), "ReplicaFailure") or new


controller = ReplicaSetController()
HANDLERS: dict[str, Handler] = {"replicaset.retry": retry}
