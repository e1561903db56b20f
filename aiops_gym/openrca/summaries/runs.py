"""Series that leave their usual range: robust scores, and the runs of samples in which they do.

A matrix here has one row a series and one column a minute, and nan where nothing was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

THRESHOLD = 3.0
"""Robust standard deviations from the median beyond which a sample deviates."""

CEILING = 100.0
"""Of one sample's score, so that a series that never moved before does not outweigh all others."""

FLOOR = 0.005
"""Least standard deviation, as a share of the median: what moves less than this is of no interest."""

NORMAL = 1.4826
"""Standard deviations of a normal distribution in its median absolute deviation."""

CONSTANT = 1e-6
"""Likewise for what never moved at all, such as the time at which a process was started."""

LEAST = 5
"""Samples without which nothing is usual."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Consecutive samples that deviate to the same side, one entry a run.

    Attributes:
        series: row of the matrix.
        first: column of its first sample.
        samples: how many it has.
        strength: sum of their scores by the square root of their number; negative below the median.
    """

    series: Array
    first: Array
    samples: Array
    strength: Array


def estimate_usual(before: Array) -> tuple[Array, Array]:
    """Median and robust standard deviation of each series; nan where there are fewer than `LEAST` samples.

    The deviation follows from the median absolute one; where more than half of the samples are equal, it is the
    standard deviation about the median. It is never less than `FLOOR` of the median, or `CONSTANT` of it where all
    samples are equal.

    >>> median, deviation = estimate_usual(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, np.nan]]))
    >>> float(median[0]), round(float(deviation[0]), 4)
    (3.0, 1.4826)
    """
    median, count = compute_medians(before)
    median = np.where(count >= LEAST, median, np.nan)
    distance = np.abs(before - median[:, None])
    deviation = NORMAL * compute_medians(distance)[0]
    still = np.flatnonzero(deviation == 0)
    if len(still):
        # Squares weigh the few samples that move: a counter that is 1 now and then is no news when it is.
        deviation[still] = np.sqrt(np.nansum(distance[still] ** 2, axis=1) / np.maximum(count[still], 1))
    floor = np.where(deviation > 0, FLOOR, CONSTANT) * np.abs(median)
    return median, np.fmax(deviation, floor)


def compute_medians(matrix: Array) -> tuple[Array, Array]:
    """Median of what was measured in each row, nan where nothing was, and how many samples that is."""
    ordered = np.sort(matrix, axis=1)  # nan sorts last
    count = (~np.isnan(matrix)).sum(axis=1)
    rows = np.arange(len(matrix))
    low, high = np.maximum(count - 1, 0) // 2, count // 2
    return (ordered[rows, low] + ordered[rows, high]) / 2, count


def compute_scores(after: Array, median: Array, deviation: Array) -> Array:
    """How many robust standard deviations each sample lies from the median, at most `CEILING`.

    >>> compute_scores(np.array([[3.0, 5.0]]), np.array([3.0]), np.array([0.0])).tolist()
    [[0.0, 100.0]]
    """
    distance = after - median[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = distance / deviation[:, None]
    z[distance == 0] = 0.0
    return np.clip(z, -CEILING, CEILING)


def compute_excess(counts: Array, expected: Array) -> Array:
    """How many standard deviations counts of rare events lie from their expectations.

    Half a count is added to the variance: where nothing was expected, one or two are no news, and three are.

    >>> compute_excess(np.array([2, 3]), np.array([0.0, 0.0])).round(1).tolist()
    [2.8, 4.2]
    """
    found: Array = (counts - expected) / np.sqrt(expected + 0.5)
    return found


def find_runs(z: Array) -> Runs:
    """The runs in a matrix of scores, by series and time. Minutes without a sample do not end a run.

    >>> found = find_runs(np.array([[0.0, 4.0, np.nan, 5.0, -9.0]]))
    >>> found.first.tolist(), found.samples.tolist(), found.strength.round(2).tolist()
    ([1, 4], [2, 1], [6.36, -9.0])
    """
    series, slots = np.nonzero(~np.isnan(z))
    values = z[series, slots]
    side = (values > THRESHOLD).astype(np.int8) - (values < -THRESHOLD)
    if not side.any():
        return Runs(series[:0], slots[:0], slots[:0], values[:0])
    begins = np.ones(len(side), bool)
    begins[1:] = (side[1:] != side[:-1]) | (series[1:] != series[:-1])
    starts = np.flatnonzero(begins)
    samples = np.diff(starts, append=len(side))
    strength = np.add.reduceat(values, starts) / np.sqrt(samples)
    out = side[starts] != 0
    return Runs(series[starts][out], slots[starts][out], samples[out], strength[out])
