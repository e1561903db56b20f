"""DaemonSets: one pod on each node that takes it."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import controller_revisions, daemon_pods, pod_control
from aiops_gym.sim.kube_control.workloads.daemon_pods import node_of
from aiops_gym.sim.kube_control.writes import put_status

RESOURCE = "daemonsets.apps"
COMPONENT = "daemonset-controller"
LONGEST_BACK_OFF = 900 * SECOND
"""Between two tries on a node where pods keep failing: the controller's `flowcontrol.NewBackOff(1 s, 15 min)`."""

_TEMPLATE = caches.slot(f"{__name__}.template", "building a set's pod to see whether a node takes it otherwise now")


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
            if new is not None and (old is None or old["spec"] != new["spec"] or pod_control.is_failing(world, new)):
                yield key_of(obj)
        elif resource == "nodes":
            if old is None or new is None or old.get("spec") != new.get("spec") or labels_of(old) != labels_of(new):
                yield from (key_of(ds) for ds in world.store.all(RESOURCE) if _matters(ds, old, new))
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "DaemonSet":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """A pod for each node that has none, none for others; then the counts."""
        ds = world.store.by_key(RESOURCE, key)
        if ds is None or pods_of.is_terminating(ds):
            return
        controller_revisions.remember(world, ds, controller_revisions.HASH)
        _Sync(world, ds).run()


def _matters(ds: Obj, old: Obj | None, new: Obj | None) -> bool:
    """Whether a node takes the set's pods otherwise than before: a cordon, which they all tolerate, does not matter."""
    if old is None or new is None:
        return True
    template = ds.memo.get(_TEMPLATE)
    if template is None:
        template = ds.memo[_TEMPLATE] = daemon_pods.build(ds, "")
    return daemon_pods.check_node(template, old) != daemon_pods.check_node(template, new)


class _Sync:
    """One look at one set."""

    def __init__(self, world: World, ds: Obj) -> None:
        self.world, self.ds = world, ds
        self.revision, self.wait = pod_control.compute_revision(ds), int(get(ds, "spec", "minReadySeconds", default=0))
        template = daemon_pods.build(ds, "")
        verdicts = {name_of(node): daemon_pods.check_node(template, node) for node in world.store.all("nodes")}
        self.wanted = [node for node, (new, _) in verdicts.items() if new]
        self.allowed = [node for node, (_, stays) in verdicts.items() if stays]
        self.there: dict[str, list[Obj]] = {}
        for pod in sorted(pods_of.claim_pods(world, ds), key=_age):
            if not pods_of.is_terminating(pod):
                self.there.setdefault(node_of(pod), []).append(pod)
        self.leaving = {node_of(pod) for pod in world.store.owned("pods", uid_of(ds)) if pods_of.is_terminating(pod)}

    def run(self) -> None:
        """Remove what must go, make what is missing, replace what is old, count."""
        self._clean()
        missing = [node for node in self.wanted if node not in self.there and node not in self.leaving]
        bodies = [daemon_pods.build(self.ds, node) for node in missing]
        if pod_control.make_all(self.world, self.ds, bodies, COMPONENT)[1]:
            pod_control.retry(self.world, self.ds, "daemonset")
        else:
            pod_control.note_success(self.world, self.ds)
        if get(self.ds, "spec", "updateStrategy", "type", default="RollingUpdate") == "RollingUpdate":
            self._roll()
        self._publish()

    def _clean(self) -> None:
        """Pods on nodes that take none, second ones, and those that have ended."""
        for node in sorted(self.there):
            keep: list[Obj] = []
            for pod in self.there[node]:
                if pods_of.is_terminal(pod):
                    self._bury(pod, node)
                elif node not in self.allowed or (keep and not self._surging(keep, pod)):
                    pod_control.remove(self.world, self.ds, pod, COMPONENT)
                else:
                    keep.append(pod)
            self.there[node] = keep
        self.leaving |= {node for node, pods in self.there.items() if not pods}
        self.there = {node: pods for node, pods in self.there.items() if pods}

    def _bury(self, pod: Obj, node: str) -> None:
        """Delete a pod that has ended; failed ones of a node at growing intervals."""
        failed = pods_of.phase(pod) == "Failed"
        self.leaving.add(node)
        if failed and not self._patient(node):
            return
        type_, reason = ("Warning", "FailedDaemonPod") if failed else ("Normal", "SucceededDaemonPod")
        what, how = ("failed", "kill") if failed else ("succeeded", "delete")
        text = f"Found {what} daemon pod {key_of(pod)} on node {node}, will try to {how} it"
        events.record(self.world, self.ds, type_, reason, text, COMPONENT)
        pod_control.remove(self.world, self.ds, pod, COMPONENT)

    def _patient(self, node: str) -> bool:
        """Whether the back-off of the node's failed pods is over; the next one begins then.

        Table `daemonfailures`: set and node -> [back-off (ms), since when].
        """
        table, now, status = self.world.table("daemonfailures"), self.world.now, get(self.ds, "status", default={})
        key = f"{uid_of(self.ds)}/{status.get('observedGeneration', 0)}/{node}"
        wait, since = table.get(key, (0, 0))
        if now < since + wait:
            self.world.schedule(wait, "daemonset.retry", key_of(self.ds), uid_of(self.ds))
            return False
        expired = now - since > 2 * LONGEST_BACK_OFF
        table[key] = [min(2 * wait, LONGEST_BACK_OFF) if wait and not expired else SECOND, now]
        return True

    def _surging(self, keep: list[Obj], pod: Obj) -> bool:
        """Whether a second pod is the successor of an old one, which stays until the new one is available."""
        return bool(self._surge()) and len(keep) == 1 and not self._new(keep[0]) and self._new(pod)

    def _new(self, pod: Obj) -> bool:
        return labels_of(pod).get(controller_revisions.HASH) == self.revision

    def _able(self, pod: Obj) -> bool:
        return pods_of.is_available(pod, self.wait, self.world.now)

    def _limit(self, name: str, default: int) -> int:
        value = get(self.ds, "spec", "updateStrategy", "rollingUpdate", name, default=default)
        if str(value).endswith("%"):
            return ceil(int(str(value)[:-1]) * len(self.wanted) / 100)
        return int(value)

    def _surge(self) -> int:
        return self._limit("maxSurge", 0)

    def _roll(self) -> None:
        """Replace pods of an older template, as many at a time as may be missing or too many."""
        if self._surge():
            self._roll_over()
            return
        missing = sum(1 for node in self.wanted if node not in self.there)
        doomed, candidates = list[Obj](), list[Obj]()
        for node in self.wanted:
            for pod in self.there.get(node, ())[:1]:
                able = self._able(pod)
                missing += not able
                if not self._new(pod):
                    (candidates if able else doomed).append(pod)
        for pod in (*doomed, *candidates[: max(0, max(1, self._limit("maxUnavailable", 1)) - missing)]):
            pod_control.remove(self.world, self.ds, pod, COMPONENT)

    def _roll_over(self) -> None:
        """With a surge, the new pod comes first and the old one goes when it is available."""
        room = self._surge() - sum(1 for pods in self.there.values() if len(pods) > 1)
        for node in self.wanted:
            pods = self.there.get(node, [])
            old = [pod for pod in pods if not self._new(pod)]
            fresh = [pod for pod in pods if self._new(pod)]
            if old and fresh and self._able(fresh[0]):
                pod_control.remove(self.world, self.ds, old[0], COMPONENT)
            elif old and not fresh and (room > 0 or not self._able(old[0])):
                room -= 1
                pod_control.make(self.world, self.ds, daemon_pods.build(self.ds, node), COMPONENT)

    def _publish(self) -> None:
        world, ds = self.world, self.world.store.by_key(RESOURCE, key_of(self.ds)) or self.ds
        pods = [pod for pod in world.store.owned("pods", uid_of(ds)) if not pods_of.is_terminating(pod)]
        first: dict[str, Obj] = {}
        for pod in sorted(pods, key=_age):
            first.setdefault(node_of(pod), pod)
        placed = [pod for node, pod in first.items() if node in self.wanted]
        able = [pod for pod in placed if self._able(pod)]
        ready = [pod for pod in placed if pods_of.is_ready(pod)]
        status: dict[str, Any] = {
            "currentNumberScheduled": len(placed),
            "desiredNumberScheduled": len(self.wanted),
            "numberMisscheduled": len(first) - len(placed),
            "numberReady": len(ready),
            "observedGeneration": get(ds, "metadata", "generation", default=1),
        }
        extra = {
            "numberAvailable": len(able),
            "numberUnavailable": len(self.wanted) - len(able),
            "updatedNumberScheduled": sum(1 for pod in placed if self._new(pod)),
        }
        put_status(world, RESOURCE, ds, {**status, **{k: v for k, v in extra.items() if v}})
        used = [f"{name_of(ds)}-{labels_of(pod).get(controller_revisions.HASH, '')}" for pod in pods]
        controller_revisions.forget(world, ds, [controller_revisions.make_name(ds), *used])
        if len(able) < len(ready):
            wait = int(get(ds, "spec", "minReadySeconds", default=0)) * SECOND
            world.schedule(wait, "daemonset.retry", key_of(ds), uid_of(ds))


def _age(pod: Obj) -> tuple[str, str]:
    return str(pod["metadata"]["creationTimestamp"]), name_of(pod)


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a set that could not create a pod, or whose pods were too young."""
    pod_control.look_again(world, RESOURCE, "daemonset", key, uid)


controller = DaemonSetController()
HANDLERS: dict[str, Handler] = {"daemonset.retry": retry}
