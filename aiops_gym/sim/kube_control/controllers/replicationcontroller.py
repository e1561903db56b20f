"""ReplicationControllers: the older kind of ReplicaSet, with a plain selector."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, labels_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers import replicaset
from aiops_gym.sim.kube_control.workloads import pod_control
from aiops_gym.sim.kube_control.writes import compact, put_status

RESOURCE = "replicationcontrollers"
COMPONENT = "replication-controller"


class ReplicationController:
    """Creates and deletes pods until their number is right, and counts them."""

    name = "replicationcontroller"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The controller itself, or that of a pod."""
        obj = new if new is not None else old
        if obj is None or not world.tables.get(f"objects/{RESOURCE}"):
            return
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"] or pod_control.is_failing(world, new)):
                yield key_of(obj)
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "ReplicationController":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """Create or delete pods, then publish the counts."""
        rc = world.store.by_key(RESOURCE, key)
        if rc is None or pods_of.is_terminating(rc):
            return
        mine = _mine(world, rc)
        missing = int(get(rc, "spec", "replicas", default=1)) - len(mine)
        pods = repeat(pod_control.build_pod(rc, rc["spec"]["template"], {}), max(0, missing))
        if pod_control.make_all(world, rc, pods, COMPONENT)[1]:
            pod_control.retry(world, rc, "replicationcontroller")
        else:
            pod_control.note_success(world, rc)
        replicaset.shrink(world, rc, mine, -missing, COMPONENT)
        mine = _mine(world, rc)
        ready = sum(1 for pod in mine if pods_of.is_ready(pod))
        labels = get(rc, "spec", "template", "metadata", "labels", default={})
        status = {
            "availableReplicas": ready,
            "fullyLabeledReplicas": sum(1 for pod in mine if labels.items() <= labels_of(pod).items()),
            "observedGeneration": get(rc, "metadata", "generation", default=0),
            "readyReplicas": ready,
            "replicas": len(mine),
        }
        put_status(world, RESOURCE, rc, compact(status, keep=("replicas",)))


def _mine(world: World, rc: Obj) -> list[Obj]:
    """Its pods that count; matching orphans are adopted."""
    mine = [pod for pod in world.store.owned("pods", uid_of(rc)) if pods_of.is_active(pod)]
    for pod in world.store.labelled("pods", namespace_of(rc), get(rc, "spec", "selector", default={})):
        if controller_of(pod) is None and pods_of.is_active(pod):
            mine.append(pods_of.adopt(world, "pods", pod, rc))
    return mine


def retry(world: World, key: str, uid: str) -> None:
    """Look again at one that could not create its pods."""
    pod_control.look_again(world, RESOURCE, "replicationcontroller", key, uid)


controller = ReplicationController()
HANDLERS: dict[str, Handler] = {"replicationcontroller.retry": retry}
