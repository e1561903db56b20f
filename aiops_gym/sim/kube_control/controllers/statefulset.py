"""StatefulSets: numbered pods that come and go one by one (`stateful_set_control.go` of Kubernetes 1.32)."""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, labels_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import controller_revisions, pod_control, stateful_pods
from aiops_gym.sim.kube_control.writes import compact, put_status

RESOURCE = "statefulsets.apps"
HASH_LABEL = "controller.kubernetes.io/hash"


class StatefulSetController:
    """Creates the lowest missing pod once those below are ready, and deletes the highest surplus one."""

    name = "statefulset"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The set, the set of a pod, or those that could adopt one."""
        obj = new if new is not None else old
        if obj is None:
            return
        reference = controller_of(obj)
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"] or pod_control.is_failing(world, new)):
                yield key_of(obj)
        elif reference is not None and reference["kind"] == "StatefulSet":
            yield f"{namespace_of(obj)}/{reference['name']}"
        elif reference is None and (old is None or (new is not None and labels_of(old) != labels_of(new))):
            for ss in world.store.all(RESOURCE, namespace_of(obj)):
                if matches(ss["spec"].get("selector"), labels_of(obj)):
                    yield key_of(ss)

    def reconcile(self, world: World, key: str) -> None:
        """One step, then the counts."""
        ss = world.store.by_key(RESOURCE, key)
        if ss is None or pods_of.is_terminating(ss):
            return
        controller_revisions.remember(world, ss, HASH_LABEL)
        _Step(world, ss).run()
        _publish(world, ss)


def _mine(world: World, ss: Obj) -> dict[int, Obj]:
    found = {stateful_pods.parse_ordinal(ss, pod): pod for pod in pods_of.claim_pods(world, ss)}
    found.pop(-1, None)
    return dict(sorted(found.items()))


def _healthy(pod: Obj) -> bool:
    """Running, ready, and not on its way out."""
    return pods_of.phase(pod) == "Running" and pods_of.is_ready(pod) and not pods_of.is_terminating(pod)


def _first(ss: Obj) -> int:
    return int(get(ss, "spec", "ordinals", "start", default=0))


def _size(ss: Obj) -> int:
    return int(get(ss, "spec", "replicas", default=1))


def _wait(ss: Obj) -> int:
    return int(get(ss, "spec", "minReadySeconds", default=0))


def _partition(ss: Obj) -> int:
    return int(get(ss, "spec", "updateStrategy", "rollingUpdate", "partition", default=0))


def _rolls(ss: Obj) -> bool:
    return bool(get(ss, "spec", "updateStrategy", "type", default="RollingUpdate") == "RollingUpdate")


def _current(ss: Obj) -> str:
    """The revision from which the set came."""
    return str(get(ss, "status", "currentRevision", default=controller_revisions.make_name(ss)))


class _Step:
    """One look at one set: all that can be done now."""

    def __init__(self, world: World, ss: Obj) -> None:
        self.world, self.ss = world, ss
        self.parallel = ss["spec"].get("podManagementPolicy") == "Parallel"
        self.there = _mine(world, ss)
        self.refused = False
        self.wanted = range(_first(ss), _first(ss) + _size(ss))

    def run(self) -> None:
        """Fill, then shrink, then replace; an ordered set does the next only when all before is well."""
        filled = self._fill()
        if self.refused:
            pod_control.retry(self.world, self.ss, "statefulset")
        else:
            pod_control.note_success(self.world, self.ss)
        if filled and self._shrink():
            self._roll()

    def _usable(self, pod: Obj) -> bool:
        return _healthy(pod) and pods_of.is_available(pod, _wait(self.ss), self.world.now)

    def _fill(self) -> bool:
        """Make what is missing. Whether one may go on to surplus and old pods."""
        if not self.parallel:
            return all(self._stands(number) for number in self.wanted)
        waiting, size = self.wanted, 1
        while waiting:  # a parallel set starts slowly: 1, 2, 4 at a time, none after a refusal
            outcomes = [self._there_or_made(number) for number in waiting[:size]]
            if not all(outcomes):
                return False
            waiting, size = waiting[size:], 2 * size
        return True

    def _stands(self, number: int) -> bool:
        """Whether a pod is there and well, so that the next one has its turn; one that is missing is made."""
        pod = self.there.get(number)
        return self._there_or_made(number) and pod is not None and self._usable(pod)

    def _there_or_made(self, number: int) -> bool:
        """Make a missing pod, and delete one that has ended; its successor comes when it is gone."""
        pod = self.there.get(number)
        if pod is None:
            made = stateful_pods.create(self.world, self.ss, number, self._revision(number))
            self.refused |= not made
            return made
        if pods_of.is_terminal(pod) and not pods_of.is_terminating(pod):
            stateful_pods.delete(self.world, self.ss, pod)
        return True

    def _revision(self, number: int) -> str:
        """Of which revision a new pod shall be: below the partition it stays with the old one."""
        old = _rolls(self.ss) and number < _first(self.ss) + _partition(self.ss)
        return _current(self.ss) if old else controller_revisions.make_name(self.ss)

    def _shrink(self) -> bool:
        """Delete surplus pods, the highest first. Whether none was left."""
        surplus = sorted((n for n in self.there if n not in self.wanted), reverse=True)
        weak = [pod for pod in self.there.values() if not _healthy(pod)]
        for number in surplus:
            pod = self.there[number]
            if pods_of.is_terminating(pod):
                if not self.parallel:
                    return False
                continue
            if not self.parallel and not self._usable(pod) and weak and pod is not weak[0]:
                return False
            stateful_pods.condemn(self.world, self.ss, pod)
            stateful_pods.delete(self.world, self.ss, pod)
            if not self.parallel:
                return False
        return True

    def _roll(self) -> None:
        """Replace the highest pod of another revision, once those above it are healthy."""
        if not _rolls(self.ss):
            return
        lowest = _first(self.ss) + _partition(self.ss)
        for number in reversed(self.wanted):
            pod = self.there.get(number)
            if number < lowest or pod is None:
                return
            if labels_of(pod).get(controller_revisions.HASH) != controller_revisions.make_name(
                self.ss
            ) and not pods_of.is_terminating(pod):
                stateful_pods.delete(self.world, self.ss, pod)
                return
            if not _healthy(pod):
                return


def _publish(world: World, ss: Obj) -> None:
    update, current = controller_revisions.make_name(ss), _current(ss)
    pods = list(_mine(world, ss).values())
    kept = [pod for pod in pods if not pods_of.is_terminating(pod)]
    ready = [pod for pod in pods if pods_of.phase(pod) == "Running" and pods_of.is_ready(pod)]
    able = [pod for pod in ready if pods_of.is_available(pod, _wait(ss), world.now)]
    updated = sum(1 for pod in kept if labels_of(pod).get(controller_revisions.HASH) == update)
    if _rolls(ss) and updated == len(pods) and len(ready) == len(pods):
        current = update
    status = {
        "availableReplicas": len(able),
        "collisionCount": 0,
        "currentReplicas": sum(1 for pod in kept if labels_of(pod).get(controller_revisions.HASH) == current),
        "currentRevision": current,
        "observedGeneration": get(ss, "metadata", "generation", default=1),
        "readyReplicas": len(ready),
        "replicas": len(pods),
        "updateRevision": update,
        "updatedReplicas": updated,
    }
    put_status(world, RESOURCE, ss, compact(status, keep=("replicas", "collisionCount", "availableReplicas")))
    controller_revisions.forget(
        world, ss, [update, current, *(labels_of(pod).get(controller_revisions.HASH, "") for pod in pods)]
    )
    if len(able) < len(ready):
        world.schedule(_wait(ss) * SECOND, "statefulset.retry", key_of(ss), uid_of(ss))


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a set that could not create a pod, or whose pods were too young."""
    pod_control.look_again(world, RESOURCE, "statefulset", key, uid)


controller = StatefulSetController()
HANDLERS: dict[str, Handler] = {"statefulset.retry": retry}
