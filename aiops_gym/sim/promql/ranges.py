"""Functions of range vectors: each is worked out for all series and all steps of a window at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from aiops_gym.sim.promql.errors import SAME_LABELS, QueryError
from aiops_gym.sim.promql.golang import print_float
from aiops_gym.sim.promql.selecting import Run
from aiops_gym.sim.promql.vectors import Bools, Floats, Indices, Range, Vector, Window, drop_name, present

MOST_CELLS = 1_000_000
"""Samples that are looked at in one go; more are cut by series."""


class Block(NamedTuple):
    """Windows side by side: series, step, sample.

    Attributes:
        values, inside: of each sample, and whether it is one: shorter windows are padded.
        times: ms, step and sample.
        many: samples in the window of each step.
        ends, steps, length: see `Range`.
    """

    values: Floats
    inside: Bools
    times: Floats
    many: Indices
    ends: Floats
    steps: Floats
    length: int

    def at(self, index: Indices) -> Floats:
        """The sample at an index of each window."""
        return self.values[:, np.arange(len(index)), np.maximum(index, 0)]

    def time_at(self, index: Indices) -> Floats:
        """When it was taken."""
        found: Floats = self.times[np.arange(len(index)), np.maximum(index, 0)]
        return found

    def padded(self, value: float) -> Floats:
        """The samples, with a value for the padding."""
        return np.where(self.inside, self.values, value)

    def pairs(self) -> tuple[Floats, Floats, Bools]:
        """Each sample and the one before, and whether both are some."""
        return self.values[:, :, 1:], self.values[:, :, :-1], self.inside[:, 1:]


Measured = tuple[Floats, Bools]
"""A row a series, a column a step; and whether there is a value."""

Measure = Callable[[Block, Sequence[Floats]], Measured]


def apply(run: Run, name: str, found: Range, parameters: Sequence[Floats]) -> Vector:
    """A function of a range vector, with its scalars at each step. Raises QueryError."""
    shape = (len(found.labels), len(found.steps))
    values, there = np.zeros(shape), np.zeros(shape, np.bool_)
    for window in found.windows:
        for rows, block in _blocks(run, found, window):
            values[rows], kept = MEASURES[name](block, parameters)
            there[rows] = kept & (block.many > 0)
    labels = found.labels if name == "last_over_time" else [drop_name(each) for each in found.labels]
    result = present(Vector(labels, values, there))
    if len(set(result.labels)) < len(result.labels):
        raise QueryError(SAME_LABELS)
    return result


def _blocks(run: Run, found: Range, window: Window) -> Iterator[tuple[Indices, Block]]:
    many = window.high - window.low
    widest = int(many.max(initial=0))
    if not widest:
        return
    run.spend(len(window.rows) * int(many.sum()))
    index = np.minimum(window.low[:, None] + np.arange(widest), len(window.times) - 1)
    inside, times = np.arange(widest) < many[:, None], window.times[index].astype(np.float64)
    ends, steps = found.ends.astype(np.float64), found.steps.astype(np.float64)
    at_once = max(1, MOST_CELLS // index.size)
    for first in range(0, len(window.rows), at_once):
        part = slice(first, first + at_once)
        block = Block(window.values[part][:, index], inside, times, many, ends, steps, found.length)
        yield window.rows[part], block


def _all(block: Block) -> Bools:
    return block.many > 0


def _rate(counter: bool, per_second: bool) -> Measure:
    def measure(block: Block, parameters: Sequence[Floats]) -> Measured:
        first, last = block.values[:, :, 0], block.at(block.many - 1)
        risen = last - first
        if counter:
            now, before, both = block.pairs()
            risen = risen + np.where(both & (now < before), before, 0.0).sum(axis=2)
        begun, ended = block.times[:, 0], block.time_at(block.many - 1)
        to_start, to_end = (begun - (block.ends - block.length)) / 1000, (block.ends - ended) / 1000
        sampled = (ended - begun) / 1000
        average = sampled / np.maximum(block.many - 1, 1)
        before_first: Floats = np.broadcast_to(to_start, risen.shape)
        if counter:  # it cannot have begun below zero
            to_zero = sampled * (first / np.where(risen == 0, 1.0, risen))
            before_first = np.where((risen > 0) & (first >= 0) & (to_zero < to_start), to_zero, before_first)
        near = average * 1.1
        covered = sampled + np.where(before_first < near, before_first, average / 2)
        covered = covered + np.where(to_end < near, to_end, average / 2)
        factor = covered / sampled / (block.length / 1000 if per_second else 1.0)
        return risen * factor, np.broadcast_to(block.many > 1, risen.shape)

    return measure


def _instant(counter: bool) -> Measure:
    def measure(block: Block, parameters: Sequence[Floats]) -> Measured:
        last, before = block.at(block.many - 1), block.at(block.many - 2)
        seconds = (block.time_at(block.many - 1) - block.time_at(block.many - 2)) / 1000
        risen = np.where(last < before, last, last - before) if counter else last - before
        return (risen / seconds if counter else risen), np.broadcast_to(block.many > 1, risen.shape)

    return measure


def _count_pairs(holds: Callable[[Floats, Floats], Bools]) -> Measure:
    def measure(block: Block, parameters: Sequence[Floats]) -> Measured:
        now, before, both = block.pairs()
        return (holds(now, before) & both).sum(axis=2).astype(np.float64), _all(block)

    return measure


def _changed(now: Floats, before: Floats) -> Bools:
    found: Bools = (now != before) & ~(np.isnan(now) & np.isnan(before))
    return found


def _simple(function: Callable[[Block], Floats]) -> Measure:
    return lambda block, parameters: (function(block), _all(block))


def _sum(block: Block) -> Floats:
    found: Floats = block.padded(0.0).sum(axis=2)
    return found


def _average(block: Block) -> Floats:
    return _sum(block) / block.many


def _variance(block: Block) -> Floats:
    near = np.where(block.inside, block.values - block.values[:, :, :1], 0.0)  # equal values have no variance at all
    away = np.where(block.inside, near - (near.sum(axis=2) / block.many)[:, :, None], 0.0)
    found: Floats = (away * away).sum(axis=2) / block.many
    return found


def _quantile(block: Block, parameters: Sequence[Floats]) -> Measured:
    return take_quantile(np.moveaxis(block.padded(np.inf), 2, 0), parameters[0], block.many), _all(block)


def take_quantile(values: Floats, q: Floats, many: Indices) -> Floats:
    """A quantile along the first axis; padding is positive infinity, and NaN counts as smallest."""
    missing = np.isnan(values).sum(axis=0)
    ordered = np.sort(np.where(np.isnan(values), -np.inf, values), axis=0)
    many = np.broadcast_to(many, missing.shape)
    rank = np.where((q >= 0) & (q <= 1), q, 0.0) * np.maximum(many - 1, 0)
    lower = np.maximum(np.floor(rank), 0).astype(np.intp)
    upper, weight = np.minimum(np.maximum(many - 1, 0), lower + 1), rank - np.floor(rank)

    def pick(index: Indices) -> Floats:
        found = np.take_along_axis(ordered, index[None], axis=0)[0]
        return np.where(index < missing, np.nan, found)

    found = pick(lower) * (1 - weight) + pick(upper) * weight
    found = np.where(q < 0, -np.inf, np.where(q > 1, np.inf, found))
    return np.where(np.isnan(q), np.nan, found)


def _line(block: Block, since: Floats) -> tuple[Floats, Floats]:
    """Slope and value at `since` of the line through the samples of each window."""
    x = np.where(block.inside, (block.times - since[:, None]) / 1000, 0.0)
    y = block.padded(0.0)
    many = np.maximum(block.many, 1)
    x_mean, y_mean = x.sum(axis=1) / many, y.sum(axis=2) / many
    x_away = np.where(block.inside, x - x_mean[:, None], 0.0)
    y_away = np.where(block.inside, y - y_mean[:, :, None], 0.0)
    slope = (x_away * y_away).sum(axis=2) / (x_away * x_away).sum(axis=1)
    first = block.values[:, :, :1]
    constant = np.where(block.inside, block.values == first, True).all(axis=2)
    level = np.where(np.isinf(first[:, :, 0]), np.nan, first[:, :, 0])
    slope = np.where(constant, np.where(np.isnan(level), np.nan, 0.0), slope)
    return slope, np.where(constant, level, y_mean - slope * x_mean)


def _deriv(block: Block, parameters: Sequence[Floats]) -> Measured:
    slope, _ = _line(block, block.times[:, 0])
    return slope, np.broadcast_to(block.many > 1, slope.shape)


def _predict(block: Block, parameters: Sequence[Floats]) -> Measured:
    slope, level = _line(block, block.steps)
    return slope * parameters[0] + level, np.broadcast_to(block.many > 1, slope.shape)


def _check_factors(block: Block, parameters: Sequence[Floats]) -> None:
    for title, values in zip(("smoothing", "trend"), parameters, strict=True):
        wrong = values[~((values > 0) & (values < 1)) & (block.many > 0)]
        if len(wrong):
            shown = f"{wrong[0]:f}" if np.isfinite(wrong[0]) else print_float(float(wrong[0]))
            raise QueryError(f"invalid {title} factor. Expected: 0 < {title[0]}f < 1, got: {shown}")


def _smooth(block: Block, parameters: Sequence[Floats]) -> Measured:
    _check_factors(block, parameters)
    smoothing, trending = parameters
    widest = block.values.shape[2]
    level = block.values[:, :, 0]
    trend = block.values[:, :, 1] - level if widest > 1 else level
    before = np.zeros_like(level)
    for i in range(1, widest):
        if i > 1:
            new_trend = trending * (level - before) + (1 - trending) * trend
            trend = np.where(block.inside[:, i], new_trend, trend)
        new = smoothing * block.values[:, :, i] + (1 - smoothing) * (level + trend)
        before = np.where(block.inside[:, i], level, before)
        level = np.where(block.inside[:, i], new, level)
    return level, np.broadcast_to(block.many > 1, level.shape)


def _widest(block: Block) -> Floats:
    found: Floats = np.fmax.reduce(block.padded(np.nan), axis=2)
    return found


def _least(block: Block) -> Floats:
    found: Floats = np.fmin.reduce(block.padded(np.nan), axis=2)
    return found


def _ones(block: Block) -> Floats:
    return np.ones(block.values.shape[:2])


MEASURES: Mapping[str, Measure] = {
    "rate": _rate(counter=True, per_second=True),
    "increase": _rate(counter=True, per_second=False),
    "delta": _rate(counter=False, per_second=False),
    "irate": _instant(counter=True),
    "idelta": _instant(counter=False),
    "changes": _count_pairs(_changed),
    "resets": _count_pairs(lambda now, before: now < before),
    "sum_over_time": _simple(_sum),
    "avg_over_time": _simple(_average),
    "min_over_time": _simple(_least),
    "max_over_time": _simple(_widest),
    "count_over_time": _simple(lambda block: _ones(block) * block.many),
    "present_over_time": _simple(_ones),
    "last_over_time": _simple(lambda block: block.at(block.many - 1)),
    "stdvar_over_time": _simple(_variance),
    "stddev_over_time": _simple(lambda block: np.sqrt(_variance(block))),
    "quantile_over_time": _quantile,
    "deriv": _deriv,
    "predict_linear": _predict,
    "holt_winters": _smooth,
}
"""`absent_over_time` is with what is absent."""
