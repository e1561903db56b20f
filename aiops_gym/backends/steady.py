"""What must hold of a system after a repair, and after each thing that happens to it later: that of before.

Nothing is looked at while it is on its way. All that was there before is waited for, then a minute is measured in which
it is there, no container restarts, and users are served as before. A repair that needs a back-off to run out is not
refused for that; one that does not stay good has no such minute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from aiops_gym.backends.baseline import is_rolled_out
from aiops_gym.backends.explain import explain
from aiops_gym.backends.promises import find_broken
from aiops_gym.catalog.model import App
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.objects import controller_of, get, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.kubelet import backoff

SETTLE = backoff.LONGEST + MINUTE
"""The longest back-off and a start: until then a repaired system has come up. No client of the catalogue waits longer:
those that end without a dependency are started again by a kubelet, which is the longest of all waits."""

LOOK = 5 * SECOND
"""Between two looks while something happens."""

TOLERANCE = 0.01
"""How much rarer an operation may succeed than before the incident."""

SLOWER, SLOWER_BY = 1.5, 5.0
"""So many times as long, and so many ms more, may an operation take. Healthy worlds and listed repairs differ by 0.4 %
and 0.02 ms at most, a processor limit that is ample by 4 ms, and one that is not, or what is slow and not broken, by 7
to 4,000 ms (docs/decisions/0011-next-events.md)."""

WATCHED = ("services", "configmaps", "secrets", "persistentvolumeclaims")

GONE, UNREADY, RESTARTS, FAILS, SLOW, LATE = "gone", "unready", "restarts", "fails", "slow", "late"
"""Kinds of trouble that may be met anywhere; events have further ones."""


class Trouble(NamedTuple):
    """Something that is not as before: which kind of thing, of what, and a sentence for people."""

    kind: str
    name: str
    text: str


Pods = Mapping[str, int]
"""Restarts of pods, by uid."""


def hold(world: World, before: World, app: App, limit: int = SETTLE) -> list[Trouble]:
    """Let time pass until all has held for a minute; what was wrong last, if that is not so within the limit.

    The limit is when the minute begins. Where pods or containers ended meanwhile, the measured time is twice the
    longest that passed between two ends, and so no crash loop that was seen passes between two crashes.
    """
    end, since, needed = world.now + limit, world.now, MINUTE
    restarts, changed, found, seen = _restarts(world, app), world.now, list[Trouble](), (-1, "")
    while True:
        state = (world.store.version, traffic.name_current(world))
        if state != seen or any(trouble.kind == LATE for trouble in found):
            bad, found, seen = bool(found), find_troubles(world, before, app), state
            since = world.now if bad else since
        if not found and world.now - since >= needed:
            found = _measure(world, before, since) or _list_late(world, before, app)
            if not found:
                return []
            since = world.now
        if (found or since > end) and world.now >= end:
            return _explain(world, app, found) or [Trouble(RESTARTS, "", "containers restart by themselves")]
        version = world.store.version
        _pass(world, LOOK if found else since + needed - world.now)
        now = _restarts(world, app) if world.store.version != version else restarts
        if now != restarts:
            needed, changed = max(needed, 2 * (world.now - changed)), world.now
            restarts, since = now, world.now


def _explain(world: World, app: App, found: list[Trouble]) -> list[Trouble]:
    """The same with the reason why something is not ready, which is looked for once it counts."""
    whys = {each.name: explain(world, app, each.name) for each in found if each.kind == UNREADY}
    return [each._replace(text=f"{each.text}: {why}") if (why := whys.get(each.name)) else each for each in found]


def _pass(world: World, most: int) -> None:
    """Let time pass: at one go where nothing is due."""
    due = world.heap[0][0] - world.now if world.heap else most
    world.run(min(most, max(LOOK, due)))


def find_troubles(world: World, before: World, app: App) -> list[Trouble]:
    """What the system had before and does not have now; how users are served only where nothing is missing."""
    return (
        [*find_missing(world, before, app)]
        or _served(before, traffic.compute_success(world), traffic.compute_latency(world))
        or _list_late(world, before, app)
    )


def find_missing(world: World, before: World, app: App) -> Iterable[Trouble]:
    """Objects, replicas, readiness."""
    for old in before.store.all("deployments.apps", app.namespace):
        name = old["metadata"]["name"]
        new = world.store.get("deployments.apps", app.namespace, name)
        if new is None:
            yield Trouble(GONE, name, f"deployment {name} is gone")
        elif new["spec"].get("replicas", 1) < old["spec"].get("replicas", 1):
            yield Trouble(GONE, name, f"deployment {name} has fewer replicas than before")
        elif not is_rolled_out(world, app, (name,)):
            yield Trouble(UNREADY, name, f"deployment {name} is not ready")
    for resource in WATCHED:
        names = {old["metadata"]["name"] for old in before.store.all(resource, app.namespace)}
        left = {new["metadata"]["name"] for new in world.store.all(resource, app.namespace)}
        for name in sorted(names - left):
            yield Trouble(GONE, f"{resource} {name}", f"{resource} {name} is gone")


def _served(before: World, success: Mapping[str, float], latency: Mapping[str, float]) -> list[Trouble]:
    """Which operations succeed more rarely or take longer than before; rare operations count like frequent ones."""
    usual, found = traffic.compute_latency(before), []
    for name, share in traffic.compute_success(before).items():
        if success[name] < share - TOLERANCE:
            found.append(Trouble(FAILS, name, f"{name} succeeds in {success[name]:.0%} of requests"))
        elif share > TOLERANCE and latency[name] > SLOWER * usual[name] + SLOWER_BY:
            found.append(Trouble(SLOW, name, f"{name} takes {latency[name]:.0f} ms instead of {usual[name]:.0f} ms"))
    return found


def _list_late(world: World, before: World, app: App) -> list[Trouble]:
    """What nobody waits for and is owed all the same."""
    return [Trouble(LATE, name, text) for name, text in find_broken(world, before, app)]


def _measure(world: World, before: World, since: int) -> list[Trouble]:
    """How users were served since then, over all that was noted."""
    spans = traffic.list_intervals(world, since, world.now)
    means = ({name: _mean(spans, what, name) for name in spans[0].success} for what in ("success", "latency"))
    return _served(before, *means)


def _mean(spans: list[traffic.Interval], what: str, name: str) -> float:
    total = sum(float(span.outcome[what][name]) * (span.end - span.start) for span in spans)
    return total / (spans[-1].end - spans[0].start)


def _restarts(world: World, app: App) -> Pods:
    """Restarts of each pod that one of the app's deployments owns, whatever its labels, and is not on its way out."""
    owners = set[str]()
    for name in app.components:
        deployment = world.store.get("deployments.apps", app.namespace, name)
        if deployment is not None:
            owners.update(uid_of(made) for made in world.store.owned("replicasets.apps", uid_of(deployment)))
    return {
        uid_of(pod): sum([s.get("restartCount", 0) for s in get(pod, "status", "containerStatuses", default=())])
        for pod in world.store.all("pods", app.namespace)
        if "deletionTimestamp" not in pod["metadata"] and (controller_of(pod) or {}).get("uid") in owners
    }
