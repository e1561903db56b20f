"""The order of rows in the files. It follows the time without failures, never that with them."""

from __future__ import annotations

import numpy as np

PUNCTUAL = 0.9
"""Share of the rows that are not late."""


def late(rng: np.random.Generator, keys: np.ndarray, most: float) -> np.ndarray:
    """By time, some rows up to `most` late: as exported by many hands."""
    if most:
        delay = rng.random(len(keys)) * most
        keys = keys + np.where(rng.random(len(keys)) < PUNCTUAL, 0, delay)
    return np.argsort(keys, kind="stable")


def shards(rng: np.random.Generator, keys: np.ndarray, number: int) -> np.ndarray:
    """Several files one after the other, each by time, over the same hours."""
    return np.lexsort((keys, rng.integers(number, size=len(keys))))


def runs(rng: np.random.Generator, keys: np.ndarray, number: int) -> np.ndarray:
    """Short pieces, each by time, in no order."""
    take = np.argsort(keys, kind="stable")
    pieces = np.array_split(take, number)
    return np.concatenate([pieces[each] for each in rng.permutation(number)])
