"""Confidence intervals of means of numbers between 0 and 1, where some of the numbers are alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Z = 1.959963984540054
"""Quantile of the normal distribution that leaves 2.5 % above."""


def compute_wilson(rate: float, trials: float) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's score; (0, 1) without trials.

    Args:
        rate: from 0 to 1.
        trials: need not be a whole number.

    >>> tuple(round(end, 4) for end in compute_wilson(0.8, 10))
    (0.4902, 0.9433)
    """
    if trials == 0:
        return 0.0, 1.0
    square = Z * Z
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    half = Z / (1 + square / trials) * sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def compute_interval(groups: Sequence[Sequence[float]], *, bounded: bool = True) -> tuple[float, float]:
    """The 95 % interval of the mean of all values, each from 0 to 1; (0, 1) for no values.

    Episodes of one incident are alike, so they are worth fewer independent ones. Wilson's interval is that of so many
    trials as would scatter like the means of the groups do, the effective size of a cluster sample: at most as many as
    there are values, and as many as there are groups where these do not differ at all. Single values of 0 and 1 have
    Wilson's own interval. Unlike a bootstrap's it does not shrink to nothing when a few values agree.

    Args:
        groups: values that are alike together.
        bounded: never take values for more than as many independent ones; False for differences, most of which are
            alike, so that they scatter far less than 0 and 1 would.

    >>> [tuple(round(end, 2) for end in compute_interval(groups)) for groups in ([[1, 1, 1]] * 4, [[0], [1]] * 20)]
    [(0.51, 1.0), (0.35, 0.65)]
    """
    values = [value for group in groups for value in group]
    return compute_interval_around(sum(values) / len(values) if values else 0.0, groups, bounded=bounded)


def compute_interval_around(
    estimate: float, groups: Sequence[Sequence[float]], *, bounded: bool = True
) -> tuple[float, float]:
    """The 95 % interval of an estimate that scatters as the mean of groups does, and may differ from that a little.

    >>> compute_interval_around(0.5, [[1], [0]] * 20) == compute_interval([[1], [0]] * 20)
    True
    """
    kept = [group for group in groups if group]
    count = sum(map(len, kept))
    if not count:
        return 0.0, 1.0
    mean = sum(map(sum, kept)) / count
    return compute_wilson(min(1.0, estimate), _trials(kept, count, mean, bounded))


def compute_crossed_interval(table: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The 95 % interval of the mean of a table of which both rows and columns are drawn: training runs, and problems.

    Both scatter the mean. As in `compute_interval`, it is Wilson's at as many trials as would scatter as much: at most
    as many as there are columns, since the same problems are played by each run.

    Args:
        table: rows of equal length, values from 0 to 1.

    >>> tables = [[1] * 40] * 3, [[1] * 40, [0] * 40, [1] * 40]
    >>> [tuple(round(end, 2) for end in compute_crossed_interval(table)) for table in tables]
    [(0.91, 1.0), (0.16, 0.95)]
    """
    columns = list(zip(*table, strict=True))
    if not columns:
        return 0.0, 1.0
    means = [sum(row) / len(row) for row in table]
    mean = sum(means) / len(means)
    scatter = sum(_error(each) for each in (means, [sum(column) / len(column) for column in columns]))
    varied = mean * (1 - mean)
    trials = len(columns) if scatter <= varied / len(columns) else max(1.0, varied / scatter)
    return compute_wilson(min(1.0, mean), trials)


def _error(values: Sequence[float]) -> float:
    """Squared standard error of the mean of values; 0 for a single one, of which nothing is known."""
    n = len(values)
    mean = sum(values) / n
    return sum((value - mean) ** 2 for value in values) / max(1, n - 1) / n


def _trials(groups: Sequence[Sequence[float]], count: int, mean: float, bounded: bool) -> float:
    """How many independent values of 0 and 1 would have a mean that is known as well."""
    if len(groups) < 2:
        return 1.0
    scatter = sum((sum(group) - mean * len(group)) ** 2 for group in groups) / count**2
    scatter *= (1 + 1 / (len(groups) - 1)) / (1 + 1 / (count - 1))
    if scatter < 1e-12 * mean * (1 - mean) or mean in (0.0, 1.0):
        return float(len(groups))
    trials = max(1.0, mean * (1 - mean) / scatter)
    return min(trials, float(count)) if bounded else trials
