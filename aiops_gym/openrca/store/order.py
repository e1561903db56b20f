"""Sorting whole numbers, ties in their order."""

from __future__ import annotations

import numpy as np


def sort_stably(keys: np.ndarray) -> np.ndarray | None:
    """The permutation that sorts whole numbers, ties in their order; None when they are sorted.

    Key and position are packed into one number where both fit: sorting plain numbers is several times faster than a
    stable sort of positions.

    >>> sort_stably(np.array([3, 1, 2, 1])).tolist(), sort_stably(np.array([1, 1, 2]))
    ([1, 3, 2, 0], None)
    """
    if len(keys) < 2 or bool((keys[1:] >= keys[:-1]).all()):
        return None
    low, bits = int(keys.min()), len(keys).bit_length()
    if (int(keys.max()) - low).bit_length() + bits > 62:
        return np.argsort(keys, kind="stable")
    packed = keys.astype(np.int64)
    packed -= low
    packed <<= bits
    packed |= np.arange(len(keys))
    packed.sort()
    packed &= (1 << bits) - 1
    return packed


def sort_within(series: np.ndarray | None, times: np.ndarray) -> np.ndarray | None:
    """The permutation that sorts by series, then time, then position; None when they are sorted so."""
    order = sort_stably(times)
    if series is None:
        return order
    again = sort_stably(series if order is None else series[order])
    if again is None or order is None:
        return order if again is None else again
    both: np.ndarray = order[again]
    return both
