"""Which failures touch what, and how much at which time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from aiops_gym.openrca.synth.model import Day, Effect, Failure, Instead, Longer, Slow

LINGERS = 900
"""Seconds that a `step` stays after its failure's end: what filled a disk is removed later."""


def find_metric_hits(day: Day) -> Iterator[tuple[Failure, Effect, tuple[str, ...]]]:
    """Each failure of the day that shows in metrics, with each of its effects and whose series have it."""
    for failure in day.failures:
        for effect in day.world.reasons[failure.reason].metrics if "metric" in failure.shown else ():
            if _applies(effect.levels, failure) and _drawn(day, failure, effect.share, effect.kpi, effect.scope):
                yield failure, _shaped(day, failure, effect), day.world.reach(failure.component, effect.scope)


def find_call_hits(day: Day, start: float, end: float) -> list[tuple[Failure, Slow, tuple[str, ...]]]:
    """What happens to calls between two Unix seconds."""
    return [
        (failure, slow, _hit(day, failure, slow))
        for failure in day.failures
        if "trace" in failure.shown and failure.onset < end and failure.end > start
        for slow in day.world.reasons[failure.reason].calls
        if _applies(slow.levels, failure)
    ]


def find_longer_hits(day: Day) -> list[tuple[Failure, Longer, tuple[str, ...]]]:
    """Which amounts in log lines grow."""
    return [
        (failure, longer, day.world.reach(failure.component, longer.scope))
        for failure in day.failures
        if "log" in failure.shown
        for longer in day.world.reasons[failure.reason].longer
        if _applies(longer.levels, failure)
    ]


def find_instead_hits(day: Day) -> list[tuple[Failure, Instead, tuple[str, ...]]]:
    """Which lines say something else."""
    return [
        (failure, instead, day.world.reach(failure.component, instead.scope))
        for failure in day.failures
        if "log" in failure.shown
        for number, instead in enumerate(day.world.reasons[failure.reason].instead)
        if _applies(instead.levels, failure) and _drawn(day, failure, instead.share, "instead", number)
    ]


def compute_weights(shape: str, times: np.ndarray, failure: Failure, step: int = 60) -> np.ndarray:
    """How much of an effect shows at some Unix seconds, 0 to 1.

    >>> failure = Failure(level="pod", component="a", timestamp=0, reason="r", onset=60, end=300)
    >>> compute_weights("plateau", np.arange(0, 420, 60), failure).tolist()
    [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    >>> compute_weights("spike", np.arange(0, 420, 60), failure).tolist()
    [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    end = failure.end
    if shape == "spike":
        end = min(end, failure.onset + 3 * max(step, 60))
    elif shape == "step":
        end += LINGERS
    inside = (times >= failure.onset) & (times < end)
    if shape == "ramp":
        return np.where(inside, 0.25 + 0.75 * (times - failure.onset) / max(end - failure.onset, 1), 0.0)
    return inside.astype(float)


def fills(shape: str, share: float) -> float:
    """Share of the ten minutes after the label that an effect fills, on average, where a plateau fills `share`."""
    return {"ramp": 0.62 * share, "spike": 0.28, "step": (1 + share) / 2}.get(shape, share)


CREEPING = 0.15
"""Share of the failures on the profile `hard` that grow slowly, without a moment at which they begin to show."""


def _shaped(day: Day, failure: Failure, effect: Effect) -> Effect:
    creeps = day.hard and day.unit("creeps", failure.component, failure.timestamp) < CREEPING
    return replace(effect, shape="ramp") if creeps and effect.shape == "plateau" else effect


def _hit(day: Day, failure: Failure, slow: Slow) -> tuple[str, ...]:
    """Instances whose calls are hit; on the profile `hard` those that feel what has no calls of its own."""
    names = day.world.reach(failure.component, slow.scope)
    felt = day.world.felt(failure.component) if day.hard else ()
    return names if set(names) & set(felt) else felt or names


def _applies(levels: tuple[str, ...], failure: Failure) -> bool:
    return not levels or failure.level in levels


def _drawn(day: Day, failure: Failure, share: float, *what: object) -> bool:
    return share >= 1 or day.unit("share", failure.component, failure.timestamp, *what) < share
