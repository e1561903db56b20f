"""HorizontalPodAutoscalers: every 15 s, the size that the metrics ask for (`podautoscaler/horizontal.go`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_api.resources import find
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control.autoscaling import limits
from aiops_gym.sim.kube_control.autoscaling import metrics as hpametrics
from aiops_gym.sim.kube_control.autoscaling.conditions import Condition, merge_conditions
from aiops_gym.sim.kube_control.writes import put_spec, put_status

RESOURCE = "horizontalpodautoscalers.autoscaling"
COMPONENT = "horizontal-pod-autoscaler"
PERIOD = 15 * SECOND
"""`--horizontal-pod-autoscaler-sync-period`."""

SCALABLE = ("deployments.apps", "replicasets.apps", "statefulsets.apps", "replicationcontrollers")


class AutoscalerController:
    """Begins the rounds of each new autoscaler; what it does is in `look`."""

    name = "horizontalpodautoscaler"
    watches = (RESOURCE,)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A new autoscaler."""
        if new is not None and old is None:
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Look at it for the first time after one period."""
        hpa = world.store.by_key(RESOURCE, key)
        if hpa is not None:
            world.schedule(PERIOD, "horizontalpodautoscaler.look", key, uid_of(hpa))


def look(world: World, key: str, uid: str) -> None:
    """One round, and the next one planned."""
    hpa = world.store.by_key(RESOURCE, key)
    if hpa is None or uid_of(hpa) != uid:
        world.table("autoscalers").pop(uid, None)
        return
    _Round(world, hpa).run()
    world.schedule(PERIOD, "horizontalpodautoscaler.look", key, uid)


class _Round:
    """One look at one autoscaler."""

    def __init__(self, world: World, hpa: Obj) -> None:
        self.world, self.hpa = world, hpa
        self.conditions: list[Condition] = []
        self.metrics: list[dict[str, Any]] = []
        self.scaled = False

    def run(self) -> None:
        """Find the target, measure, scale, publish."""
        reference = self.hpa["spec"]["scaleTargetRef"]
        resource = find(f"{reference['kind']}".lower()) if reference.get("kind") else None
        name = resource.name if resource is not None else f"{reference.get('kind', '')}".lower()
        target = self.world.store.get(name, namespace_of(self.hpa), reference["name"]) if name in SCALABLE else None
        if target is None:
            plural, _, group = name.partition(".")
            text = (
                f'{plural}/scale.{group} "{reference["name"]}" not found'
                if group
                else f'{plural}/scale "{reference["name"]}" not found'
            )
            self._event("Warning", "FailedGetScale", text)
            why = f"the HPA controller was unable to get the target's current scale: {text}"
            self.conditions.append(Condition("AbleToScale", "False", "FailedGetScale", why))
            self._publish(int(get(self.hpa, "status", "currentReplicas", default=0)), None)
            return
        text = "the HPA controller was able to get the target's current scale"
        self.conditions.append(Condition("AbleToScale", "True", "SucceededGetScale", text))
        now = int(get(target, "spec", "replicas", default=1))
        wanted, reason = self._decide(target, now)
        if wanted is not None and wanted != now:
            self._scale(name, target, now, wanted, reason)
        self._publish(now, wanted)

    def _decide(self, target: Obj, now: int) -> tuple[int | None, str]:
        """The size to have, and why; None where nothing can be said."""
        least, most = int(get(self.hpa, "spec", "minReplicas", default=1)), int(self.hpa["spec"]["maxReplicas"])
        if now == 0 and least != 0:
            text = "scaling is disabled since the replica count of the target is zero"
            self.conditions.append(Condition("ScalingActive", "False", "ScalingDisabled", text))
            return 0, ""
        if now > most:
            return most, "Current number of replicas above Spec.MaxReplicas"
        if now < least:
            return least, "Current number of replicas below Spec.MinReplicas"
        measured = self._measure(target, now)
        if measured is None:
            return None, ""
        raw, name = measured
        reason = f"{name} above target" if raw > now else "All metrics below target"
        size, able, limited = limits.bound_replicas(self.world, self.hpa, now, raw)
        self.conditions += [able, limited]
        return size, reason

    def _measure(self, target: Obj, now: int) -> tuple[int, str] | None:
        """The largest size that a metric asks for; None without one, or if some are unknown and it would shrink."""
        wanted = list(self.hpa["spec"].get("metrics") or ())
        selector = target["spec"].get("selector")
        if target["kind"] == "ReplicationController":
            selector = {"matchLabels": selector}
        best: hpametrics.Proposal | None = None
        faults: list[hpametrics.Unmeasured] = []
        for metric in wanted:
            try:
                found = hpametrics.propose(self.world, metric, target, selector, now)
            except hpametrics.Unmeasured as error:
                faults.append(error)
                self._event("Warning", error.reason, str(error))
                self.metrics.append({"type": ""})
            else:
                self.metrics.append(found.current)
                best = found if best is None or found.replicas > best.replicas else best
        if faults and (best is None or best.replicas < now):
            self._give_up(faults, len(wanted))
            return None
        assert best is not None
        text = f"the HPA was able to successfully calculate a replica count from {best.name}"
        self.conditions.append(Condition("ScalingActive", "True", "ValidMetricFound", text))
        return best.replicas, best.name

    def _give_up(self, faults: list[hpametrics.Unmeasured], metrics: int) -> None:
        first = faults[0]
        why = f"the HPA was unable to compute the replica count: {first}"
        self.conditions.append(Condition("ScalingActive", "False", first.reason, why))
        text = f"invalid metrics ({len(faults)} invalid out of {metrics}), first error is: "
        self._event("Warning", "FailedComputeMetricsReplicas", f"{text}failed to get {first.what}: {first}")

    def _scale(self, resource: str, target: Obj, now: int, wanted: int, reason: str) -> None:
        put_spec(self.world, resource, target, assoc(target, ("spec", "replicas"), wanted))
        limits.note_move(self.world, self.hpa, now, wanted)
        self.scaled = True
        text = f"the HPA controller was able to update the target scale to {wanted}"
        self.conditions.append(Condition("AbleToScale", "True", "SucceededRescale", text))
        self._event("Normal", "SuccessfulRescale", f"New size: {wanted}; reason: {reason}")

    def _event(self, type_: str, reason: str, message: str) -> None:
        events.record(self.world, self.hpa, type_, reason, message, COMPONENT)

    def _publish(self, now: int, wanted: int | None) -> None:
        before = get(self.hpa, "status", default={})
        status: dict[str, Any] = {
            "conditions": merge_conditions(self.world, before.get("conditions", ()), self.conditions),
            "currentMetrics": self.metrics or None,
            "currentReplicas": now,
            "desiredReplicas": int(before.get("desiredReplicas", 0)) if wanted is None else wanted,
        }
        if not now:
            status.pop("currentReplicas")
        if self.scaled:
            status["lastScaleTime"] = self.world.timestamp
        elif "lastScaleTime" in before:
            status["lastScaleTime"] = before["lastScaleTime"]
        put_status(self.world, RESOURCE, self.hpa, status)


controller = AutoscalerController()
HANDLERS: dict[str, Handler] = {"horizontalpodautoscaler.look": look}
