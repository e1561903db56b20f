"""Confidence intervals: of a rate, and of a mean."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

Z = 1.959963984540054
"""Quantile of the normal distribution that leaves 2.5 % above."""

ROUNDS = 2_000
"""Resamples of a bootstrap."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's score; (0, 1) without trials.

    >>> tuple(round(end, 4) for end in wilson(8, 10))
    (0.4902, 0.9433)
    """
    if trials == 0:
        return 0.0, 1.0
    rate, square = successes / trials, Z * Z
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    half = Z / (1 + square / trials) * sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap(groups: Sequence[Sequence[float]], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of the mean of all values, by resampling whole groups; (nan, nan) for no values.

    Episodes of one problem are alike, so it is problems that are drawn anew, and not episodes.

    >>> bootstrap([[1.0, 1.0], [1.0]])
    (1.0, 1.0)
    """
    kept = [group for group in groups if group]
    if not kept:
        return float("nan"), float("nan")
    sums = np.array([sum(group) for group in kept])
    counts = np.array([len(group) for group in kept])
    drawn = np.random.default_rng(seed).integers(0, len(kept), (ROUNDS, len(kept)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
