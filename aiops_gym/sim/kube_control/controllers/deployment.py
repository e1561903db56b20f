"""Deployments: the new ReplicaSet grows, the old ones shrink, within what may be missing or too many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor
from typing import Any

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, assoc, controller_of, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.workloads import deployment_status, pod_control, replica_sets
from aiops_gym.sim.kube_control.writes import annotate, find_condition, put_spec

RESOURCE = "deployments.apps"
COMPONENT = "deployment-controller"
PACE = pod_control.Pace(most=15)
"""A set that cannot be made is tried again so often before the next change of the Deployment."""


class DeploymentController:
    """Rolls a Deployment forward by one step at a time; each change of a ReplicaSet brings it back."""

    name = "deployment"
    watches = (RESOURCE, replica_sets.RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The Deployment itself, the owner of a set, or (for `Recreate`) that of a pod that is gone."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if new is not None:
                yield key_of(obj)
        elif resource == "pods":
            yield from _of_pod(world, old, new)
        elif (reference := controller_of(obj)) is not None:
            yield f"{namespace_of(obj)}/{reference['name']}"
        elif old is None:
            for candidate in world.store.all(RESOURCE, namespace_of(obj)):
                if matches(candidate["spec"].get("selector"), obj["metadata"].get("labels") or {}):
                    yield key_of(candidate)

    def reconcile(self, world: World, key: str) -> None:
        """One step of the rollout, then the status."""
        deployment = world.store.by_key(RESOURCE, key)
        if deployment is None:
            return
        selector = deployment["spec"].get("selector") or {}
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            text = "This deployment is selecting all pods. A non-empty selector is required."
            events.record(world, deployment, "Warning", "SelectingAll", text, COMPONENT)
            return
        _Rollout(world, deployment).step()


def _of_pod(world: World, old: Obj | None, new: Obj | None) -> Iterable[str]:
    reference = controller_of(old) if old is not None and new is None else None
    if old is None or reference is None or reference["kind"] != "ReplicaSet":
        return
    owner = world.store.get(replica_sets.RESOURCE, namespace_of(old), reference["name"])
    above = controller_of(owner) if owner is not None else None
    if above is not None:
        yield f"{namespace_of(old)}/{above['name']}"


class _Rollout:
    """One look at one Deployment."""

    def __init__(self, world: World, deployment: Obj) -> None:
        self.world = world
        self.deployment = deployment
        self.wanted = int(get(deployment, "spec", "replicas", default=1))
        self.recreate = get(deployment, "spec", "strategy", "type", default="RollingUpdate") == "Recreate"
        self.surge, self.unavailable = (0, 0) if self.recreate else _limits(deployment, self.wanted)
        self.version = -1
        self._look()
        self.failed = False

    def _look(self) -> None:
        """Find the sets, unless nothing was written since."""
        if self.version != self.world.store.version:
            self.sets = replica_sets.list_replica_sets(self.world, self.deployment)
            self.new = replica_sets.find_newest(self.deployment, self.sets)
            self.version = self.world.store.version

    @property
    def old(self) -> list[Obj]:
        if self.new is None:
            return list(self.sets)
        uid = uid_of(self.new)
        return [rs for rs in self.sets if rs["metadata"]["uid"] != uid]

    def step(self) -> None:
        """Do one thing that brings the sets nearer to the spec, and publish."""
        paused = bool(get(self.deployment, "spec", "paused", default=False))
        if pods_of.is_terminating(self.deployment):
            self._publish(rolling=False)
            return
        self._note_pause(paused)
        if paused or self._resized():
            if self.new is not None:
                self.new = replica_sets.refresh(self.world, self.deployment, self.new, self.old)
            self._resize()
            if paused:
                replica_sets.forget(self.world, self.deployment, self.old)
            self._publish(rolling=False)
            return
        moved = self._recreate() if self.recreate else self._roll()
        if self.failed:
            pod_control.retry(self.world, self.deployment, "deployment", PACE)
            return
        pod_control.note_success(self.world, self.deployment)
        if not moved and deployment_status.is_complete(
            self.world.store.by_key(RESOURCE, key_of(self.deployment)) or self.deployment
        ):
            replica_sets.forget(self.world, self.deployment, self.old)
        self._publish(rolling=True)

    def _publish(self, rolling: bool) -> None:
        self._look()
        deployment_status.publish(self.world, self.deployment, self.new, self.old, self.unavailable, rolling)

    def _note_pause(self, paused: bool) -> None:
        found = find_condition(get(self.deployment, "status", "conditions", default=[]), "Progressing")
        noted = found is not None and found.get("reason") == "DeploymentPaused"
        if found is not None and found.get("reason") == deployment_status.TIMED_OUT:
            return
        if paused and not noted:
            deployment_status.remember(
                self.world, self.deployment, "Unknown", "DeploymentPaused", "Deployment is paused"
            )
        elif noted and not paused:
            deployment_status.remember(
                self.world, self.deployment, "Unknown", "DeploymentResumed", "Deployment is resumed"
            )

    def _ensure_new(self) -> bool:
        """Have the set of the present template. True when it was made just now (or could not be)."""
        world, deployment = self.world, self.deployment
        if self.new is not None:
            self.new = replica_sets.refresh(world, deployment, self.new, self.old)
            if find_condition(get(deployment, "status", "conditions", default=[]), "Progressing") is None:
                text = f'Found new replica set "{name_of(self.new)}"'
                deployment_status.remember(world, deployment, "True", "FoundNewReplicaSet", text)
            return False
        others = deployment_status.sum_replicas(self.sets, "spec", "replicas")
        size = self.wanted if self.recreate else max(0, min(self.wanted, self.wanted + self.surge - others))
        try:
            self.new = replica_sets.create(world, deployment, self.sets, size, self.wanted + self.surge)
        except kube_api.ApiError as error:
            text = f'Failed to create new replica set "{replica_sets.make_name(deployment)}": {error.message}'
            events.record(world, deployment, "Warning", "ReplicaSetCreateError", text, COMPONENT)
            deployment_status.remember(world, deployment, "False", "ReplicaSetCreateError", text)
            self.failed = True
            return True
        if size:
            text = f"Scaled up replica set {name_of(self.new)} from 0 to {size}"
            events.record(world, deployment, "Normal", "ScalingReplicaSet", text, COMPONENT)
        text = f'Created new replica set "{name_of(self.new)}"'
        deployment_status.remember(world, deployment, "True", "NewReplicaSetCreated", text)
        return True

    def _roll(self) -> bool:
        """RollingUpdate: grow the new set, or else shrink the old ones. True when something moved."""
        made = self._ensure_new()
        if self.new is None:
            return made
        return made or self._grow() or self._shrink()

    def _grow(self) -> bool:
        assert self.new is not None
        size = int(get(self.new, "spec", "replicas", default=0))
        if size > self.wanted:
            return self._scale(self.new, self.wanted)
        room = self.wanted + self.surge - deployment_status.sum_replicas([*self.old, self.new], "spec", "replicas")
        return size < self.wanted and room > 0 and self._scale(self.new, min(self.wanted, size + room))

    def _shrink(self) -> bool:
        assert self.new is not None
        old = [rs for rs in self.old if get(rs, "spec", "replicas", default=0)]
        floor_ = self.wanted - self.unavailable
        missing = get(self.new, "spec", "replicas", default=0) - get(self.new, "status", "availableReplicas", default=0)
        surplus = deployment_status.sum_replicas([*old, self.new], "spec", "replicas") - floor_ - missing
        if not old or surplus <= 0:
            return False
        moved = False
        for index, rs in enumerate(old):  # those that are not healthy first
            size = get(rs, "spec", "replicas", default=0)
            take = min(surplus, size - get(rs, "status", "availableReplicas", default=0))
            if take > 0:
                moved |= self._scale(rs, size - take)
                old[index] = assoc(rs, ("spec", "replicas"), size - take)
                surplus -= take
        spare = deployment_status.sum_replicas([*self.old, self.new], "status", "availableReplicas") - floor_
        for rs in old:
            size = get(rs, "spec", "replicas", default=0)
            take = min(spare, size)
            if take > 0:
                moved |= self._scale(rs, size - take)
                spare -= take
        return moved

    def _recreate(self) -> bool:
        """Recreate: all old pods go before the first new one comes."""
        shrunk = [self._scale(rs, 0) for rs in self.old if get(rs, "spec", "replicas", default=0)]
        if any(shrunk):
            return True
        for rs in self.old:
            if any(not pods_of.is_terminal(pod) for pod in self.world.store.owned("pods", uid_of(rs))):
                return True
        made = self._ensure_new()
        if made or self.new is None:
            return made
        return get(self.new, "spec", "replicas", default=0) != self.wanted and self._scale(self.new, self.wanted)

    def _resized(self) -> bool:
        """Whether `spec.replicas` changed since the sets were last scaled."""
        busy = [rs for rs in self.sets if get(rs, "spec", "replicas", default=0)]
        return any(replica_sets.read_desired(rs) not in (None, self.wanted) for rs in busy)

    def _resize(self) -> None:
        """Scale the one active set, or all of them in proportion in the middle of a rollout."""
        busy = [rs for rs in self.sets if get(rs, "spec", "replicas", default=0)]
        single = busy[0] if len(busy) == 1 else None
        if not busy:
            single = self.new or (max(self.sets, key=replica_sets.read_revision) if self.sets else None)
        if single is not None:
            self._scale(single, self.wanted)
            return
        if self.new is not None and _saturated(self.new, self.wanted):
            for rs in self.old:
                self._scale(rs, 0)
        elif not self.recreate:
            self._resize_in_proportion(busy)

    def _resize_in_proportion(self, busy: Sequence[Obj]) -> None:
        if not busy:
            return
        allowed = self.wanted + self.surge if self.wanted else 0
        to_add, added = allowed - deployment_status.sum_replicas(busy, "spec", "replicas"), 0
        # Of sets of one size the newest grows first, and the oldest shrinks first.
        ranked = sorted(busy, key=lambda rs: (rs["metadata"]["creationTimestamp"], name_of(rs)), reverse=to_add > 0)
        ranked.sort(key=lambda rs: -int(rs["spec"]["replicas"]))
        sizes = {}
        for rs in ranked:
            rest = to_add - added
            share = min(self._share(rs), rest) if to_add > 0 else max(self._share(rs), rest)
            sizes[name_of(rs)] = int(rs["spec"]["replicas"]) + share
            added += share
        first = name_of(ranked[0])
        sizes[first] = max(0, sizes[first] + to_add - added)
        for rs in ranked:
            self._scale(rs, sizes[name_of(rs)])

    def _share(self, rs: Obj) -> int:
        """By how much a set changes when it keeps its share of all pods; halves are rounded away from zero."""
        size = int(rs["spec"]["replicas"])
        if not self.wanted:
            return -size
        before = get(rs, "metadata", "annotations", replica_sets.MAXIMUM, default=0)
        before = int(before) or int(get(self.deployment, "status", "replicas", default=0))
        return floor(size * (self.wanted + self.surge) / before + 0.5) - size if before else 0

    def _scale(self, rs: Obj, size: int) -> bool:
        """Write a set's new size. True when it was another one."""
        rs = self.world.store.by_key(replica_sets.RESOURCE, key_of(rs)) or rs
        before = int(get(rs, "spec", "replicas", default=0))
        counts = {replica_sets.DESIRED: str(self.wanted), replica_sets.MAXIMUM: str(self.wanted + self.surge)}
        changed = annotate(rs, counts)
        if size == before:
            put_spec(self.world, replica_sets.RESOURCE, rs, changed)
            return False
        put_spec(self.world, replica_sets.RESOURCE, rs, assoc(changed, ("spec", "replicas"), size))
        direction = "up" if size > before else "down"
        text = f"Scaled {direction} replica set {name_of(rs)} from {before} to {size}"
        events.record(self.world, self.deployment, "Normal", "ScalingReplicaSet", text, COMPONENT)
        return True


def _saturated(rs: Obj, wanted: int) -> bool:
    counts = (get(rs, "spec", "replicas", default=0), get(rs, "status", "availableReplicas", default=0))
    return replica_sets.read_desired(rs) == wanted and counts == (wanted, wanted)


def _limits(deployment: Obj, wanted: int) -> tuple[int, int]:
    """How many pods too many and how many missing a rollout may have; never both none."""
    rolling = get(deployment, "spec", "strategy", "rollingUpdate", default={})
    surge = _absolute(rolling.get("maxSurge", "25%"), wanted, up=True)
    unavailable = min(_absolute(rolling.get("maxUnavailable", "25%"), wanted, up=False), wanted)
    return surge, unavailable if surge or unavailable else 1


def _absolute(value: Any, wanted: int, up: bool) -> int:
    if isinstance(value, str) and value.endswith("%"):
        share = int(value[:-1]) * wanted / 100
        return ceil(share) if up else floor(share)
    return int(value)


def retry(world: World, key: str, uid: str) -> None:
    """Try again to make a new set."""
    pod_control.look_again(world, RESOURCE, "deployment", key, uid)


def deadline(world: World, key: str, uid: str, since: str) -> None:
    """The progress deadline of a rollout that was last seen moving at `since` has passed."""
    deployment = world.store.by_key(RESOURCE, key)
    if deployment is not None and world.table("deadlines").get(uid) == since and uid_of(deployment) == uid:
        world.enqueue("deployment", key, 0)


controller = DeploymentController()
HANDLERS: dict[str, Handler] = {"deployment.deadline": deadline, "deployment.retry": retry}
