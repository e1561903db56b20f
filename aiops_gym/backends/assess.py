"""What became of a simulated system after a repair: measured on forks of it, in virtual time.

The order is that of design section "Evaluation": let it settle, a quiet minute with its traffic, and then the next
events (`events`) in a fork. Nothing is taken from what the agent said.
"""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.backends import causes, damage, events, intent, steady
from aiops_gym.backends.affected import find_affected
from aiops_gym.backends.base import Assessment
from aiops_gym.backends.events import EVENTS, Case, Endured
from aiops_gym.backends.steady import Trouble
from aiops_gym.catalog.model import App, Fault
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World

ABSENT = {steady.GONE, steady.UNREADY}
TRAFFIC = {steady.FAILS, steady.SLOW, steady.LATE}


def assess(now: World, before: World, found: World, app: App, fault: Fault | None, thorough: bool = True) -> Assessment:
    """Measure a system on forks.

    Args:
        now: the world as the agent left it.
        before: the same world just before the incident.
        found: the world at the moment at which the agent first looked.
        app: the application.
        fault: what was done to it.
        thorough: let the next events happen where it is lost already, too; who only asks for `success` need not.
    """
    world = settled = now.fork_unrecorded()
    minutes = count_error_minutes(world, found.now)
    troubles = steady.hold(world, before, app)
    beside = intent.compare(before, world, app, fault)
    kinds = {trouble.kind for trouble in troubles}
    reasons = [f"{each.text} before any restart" if each.kind in TRAFFIC else each.text for each in troubles]
    later = Endured((), [])
    if not troubles and (thorough or not any(each.hard for each in beside)):
        hurt = list_repaired(app, fault)
        concerned, world = find_affected(before, found, world, app, hurt), world.fork_unseen()
        rolled = tuple(dict.fromkeys((*_list_hurt(app, fault), *concerned.changed)))
        later = events.endure(Case(world, before, app, rolled, concerned))
        reasons += [_word(trouble) for trouble in later.troubles]
    gone = not kinds & ABSENT and causes.is_cause_gone(before, world, app, fault, reasons)
    harm = damage.find_damage(before, settled, world, app, fault)
    return Assessment(
        cause_gone=gone,
        complete=not kinds & ABSENT,
        steady=len(later.names) == len(EVENTS),
        served=not kinds and not any(trouble.kind in TRAFFIC for trouble in later.troubles),
        endures=later.names,
        damage=harm,
        collateral=tuple(str(each) for each in beside if each.hard),
        left=tuple(str(each) for each in beside if not each.hard),
        error_minutes=minutes,
        reasons=(*reasons, *harm),
    )


def _word(trouble: Trouble) -> str:
    """What came to light after the events, in a sentence."""
    if trouble.kind == steady.UNREADY:
        _, _, why = trouble.text.partition(": ")
        return f"{trouble.name} does not come back after a restart{why and ': '}{why}"
    return f"{trouble.text} after a restart" if trouble.kind in TRAFFIC | ABSENT | {steady.RESTARTS} else trouble.text


def list_repaired(app: App, fault: Fault | None) -> tuple[str, ...]:
    """The deployments that a repair concerns; those with volumes where the cause names no component."""
    found: dict[str, None] = {}
    for part in fault.each if fault else ():
        named: Iterable[str] = filter(None, (part.cause.component, part.cause.service)) if part.cause else ()
        found |= dict.fromkeys(tuple(named) or _list_databases(app))
    return tuple(found) or _list_databases(app)


def _list_databases(app: App) -> tuple[str, ...]:
    return tuple(name for name in app.components if app.parameters.get(name, {}).get("database"))


def _list_hurt(app: App, fault: Fault | None) -> tuple[str, ...]:
    """The same without those that only suffer from it."""
    parts = fault.each if fault else (None,)
    return tuple(
        name
        for part in parts
        for cause in (part.cause if part else None,)
        for name in ((cause.component,) if cause and cause.component else list_repaired(app, part))
    )


def count_error_minutes(world: World, since: int) -> float:
    """Minutes of failing requests from `since` to now, weighted by their share."""
    weights = {operation.name: operation.weight for operation in world.blueprint.operations}
    total = 0.0
    for interval in traffic.list_intervals(world, since, world.now):
        share = sum(weight * (1.0 - interval.success[name]) for name, weight in weights.items())
        total += share * (interval.end - interval.start) / MINUTE
    return round(total, 3)
