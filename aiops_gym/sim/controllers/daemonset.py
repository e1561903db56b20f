"""DaemonSets: one pod on each node that takes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim.controllers import fit, making
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import put_status
from aiops_gym.sim.objects import Obj, controller_of, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.world import Handler, World

RESOURCE = "daemonsets.apps"
COMPONENT = "daemonset-controller"
TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)


class DaemonSetController:
    """Creates and deletes pods node by node."""

    name = "daemonset"
    watches = (RESOURCE, "pods", "nodes")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The set, the set of a pod, or all sets when a node came, changed or went."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"]):
                yield key_of(obj)
        elif resource == "nodes":
            if old is None or new is None or old.get("spec") != new.get("spec") or labels_of(old) != labels_of(new):
                yield from (key_of(ds) for ds in world.store.all(RESOURCE))
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "DaemonSet":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """A pod for each node that has none, none for others; then the counts."""
        ds = world.store.by_key(RESOURCE, key)
        if ds is None or pods_of.terminating(ds):
            return
        template = _pod(ds, "")
        wanted = [name_of(node) for node in world.store.all("nodes") if fit.admits(template, node)]
        there: dict[str, list[Obj]] = {}
        for pod in pods_of.claimed(world, ds):
            if not pods_of.terminating(pod):
                there.setdefault(_node_of(pod), []).append(pod)
        for node in sorted(there):
            for pod in there[node][0 if node not in wanted else 1 :]:
                making.remove(world, ds, pod, COMPONENT)
            if pods_of.finished(there[node][0]) and node in wanted:
                making.remove(world, ds, there[node][0], COMPONENT)
        failed = [
            node
            for node in wanted
            if node not in there and isinstance(making.make(world, ds, _pod(ds, node), COMPONENT), str)
        ]
        if failed:
            making.retry(world, ds, "daemonset")
        _roll(world, ds, there, wanted)
        _publish(world, ds, wanted)


def _pod(ds: Obj, node: str) -> dict[str, Any]:
    """The pod for a node: it finds its node by affinity and tolerates what would keep others away."""
    labels = {
        "controller-revision-hash": making.revision(ds),
        "pod-template-generation": str(get(ds, "metadata", "generation", default=1)),
    }
    pod = making.pod_from(ds, ds["spec"]["template"], labels)
    rule = {"key": "metadata.name", "operator": "In", "values": [node]}
    required = {"nodeSelectorTerms": [{"matchFields": [rule]}]}
    tolerations = [
        {"effect": effect, "key": f"node.kubernetes.io/{name}", "operator": "Exists"} for name, effect in TOLERATED
    ]
    if node:
        affinity = dict(pod["spec"].get("affinity") or {})
        affinity["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": required}
        pod["spec"]["affinity"] = affinity
    pod["spec"]["tolerations"] = [*(pod["spec"].get("tolerations") or []), *tolerations]
    return pod


def _node_of(pod: Obj) -> str:
    """The node that a pod is on or meant for."""
    bound = get(pod, "spec", "nodeName", default="")
    required = get(
        pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", default={}
    )
    return str(bound or get(required, "nodeSelectorTerms", 0, "matchFields", 0, "values", 0, default=""))


def _roll(world: World, ds: Obj, there: dict[str, list[Obj]], wanted: list[str]) -> None:
    """Replace pods of an older template, as many at a time as may be missing."""
    if get(ds, "spec", "updateStrategy", "type", default="RollingUpdate") != "RollingUpdate":
        return
    limit = get(ds, "spec", "updateStrategy", "rollingUpdate", "maxUnavailable", default=1)
    allowed = max(1, int(str(limit).rstrip("%")) * len(wanted) // 100) if str(limit).endswith("%") else int(limit)
    present = [there[node][0] for node in wanted if node in there]
    missing = len(wanted) - sum(1 for pod in present if pods_of.is_ready(pod))
    for pod in present:
        current = labels_of(pod).get("controller-revision-hash") == making.revision(ds)
        if current or (pods_of.is_ready(pod) and missing >= allowed):
            continue
        if pods_of.is_ready(pod):
            missing += 1
        making.remove(world, ds, pod, COMPONENT)


def _publish(world: World, ds: Obj, wanted: list[str]) -> None:
    pods = [pod for pod in world.store.owned("pods", uid_of(ds)) if not pods_of.terminating(pod)]
    placed = [pod for pod in pods if _node_of(pod) in wanted]
    ready = [pod for pod in placed if pods_of.is_ready(pod)]
    status: dict[str, Any] = {
        "currentNumberScheduled": len(placed),
        "desiredNumberScheduled": len(wanted),
        "numberMisscheduled": len(pods) - len(placed),
        "numberReady": len(ready),
        "observedGeneration": get(ds, "metadata", "generation", default=1),
    }
    fresh = [pod for pod in placed if labels_of(pod).get("controller-revision-hash") == making.revision(ds)]
    extra = {
        "numberAvailable": len(ready),
        "numberUnavailable": len(wanted) - len(ready),
        "updatedNumberScheduled": len(fresh),
    }
    put_status(world, RESOURCE, ds, {**status, **{k: v for k, v in extra.items() if v}})


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a set that could not create a pod."""
    ds = world.store.by_key(RESOURCE, key)
    if ds is not None and uid_of(ds) == uid:
        world.enqueue("daemonset", key, 0)


controller = DaemonSetController()
HANDLERS: dict[str, Handler] = {"daemonset.retry": retry}
