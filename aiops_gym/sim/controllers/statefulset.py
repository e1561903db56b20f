"""StatefulSets: numbered pods that come and go one by one, each with claims of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim import api, events
from aiops_gym.sim.controllers import making
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import compact, put_status
from aiops_gym.sim.objects import Obj, controller_of, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.world import Handler, World

RESOURCE = "statefulsets.apps"
COMPONENT = "statefulset-controller"
REVISION = "controller-revision-hash"


class StatefulSetController:
    """Creates the lowest missing pod once those below are ready, and deletes the highest surplus one."""

    name = "statefulset"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The set, or the set of a pod."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"]):
                yield key_of(obj)
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "StatefulSet":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """One step, then the counts."""
        ss = world.store.by_key(RESOURCE, key)
        if ss is None or pods_of.terminating(ss):
            return
        _step(world, ss, {_ordinal(pod): pod for pod in pods_of.claimed(world, ss)})
        _publish(world, ss, pods_of.claimed(world, ss))


def _ordinal(pod: Obj) -> int:
    last = name_of(pod).rpartition("-")[2]
    return int(last) if last.isdigit() else -1


def _step(world: World, ss: Obj, there: dict[int, Obj]) -> None:
    parallel = ss["spec"].get("podManagementPolicy") == "Parallel"
    replicas = int(get(ss, "spec", "replicas", default=1))
    for number in range(replicas):
        pod = there.get(number)
        if pod is None:
            if not _create(world, ss, number) or not parallel:
                return
        elif pods_of.finished(pod) and not pods_of.terminating(pod):
            _delete(world, ss, pod)
            return
        elif not parallel and (pods_of.terminating(pod) or not pods_of.is_ready(pod)):
            return
    for number in sorted((n for n in there if n >= replicas), reverse=True):
        if not pods_of.terminating(there[number]):
            _delete(world, ss, there[number])
        if not parallel:
            return
    _roll(world, ss, there, replicas)


def _rolls(ss: Obj) -> bool:
    return bool(get(ss, "spec", "updateStrategy", "type", default="RollingUpdate") == "RollingUpdate")


def _roll(world: World, ss: Obj, there: dict[int, Obj], replicas: int) -> None:
    """Replace the highest pod of an older template, once those above it are ready."""
    if not _rolls(ss):
        return
    partition = int(get(ss, "spec", "updateStrategy", "rollingUpdate", "partition", default=0))
    for number in range(replicas - 1, partition - 1, -1):
        pod = there.get(number)
        if pod is None or pods_of.terminating(pod):
            return
        if labels_of(pod).get(REVISION) != _revision(ss):
            _delete(world, ss, pod)
            return
        if not pods_of.is_ready(pod):
            return


def _revision(ss: Obj) -> str:
    return f"{name_of(ss)}-{making.revision(ss)}"


def _create(world: World, ss: Obj, number: int) -> bool:
    name = f"{name_of(ss)}-{number}"
    labels = {
        "apps.kubernetes.io/pod-index": str(number),
        REVISION: _revision(ss),
        "statefulset.kubernetes.io/pod-name": name,
    }
    pod = making.pod_from(ss, ss["spec"]["template"], labels, name)
    pod["spec"] |= {"hostname": name, "subdomain": ss["spec"].get("serviceName", "")}
    try:
        pod["spec"]["volumes"] = [*_claims(world, ss, name), *(pod["spec"].get("volumes") or [])]
        api.create(world, "pods", pod)
    except api.ApiError as error:
        text = f"create Pod {name} in StatefulSet {name_of(ss)} failed error: {error.message}"
        events.record(world, ss, "Warning", "FailedCreate", text, COMPONENT)
        making.retry(world, ss, "statefulset")
        return False
    world.table("retries").pop(uid_of(ss), None)
    text = f"create Pod {name} in StatefulSet {name_of(ss)} successful"
    events.record(world, ss, "Normal", "SuccessfulCreate", text, COMPONENT)
    return True


def _claims(world: World, ss: Obj, pod: str) -> list[dict[str, Any]]:
    """Make the pod's claims if they are missing; the volumes that use them."""
    volumes = []
    for template in ss["spec"].get("volumeClaimTemplates") or ():
        short = template["metadata"]["name"]
        claim = f"{short}-{pod}"
        volumes.append({"name": short, "persistentVolumeClaim": {"claimName": claim}})
        if world.store.get("persistentvolumeclaims", namespace_of(ss), claim) is not None:
            continue
        labels = {**labels_of(template), **(get(ss, "spec", "selector", "matchLabels", default={}))}
        meta = {"name": claim, "namespace": namespace_of(ss), "labels": labels}
        body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": template["spec"]}
        api.create(world, "persistentvolumeclaims", body)
        text = f"create Claim {claim} Pod {pod} in StatefulSet {name_of(ss)} success"
        events.record(world, ss, "Normal", "SuccessfulCreate", text, COMPONENT)
    return volumes


def _delete(world: World, ss: Obj, pod: Obj) -> None:
    api.delete(world, "pods", namespace_of(pod), name_of(pod))
    text = f"delete Pod {name_of(pod)} in StatefulSet {name_of(ss)} successful"
    events.record(world, ss, "Normal", "SuccessfulDelete", text, COMPONENT)


def _publish(world: World, ss: Obj, pods: list[Obj]) -> None:
    update = _revision(ss)
    replicas = int(get(ss, "spec", "replicas", default=1))
    updated = [pod for pod in pods if labels_of(pod).get(REVISION) == update and not pods_of.terminating(pod)]
    ready = sum(1 for pod in pods if pods_of.is_ready(pod))
    before = get(ss, "status", "currentRevision", default=update)
    done = len(updated) == replicas and ready == replicas
    current = update if done else before
    status = {
        "availableReplicas": ready,
        "collisionCount": 0,
        "currentReplicas": sum(1 for pod in pods if labels_of(pod).get(REVISION) == current),
        "currentRevision": current,
        "observedGeneration": get(ss, "metadata", "generation", default=1),
        "readyReplicas": ready,
        "replicas": len(pods),
        "updateRevision": update,
        "updatedReplicas": len(updated),
    }
    put_status(world, RESOURCE, ss, compact(status, keep=("replicas", "collisionCount", "availableReplicas")))


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a set that could not create a pod."""
    ss = world.store.by_key(RESOURCE, key)
    if ss is not None and uid_of(ss) == uid:
        world.enqueue("statefulset", key, 0)


controller = StatefulSetController()
HANDLERS: dict[str, Handler] = {"statefulset.retry": retry}
