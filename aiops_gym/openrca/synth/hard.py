"""The profile `hard`: what makes that no single look solves a question.

A failure shows in measurements and in calls, and beside it stand decoys as strong as it is that show in one of them
only: work that nobody waits for, the same trouble where no call passes, a slow neighbour without a cause of its own, an
echo in who calls what failed. Only who compares both, and knows who calls whom, can tell. Everything here is drawn by
purposes of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from aiops_gym.openrca.chance import make_generator
from aiops_gym.openrca.labels import HALF_HOUR
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.synth.causes import list_callers
from aiops_gym.openrca.synth.model import Failure, Reason, Slow, World

DECOYS = {"metric": 6, "trace": 5, "log": 1}
"""How many stand beside a failure, by where alone they show."""

ALIKE = 8
"""How many decoys in calls have a failure's reason, where that one tells itself; there are no others then."""

IDLE = 3
"""How many components that no call passes have a failure's trouble too, where there are such."""

CLEAR = 420
"""Seconds between what shows in measurements and what shows in calls, of things that are not one."""

TRIES = 40
"""Draws until a decoy is left out for want of room."""

SHOWN = 0.97
"""Share of the failures that show, in each of measurements and calls."""

LEAST_SLOW = 8.0
"""Least factor of the time of calls that feel a failure."""

COMMON = 0.25
"""Largest share of one reason: to name the most frequent one is worth little."""

_ECHO = (90, 240)
"""Seconds after which a caller shows an echo."""


def harden(world: World) -> World:
    """The same systems: each failure is felt by calls, and only what calls feel fails."""
    profile = world.profile
    hits = {
        reason: {name: w for name, w in where.items() if world.felt(name)} for reason, where in profile.hits.items()
    }
    reasons = {name: _felt(reason) for name, reason in world.reasons.items()}
    return replace(world, profile=replace(profile, hits=_cap({k: v for k, v in hits.items() if v})), reasons=reasons)


def _cap(hits: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]]:
    """The same, no reason more frequent than `COMMON`."""
    sums = {reason: sum(where.values()) for reason, where in hits.items()}
    capped: set[str] = set()
    while True:
        rest = sum(each for reason, each in sums.items() if reason not in capped)
        most = COMMON * rest / (1 - COMMON * len(capped))
        over = {reason for reason, each in sums.items() if reason not in capped and each > most}
        if not over:
            break
        capped |= over
    factors = {reason: most / sums[reason] if reason in capped else 1.0 for reason in hits}
    return {reason: {name: w * factors[reason] for name, w in where.items()} for reason, where in hits.items()}


def _felt(reason: Reason) -> Reason:
    slow = tuple(replace(each, own=max(each.own, LEAST_SLOW) if each.own > 1 else each.own) for each in reason.calls)
    shares = {**reason.shares, "metric": SHOWN, "trace": SHOWN}
    return replace(reason, shares=shares, calls=slow or (Slow(own=LEAST_SLOW),))


def draw_decoys(
    domain: Domain, cloudbed: str, world: World, failures: Sequence[Failure], seed: int
) -> tuple[Failure, ...]:
    """What shows beside the failures and is none."""
    buckets: dict[int, list[Failure]] = {}
    for each in failures:
        buckets.setdefault(each.timestamp // HALF_HOUR, []).append(each)
    callers = list_callers(world)
    made: dict[int, list[Failure]] = {}
    for bucket, true in sorted(buckets.items()):
        rng = make_generator(seed, domain.name, cloudbed, "decoys", bucket)
        beside = [*made.get(bucket - 1, ()), *buckets.get(bucket - 1, ()), *buckets.get(bucket + 1, ())]
        made[bucket] = _bucket(world, callers, bucket * HALF_HOUR, true, beside, rng)
    return tuple(each for found in made.values() for each in found)


def _bucket(
    world: World,
    callers: Mapping[str, Sequence[str]],
    start: int,
    true: Sequence[Failure],
    beside: Sequence[Failure],
    rng: np.random.Generator,
) -> list[Failure]:
    """Those of one half hour.

    Args:
        beside: what shows in the half hours before and after.
    """
    made = [*beside, *true]
    for each in true:  # a caller of what failed, a while later: waiting looks like having failed
        where = world.profile.hits.get(each.reason, {})
        above = sorted({name for at in world.felt(each.component) for name in callers.get(at, ()) if name in where})
        if above:
            onset = each.onset + int(rng.integers(*_ECHO))
            _add(made, _decoy(world, above[int(rng.integers(len(above)))], each.reason, onset, "metric", rng), world)
    pairs = [(reason, name) for reason, where in world.profile.hits.items() for name in where]
    weights = np.array([world.profile.hits[reason][name] for reason, name in pairs])
    for part, count in DECOYS.items():
        for each in true:
            alike = part == "trace" and _tells_itself(world, each.reason)
            fits = weights * np.array([not alike or reason == each.reason for reason, _ in pairs])
            for _ in range(ALIKE if alike else count):
                _place(made, pairs, fits, part, world, start, rng)
    for each in true:
        idle = [(each.reason, name) for name in _list_idle(world, each.component)]
        for _ in range(IDLE if idle else 0):
            _place(made, idle, np.ones(len(idle)), "metric", world, start, rng)
    return made[len(beside) + len(true) :]


def _place(
    made: list[Failure],
    pairs: Sequence[tuple[str, str]],
    weights: np.ndarray,
    part: str,
    world: World,
    start: int,
    rng: np.random.Generator,
) -> None:
    """Add a decoy of one of some reasons and components, where there is room for it."""
    for _ in range(TRIES):
        reason, name = pairs[int(rng.choice(len(pairs), p=weights / weights.sum()))]
        onset = start + int(rng.integers(HALF_HOUR - 60))
        if _add(made, _decoy(world, name, reason, onset, part, rng), world):
            return


def _list_idle(world: World, component: str) -> list[str]:
    """The components of its kind, which differ from it by a number, that no call feels."""
    kind = component.rstrip("0123456789")
    return [name for name in world.profile.levels if name.rstrip("0123456789") == kind and not world.felt(name)]


def _tells_itself(world: World, reason: str) -> bool:
    """Whether a reason slows the component itself and no other does: whoever is slowest would have it."""
    slowing = {name for name, each in world.reasons.items() if any(call.own > 1 for call in each.calls)}
    return slowing == {reason}


def _add(made: list[Failure], decoy: Failure, world: World) -> bool:
    """Add a decoy unless it would pass for a failure, or hide one, beside what there is already."""
    mine = {decoy.component, *world.felt(decoy.component)}
    for each in made:
        near = abs(each.onset - decoy.onset) < CLEAR
        if near and mine & {each.component, *world.felt(each.component)}:
            return False
    made.append(decoy)
    return True


def _decoy(world: World, component: str, reason: str, onset: int, part: str, rng: np.random.Generator) -> Failure:
    low, high = world.profile.lasts
    return Failure(
        level=world.profile.levels[component],
        component=component,
        timestamp=onset,
        reason=reason,
        onset=onset,
        end=onset + int(rng.integers(low, high + 1)),
        intensity=float(np.clip(rng.lognormal(0.0, 0.25), 0.6, 1.8)),
        shown=frozenset((part,)),
    )
