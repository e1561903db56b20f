"""Quantiles of many groups at once."""

from __future__ import annotations

import numpy as np

from aiops_gym.openrca.summaries.runs import Array

_FINE = 1000
"""Numbers that are not whole are told apart to a thousandth."""

_COUNTED = 4096
"""Values below this are counted rather than sorted, a quarter of the time."""

_CELLS = 1_000_000
"""Counts at most."""

_BITS = 44
"""Of a packed key that hold the value: durations up to 200 days in microseconds."""


def compute_quantiles(values: Array, groups: Array, height: int, shares: tuple[float, ...]) -> list[Array]:
    """The smallest value of each group that a share of its values do not exceed; nan for a group without values.

    Args:
        values: not negative.
        groups: below `height`.

    >>> [each.tolist() for each in compute_quantiles(np.array([5, 1, 9]), np.array([0, 0, 1]), 3, (0.5, 0.95))]
    [[1.0, 9.0, nan], [5.0, 9.0, nan]]
    """
    count = np.bincount(groups, minlength=height)
    ranks = [np.maximum(np.ceil(share * count - 1e-9).astype(np.int64), 1) for share in shares]
    whole = values.dtype.kind == "i"
    if whole and len(values) and values.max() < _COUNTED and height * _COUNTED <= _CELLS:
        picked = _counted(values, groups, height, ranks)
    else:
        picked = _sorted(values if whole else np.rint(values * _FINE).astype(np.int64), groups, count, ranks)
    return [np.where(count > 0, each / (1 if whole else _FINE), np.nan) for each in picked]


def _counted(values: Array, groups: Array, height: int, ranks: list[Array]) -> list[Array]:
    """By counting how often each value occurs, where there are few different ones."""
    cells = np.bincount(groups * np.int64(_COUNTED) + values, minlength=height * _COUNTED)
    reached = cells.reshape(height, _COUNTED).cumsum(axis=1)
    return [(reached >= rank[:, None]).argmax(axis=1) for rank in ranks]


def _sorted(values: Array, groups: Array, count: Array, ranks: list[Array]) -> list[Array]:
    if not len(values):
        return [np.zeros(len(count)) for _ in ranks]
    ordered = np.sort((groups.astype(np.int64) << _BITS) + values) & ((1 << _BITS) - 1)
    begin = np.cumsum(count) - count
    return [ordered[np.minimum(begin + rank - 1, len(ordered) - 1)] for rank in ranks]
