"""What became of a simulated system after a repair: measured on a fork of it, in virtual time.

The order of events is that of design section "Evaluation": settle, a quiet minute, a look at the traffic, each pod of
the repaired workload deleted once, a minute of traffic. Nothing is taken from what the agent said.
"""

from __future__ import annotations

from aiops_gym.backends import causes, damage, intent
from aiops_gym.backends.base import Assessment
from aiops_gym.backends.baseline import is_rolled_out, request
from aiops_gym.catalog.model import App, Fault
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.objects import get, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import World

SETTLE = 360 * SECOND
"""The longest back-off and a start: until then a repaired system has come up."""

TOLERANCE = 0.01
"""How much rarer an operation may succeed than before the incident."""


def assess(now: World, before: World, app: App, fault: Fault | None, began: int) -> Assessment:
    """Measure a system on a fork.

    Args:
        now: the world as the agent left it.
        before: the same world just before the incident.
        app: the application.
        fault: what was done to it.
        began: ms at which the episode began.
    """
    world = now.fork()
    minutes = count_error_minutes(world, began)
    reasons: list[str] = []
    settled = _settle(world, before, app, reasons)
    beside = intent.compare(before, world, app, fault)
    quiet = settled and _quiet_minute(world, before, app, reasons)
    mended = quiet and _works(world, before, reasons)
    steady = quiet and _survives_restarts(world, before, app, fault, reasons)
    served = mended and _served(world, before, reasons)
    gone = settled and causes.is_cause_gone(before, world, app, fault, reasons)
    harm = damage.find_damage(before, world, app, fault)  # last: what does not survive a restart is lost by now
    return Assessment(
        cause_gone=gone,
        complete=settled,
        steady=steady,
        served=served,
        damage=harm,
        collateral=tuple(str(each) for each in beside if each.hard),
        left=tuple(str(each) for each in beside if not each.hard),
        error_minutes=minutes,
        reasons=(*reasons, *harm),
    )


def _settle(world: World, before: World, app: App, reasons: list[str]) -> bool:
    """Wait until all that was there before is there and ready."""
    end = world.now + SETTLE
    missing = _missing(world, before, app)
    while missing and world.now < end:
        world.run(5 * SECOND)
        missing = _missing(world, before, app)
    reasons.extend(missing)
    return not missing


def _missing(world: World, before: World, app: App) -> list[str]:
    """What the system had before and does not have now: objects, replicas, readiness."""
    found = []
    for old in before.store.all("deployments.apps", app.namespace):
        name = old["metadata"]["name"]
        new = world.store.get("deployments.apps", app.namespace, name)
        if new is None:
            found.append(f"deployment {name} is gone")
        elif new["spec"].get("replicas", 1) < old["spec"].get("replicas", 1):
            found.append(f"deployment {name} has fewer replicas than before")
        elif not is_rolled_out(world, app, (name,)):
            found.append(f"deployment {name} is not ready")
    for resource in ("services", "configmaps", "secrets", "persistentvolumeclaims"):
        names = {old["metadata"]["name"] for old in before.store.all(resource, app.namespace)}
        left = {new["metadata"]["name"] for new in world.store.all(resource, app.namespace)}
        found += [f"{resource} {name} is gone" for name in sorted(names - left)]
    return found


def _restarts(world: World, app: App) -> dict[str, int]:
    """Restarts of each pod that belongs to one of the app's components and is not on its way out, by uid."""
    pods = world.store.all("pods", app.namespace)
    mine = [pod for pod in pods if app.selector in (pod["metadata"].get("labels") or {})]
    return {
        uid_of(pod): sum(s.get("restartCount", 0) for s in get(pod, "status", "containerStatuses", default=()))
        for pod in mine
        if "deletionTimestamp" not in pod["metadata"]
    }


def _quiet_minute(world: World, before: World, app: App, reasons: list[str]) -> bool:
    """A minute in which no container restarts or waits for one, and no pod has to be replaced."""
    restarts = _restarts(world, app)
    for _ in range(12):
        world.run(5 * SECOND)
        if _restarts(world, app) != restarts:
            reasons.append("containers restart by themselves")
            return False
        if gone := _missing(world, before, app):  # one that was killed is counted when it comes back from its back-off
            reasons.extend(gone)
            return False
    return True


def list_repaired(app: App, fault: Fault | None) -> tuple[str, ...]:
    """The deployments that a repair concerns; those with volumes where the cause names no component."""
    cause = fault.cause if fault else None
    named = tuple(filter(None, (cause.component, cause.service))) if cause else ()
    return named or tuple(name for name in app.components if app.parameters.get(name, {}).get("database"))


def _survives_restarts(world: World, before: World, app: App, fault: Fault | None, reasons: list[str]) -> bool:
    """Delete each pod of the repaired workload once, one after another; all must be ready again before the next."""
    for component in list_repaired(app, fault):
        for pod in world.store.labelled("pods", app.namespace, {app.selector: component}):
            request(world, "delete", "pods", app.namespace, pod["metadata"]["name"])
            world.run(2 * SECOND)
            if not _settle(world, before, app, []):
                reasons.append(f"{component} does not come back after a restart")
                return False
    return True


def _works(world: World, before: World, reasons: list[str]) -> bool:
    """Whether users are served as before already, before the judge restarts anything: that may be half of a repair."""
    now = traffic.compute_success(world)
    failing = [name for name, share in traffic.compute_success(before).items() if now[name] < share - TOLERANCE]
    reasons.extend(f"{name} succeeds in {now[name]:.0%} of requests before any restart" for name in failing)
    return not failing


def _served(world: World, before: World, reasons: list[str]) -> bool:
    """Whether every operation succeeds as often as before, over a minute; rare operations count like frequent ones."""
    usual = traffic.compute_success(before)
    total = dict.fromkeys(usual, 0.0)
    for _ in range(12):
        world.run(5 * SECOND)
        for name, share in traffic.compute_success(world).items():
            total[name] += share / 12
    failing = [name for name, share in usual.items() if total[name] < share - TOLERANCE]
    reasons.extend(f"{name} succeeds in {total[name]:.0%} of requests" for name in failing)
    return not failing


def count_error_minutes(world: World, since: int) -> float:
    """Minutes of failing requests from `since` to now, weighted by their share."""
    weights = {operation.name: operation.weight for operation in world.blueprint.operations}
    total = 0.0
    for interval in traffic.list_intervals(world, since, world.now):
        share = sum(weight * (1.0 - interval.success[name]) for name, weight in weights.items())
        total += share * (interval.end - interval.start) / MINUTE
    return round(total, 3)
