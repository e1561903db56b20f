"""What became of a real cluster after a repair: the rules of `backends.assess`, measured there, in its own time.

The order is the same: it settles, a quiet minute is measured with its traffic, and then the next events happen. There
is no fork of a real cluster, so they happen to the cluster itself, after the agent has submitted. Traffic is counted,
and every count is said with its interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from aiops_gym.backends import intent, steady
from aiops_gym.backends.assess import ABSENT, list_repaired
from aiops_gym.backends.base import Assessment
from aiops_gym.backends.baseline import is_rolled_out
from aiops_gym.backends.kubernetes import inject, picture, stores, workload
from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.backends.kubernetes.clocks import until
from aiops_gym.backends.kubernetes.system import RealSystem
from aiops_gym.backends.kubernetes.telemetry import RealTelemetry
from aiops_gym.backends.shape import find_owned_pods, is_same_workload
from aiops_gym.backends.steady import Trouble
from aiops_gym.catalog.model import App, Cause, Fault
from aiops_gym.sim.kernel.objects import get, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json, Request

SETTLE = steady.SETTLE / 1000.0
"""Seconds after which a repaired system has come up."""

QUIET = 60.0
"""Seconds that are measured."""

LOOK = 10.0
"""Seconds between two looks."""

EVENTS = ("rollout", "evict")
"""What happens next: whoever was hurt is rolled out with a replica more and scaled back; then its pods are evicted."""


@dataclass(frozen=True)
class Before:
    """The healthy system, as it was measured.

    Attributes:
        world: a picture of it.
        counts: of users' requests.
        stores: what its databases served, see `stores`.
    """

    world: World
    counts: workload.Counts
    stores: Mapping[str, Json] = field(default_factory=dict)


class Judged(NamedTuple):
    """An assessment, and the counts that it rests on, in words."""

    assessment: Assessment
    measured: Mapping[str, str]


class Judge:
    """Measures one cluster.

    Args:
        api: of the cluster.
        app: that is judged.
        telemetry: of it.
        before: how it was.
        fault: what was done to it.
    """

    def __init__(self, api: Api, app: App, telemetry: RealTelemetry, before: Before, fault: Fault | None) -> None:
        self.api, self.app, self.telemetry, self.before, self.fault = api, app, telemetry, before, fault

    def assess(self) -> Judged:
        """Measure all of it."""
        troubles, counts = self.hold()
        settled = picture.take(self.api, self.app, self.before.world)
        beside = intent.compare(self.before.world, settled, self.app, self.fault)
        names: tuple[str, ...] = ()
        reasons = [each.text for each in troubles]
        harm = list(self._damage(settled))
        later: list[Trouble] = []
        if not troubles:
            names, later, after = self._endure(settled)
            counts = after or counts
            reasons += [f"{each.text} after a restart" for each in later]
        kinds = {each.kind for each in troubles}
        now = picture.take(self.api, self.app, self.before.world)
        wrong = self.find_wrong(now) if not kinds & ABSENT else ["not all is there"]
        harm = list(dict.fromkeys((*harm, *self._damage(now))))
        gone = not kinds & ABSENT and not wrong
        found = Assessment(
            cause_gone=gone,
            complete=not kinds & ABSENT,
            steady=names == EVENTS,
            served=not kinds and not any(each.kind == steady.FAILS for each in later),
            endures=names,
            damage=tuple(harm),
            collateral=tuple(str(each) for each in beside if each.hard),
            left=tuple(str(each) for each in beside if not each.hard),
            reasons=(*reasons, *(wrong if not kinds & ABSENT else ()), *harm),
        )
        told = {name: f"{c.ok}/{c.asked}, {c.interval[0]}..{c.interval[1]}" for name, c in counts.items()}
        return Judged(found, told)

    def hold(self) -> tuple[list[Trouble], workload.Counts]:
        """Wait until all has held for a quiet minute; what was wrong last, and the requests that were counted."""
        end = self.api.clock.now() + SETTLE
        counts: workload.Counts = {}
        while True:
            found = self._look()
            if not found:
                before, counts = self._restarts(), workload.measure(self.api, self.app, QUIET)
                found = self._look() or [
                    Trouble(steady.FAILS, "", text) for text in workload.list_worse(self.before.counts, counts)
                ]
                if not found and self._restarts() == before:
                    return [], counts
                found = found or [Trouble(steady.RESTARTS, "", "containers restart by themselves")]
            if self.api.clock.now() >= end:
                return found, counts
            self.api.clock.wait(LOOK)

    def _look(self) -> list[Trouble]:
        """What was there before and is not there now."""
        world = picture.take(self.api, self.app, self.before.world, picture.OF_APP)
        return self.look_at(world)

    def look_at(self, world: World) -> list[Trouble]:
        """The same of a picture of the application."""
        return list(steady.find_missing(world, self.before.world, self.app))

    def _restarts(self) -> Mapping[str, int]:
        """Restarts of the app's pods, by uid."""
        world = picture.take(self.api, self.app, only=("pods",))
        return {
            uid_of(pod): _count(pod) for pod in world.store.all("pods") if "deletionTimestamp" not in pod["metadata"]
        }

    def count_restarts(self, world: World) -> int:
        """Restarts of the app's containers in a picture, of pods that were there before."""
        known = {uid_of(pod) for pod in self.before.world.store.all("pods", self.app.namespace)}
        return sum(_count(pod) for pod in world.store.all("pods", self.app.namespace) if uid_of(pod) in known)

    def find_wrong(self, world: World, *, bare: bool = False) -> list[str]:
        """What is left of the causes, in words.

        Args:
            world: a picture of now.
            bare: only what the checks themselves say.
        """
        was = RealSystem(self.before.world, self.app, self.api, self.telemetry, past=True)
        now = RealSystem(world, self.app, self.api, self.telemetry)
        causes = [part.cause for part in self.fault.each if part.cause is not None] if self.fault else []
        return [wrong for cause in causes if (wrong := _find_wrong(was, now, cause, bare))]

    def _damage(self, now: World) -> Iterable[str]:
        for name in self.app.components:
            there = now.store.get("deployments.apps", self.app.namespace, name) is not None
            if there and not is_same_workload(self.before.world, now, self.app, name):
                yield f"{name} runs a program or keeps its data in a place that is not its own"
        yield from stores.compare(self.before.stores, stores.read(self.api, self.app), self.fault)

    def _endure(self, settled: World) -> tuple[tuple[str, ...], list[Trouble], workload.Counts | None]:
        """Let the next events happen; those that were survived, and what went wrong."""
        hurt = [name for name in list_repaired(self.app, self.fault) if self._replicas(settled, name) is not None]
        if late := self._roll_out(settled, hurt):
            return (), late, None
        kept = self._evict(hurt)
        found, counts = self.hold()
        if kept or found:
            return EVENTS[:1], [*kept, *found], counts
        return EVENTS, [], counts

    def _replicas(self, world: World, name: str) -> int | None:
        found = world.store.get("deployments.apps", self.app.namespace, name)
        return None if found is None else int(found["spec"].get("replicas", 1))

    def _roll_out(self, world: World, names: list[str]) -> list[Trouble]:
        """Each is rolled out with a replica more, and scaled back."""
        wanted = {name: self._replicas(world, name) or 0 for name in names}
        for step, text in ((1, "cannot be rolled out with one more replica"), (0, "cannot be scaled back")):
            for name, count in wanted.items():
                inject.roll_out(self.api, self.app, name, count + step) if step else self._scale(name, count)
            late = self._await(names)
            if late:
                for name in names:
                    self._scale(name, wanted[name])
                return [Trouble("rolled", name, f"{name} {text}") for name in late]
        return []

    def _scale(self, name: str, count: int) -> None:
        body = {"spec": {"replicas": count}}
        place = ("patch", "deployments.apps", self.app.namespace, name)
        self.api.insist(Request(*place, body=body, content_type="application/merge-patch+json"))

    def _await(self, names: list[str]) -> list[str]:
        """Wait until deployments are rolled out; those that are not."""
        late = list(names)

        def done() -> bool:
            world = picture.take(self.api, self.app, only=("deployments.apps",))
            late[:] = [name for name in names if not is_rolled_out(world, self.app, (name,))]
            return not late

        until(self.api.clock, done, SETTLE, 5.0)
        return late

    def _evict(self, names: list[str]) -> list[Trouble]:
        """Evict the pods of deployments, as a drain does; those that a budget keeps."""
        world, kept = picture.take(self.api, self.app, only=picture.OF_APP), list[Trouble]()
        for name in names:
            for pod in find_owned_pods(world, self.app, name):
                meta = pod["metadata"]
                body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": meta["name"]}}
                request = Request("create", "pods", self.app.namespace, meta["name"], "eviction", body)
                if not until(self.api.clock, lambda r=request: self._is_evicted(r), 120.0, 5.0):  # type: ignore[misc]
                    kept.append(Trouble("evicted", name, f"a disruption budget lets no pod of {name} go"))
        self.api.clock.wait(30.0)
        return kept

    def _is_evicted(self, request: Request) -> bool:
        """Whether a pod went; an eviction that a budget refuses answers 429, which nobody is to wait for in between."""
        answer = self.api.send(request)
        return answer.code < 400 or answer.code == 404


def _count(pod: Mapping[str, Json]) -> int:
    return sum(each.get("restartCount", 0) for each in get(pod, "status", "containerStatuses", default=()))


def _find_wrong(was: RealSystem, now: RealSystem, cause: Cause, bare: bool) -> str:
    wrong, name = cause.check(was, now, cause), cause.component
    if not wrong and name and not bare and (failing := now.failing_probe(name)):
        return f"the {failing} of {name} fails"
    return wrong
