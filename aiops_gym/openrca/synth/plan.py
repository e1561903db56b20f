"""When what fails: drawn by a domain's statistics, or taken from given labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import numpy as np

from aiops_gym.openrca import clock
from aiops_gym.openrca.chance import make_generator
from aiops_gym.openrca.labels import HALF_HOUR, Record
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.synth.hits import LINGERS
from aiops_gym.openrca.synth.model import Failure, Profile, World

MANY_DAYS = 4
"""From so many days on, some are without failures."""

TRIES = 4000


def draw(domain: Domain, cloudbed: str, world: World, dates: Sequence[date], seed: int) -> tuple[Record, ...]:
    """Labels of some days, in the order of the domain's record.csv."""
    rng = make_generator(seed, domain.name, cloudbed, "plan")
    profile = world.profile
    moments = [each for day in _failing(dates, profile, rng) for each in _moments(domain, day, profile, rng)]
    pairs = _pairs(profile, len(moments), rng)
    made = [
        Record(profile.levels[component], component, moment, reason)
        for moment, (reason, component) in zip(moments, pairs, strict=True)
    ]
    return tuple(sorted(made, key=lambda each: (_block(each, domain, profile), each.timestamp)))


def plan_failures(
    domain: Domain, cloudbed: str, world: World, records: Iterable[Record], seed: int
) -> tuple[Failure, ...]:
    """How the labelled failures go: when they show, how strongly, and where."""
    return tuple(_going(domain, cloudbed, world, record, seed) for record in records)


def find_touching(failures: Iterable[Failure], start: int, end: int) -> tuple[Failure, ...]:
    """Those that may show between two Unix seconds."""
    return tuple(each for each in failures if each.onset < end and each.end + LINGERS > start)


def list_days(records: Iterable[Record]) -> tuple[date, ...]:
    """The days on which something fails."""
    return tuple(sorted({clock.to_local(record.timestamp * 1000).date() for record in records}))


def _going(domain: Domain, cloudbed: str, world: World, record: Record, seed: int) -> Failure:
    who = (record.level, record.component, record.timestamp, record.reason)
    rng = make_generator(seed, domain.name, cloudbed, "failure", *who)
    profile, reason = world.profile, world.reasons[record.reason]
    onset = record.timestamp + int(profile.delay * rng.random() ** 2)
    onset = min(onset, max(record.timestamp, _close(domain, record) - profile.lasts[0]))
    low, high = profile.lasts
    return Failure(
        level=record.level,
        component=record.component,
        timestamp=record.timestamp,
        reason=record.reason,
        onset=onset,
        end=onset + int(rng.integers(low, high + 1)),
        intensity=float(np.clip(rng.lognormal(0.0, 0.25), 0.6, 1.8)),
        shown=frozenset(part for part in ("metric", "trace", "log") if rng.random() < reason.shares.get(part, 0.0)),
    )


def _close(domain: Domain, record: Record) -> int:
    """Unix seconds at which the recording of the record's day ends: what begins later is on no file."""
    return clock.parse(clock.to_local(record.timestamp * 1000).date()) // 1000 + 3600 * domain.hours[1]


def _failing(dates: Sequence[date], profile: Profile, rng: np.random.Generator) -> list[date]:
    free = rng.random(len(dates)) < (profile.free_days if len(dates) >= MANY_DAYS else 0.0)
    return [day for day, none in zip(dates, free, strict=True) if not none] or list(dates[:1])


def _moments(domain: Domain, day: date, profile: Profile, rng: np.random.Generator) -> list[int]:
    """Unix seconds of a day's failures: apart by the least gap, at most two in a half hour."""
    midnight = clock.parse(day) // 1000
    shares = np.asarray(profile.hours, float) / sum(profile.hours)
    wanted = int(rng.integers(profile.per_day[0], profile.per_day[1] + 1))
    found: list[int] = []
    for _ in range(TRIES):
        if len(found) == wanted:
            break
        half = 2 * (domain.hours[0] + int(rng.choice(len(shares), p=shares))) + int(rng.integers(2))
        low, high = profile.offsets
        second = int(60 * (low + (high - low) * rng.random()))
        moment = midnight + half * HALF_HOUR + (second // 60 * 60 if profile.whole_minutes else second)
        beside = sum(each // HALF_HOUR == moment // HALF_HOUR for each in found)
        near = any(abs(each - moment) < 60 * profile.least_gap for each in found)
        if not near and (not beside or (beside == 1 and rng.random() < profile.pairs)):
            found.append(moment)
    return sorted(found)


def _pairs(profile: Profile, n: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """What fails where. Where there is room, each reason occurs."""
    weights = {reason: sum(where.values()) for reason, where in profile.hits.items()}
    names = list(weights)
    shares = np.array(list(weights.values())) / sum(weights.values())
    reasons = [names[each] for each in rng.choice(len(names), size=n, p=shares)]
    if n >= 1.5 * len(names):
        reasons[: len(names)] = names
    reasons = [reasons[each] for each in rng.permutation(n)]
    return [(reason, _where(profile.hits[reason], rng)) for reason in reasons]


def _where(weights: Mapping[str, float], rng: np.random.Generator) -> str:
    shares = np.array(list(weights.values()), float)
    return list(weights)[int(rng.choice(len(shares), p=shares / shares.sum()))]


def _block(record: Record, domain: Domain, profile: Profile) -> int:
    """Place of the record's part of the file."""
    if profile.blocks == "reason":
        return domain.reasons.index(record.reason)
    if profile.blocks == "level":
        return 2 * (record.timestamp * 1000 // clock.DAY) + domain.levels.index(record.level)
    return 0
