"""Sums and quantiles of many groups at once."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from aiops_gym.openrca.summaries.runs import Array

_FINE = 1000
"""Numbers that are not whole are told apart to a thousandth."""

_COUNTED, _CELLS = 12, 16
"""Bits of a value that are counted at most, and of the number of counts: a tenth of the time that sorting takes. What
lies below them is sorted, of the values that share a cell with the one that is asked for."""

_BITS = 44
"""Of a packed key that hold the value: durations up to 200 days in microseconds."""


class Described(NamedTuple):
    """Of each group: how many values it has, their sum, and their quantiles; nan for a group without values."""

    counts: Array
    total: Array
    quantiles: list[Array]


def describe(values: Array, groups: Array, height: int, shares: tuple[float, ...]) -> Described:
    """Sum up groups of values. A quantile is the smallest value that a share of the group's values do not exceed.

    Args:
        values: not negative.
        groups: below `height`.

    >>> found = describe(np.array([5, 1, 9]), np.array([0, 0, 1]), 3, (0.5, 0.95))
    >>> found.counts.tolist(), found.total.tolist(), [each.tolist() for each in found.quantiles]
    ([2, 1, 0], [6.0, 9.0, 0.0], [[1.0, 9.0, nan], [5.0, 9.0, nan]])
    """
    whole = values.dtype.kind == "i"
    if not whole or not len(values):
        count, total = np.bincount(groups, minlength=height), np.bincount(groups, values, height)
        scaled = values if whole else np.rint(values * _FINE).astype(np.int64)
        picked = _sorted(scaled, groups, count, _ranks(count, shares))
    else:
        count, total, picked = _counted(values, groups, height, shares)
    return Described(count, total, [np.where(count > 0, each / (1 if whole else _FINE), np.nan) for each in picked])


def _ranks(count: Array, shares: tuple[float, ...]) -> list[Array]:
    return [np.maximum(np.ceil(share * count - 1e-9).astype(np.int64), 1) for share in shares]


def _counted(values: Array, groups: Array, height: int, shares: tuple[float, ...]) -> tuple[Array, Array, list[Array]]:
    """By counting how often the highest bits of a value occur in each group."""
    bits = int(values.max()).bit_length()
    counted = max(1, min(_COUNTED, _CELLS - height.bit_length()))
    low, bits = max(0, bits - counted), max(bits, counted)
    packed, keys = (_take_scratch(name, len(values), np.int64) for name in ("packed", "keys"))
    np.left_shift(groups, bits, out=packed, dtype=np.int64, casting="unsafe")
    packed += values
    keys = np.right_shift(packed, low, out=keys) if low else packed
    cells = np.bincount(keys, minlength=height << bits - low).reshape(height, -1)
    reached, rows = cells.cumsum(axis=1), np.arange(height)
    count = reached[:, -1]
    ranks = _ranks(count, shares)
    found = [(reached >= rank[:, None]).argmax(axis=1) for rank in ranks]
    if not low:
        return count, (cells @ np.arange(cells.shape[1])).astype(float), found
    wanted = np.zeros(cells.shape, bool)
    for at in found:
        wanted[rows, at] = True
    near = np.sort(packed[np.take(wanted.ravel(), keys, out=_take_scratch("near", len(keys), np.bool_))])
    picked = []
    for at, rank in zip(found, ranks, strict=True):
        before = reached[rows, at] - cells[rows, at]
        place = np.searchsorted(near, (rows << bits) + (at << low)) + rank - 1 - before
        picked.append(near[np.minimum(place, len(near) - 1)] & ((1 << bits) - 1))
    floats = _take_scratch("floats", len(values), np.float64)
    floats[:] = values
    return count, np.bincount(np.right_shift(packed, bits, out=keys), floats, height), picked


_KEPT = 1 << 19
"""Values for which room is kept."""

_ROOM = threading.local()


def _take_scratch(name: str, size: int, dtype: type) -> Array:
    """Room for intermediate values, the same again: memory that is new costs more than what is done with it."""
    if size > _KEPT:
        return np.empty(size, dtype)
    kept: Array | None = getattr(_ROOM, name, None)
    if kept is None or len(kept) < size:
        kept = np.empty(1 << (size - 1).bit_length(), dtype)
        setattr(_ROOM, name, kept)
    return kept[:size]


def _sorted(values: Array, groups: Array, count: Array, ranks: list[Array]) -> list[Array]:
    if not len(values):
        return [np.zeros(len(count)) for _ in ranks]
    ordered = np.sort((groups.astype(np.int64) << _BITS) + values) & ((1 << _BITS) - 1)
    begin = np.cumsum(count) - count
    return [ordered[np.minimum(begin + rank - 1, len(ordered) - 1)] for rank in ranks]
