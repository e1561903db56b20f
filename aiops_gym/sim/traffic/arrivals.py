"""When requests arrive, and the chance that each of them carries along.

Users do not wait for answers (wrk2's open loop with exponential gaps): arrivals are a Poisson process whose rate is
that of the interval. They are drawn by buckets of time, each from its own stream, so that any window can be drawn alone
and a later change of the rate moves no earlier arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel import draws

BUCKET = 10_000
"""Milliseconds of arrivals drawn from one stream."""

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
"""The increment of SplitMix64 (2 to the 64 by the golden ratio); the rounds below are its mixing function."""

_GOLDEN, _LAST, _SPARE = np.uint64(GOLDEN), np.uint64(31), np.uint64(11)
_ROUNDS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)


class Arrivals(NamedTuple):
    """Requests of one bucket.

    Attributes:
        ms: Unix milliseconds, with fractions, ascending.
        keys: 64 bits each, from which all else about a request is drawn.
    """

    ms: Floats
    keys: Keys


def draw_arrivals(seed: int, bucket: int, stretches: Sequence[tuple[int, int, float]]) -> Arrivals:
    """Arrivals of one bucket.

    Args:
        seed: of the world.
        bucket: its number, Unix milliseconds divided by `BUCKET`.
        stretches: (start ms, end ms, requests per second), in order, within the bucket; from its beginning on.
    """
    edges, expected = [float(bucket * BUCKET)], [0.0]
    for start, end, rate in stretches:
        if start > edges[-1]:
            edges.append(float(start))
            expected.append(expected[-1])
        edges.append(float(end))
        expected.append(expected[-1] + max(0.0, rate) * (end - start) / 1000.0)
    total = expected[-1]
    if total <= 0.0:
        return Arrivals(np.empty(0), np.empty(0, dtype=np.uint64))
    count = int(total + 8.0 * total**0.5 + 20.0)
    numbers = draws.uniforms(2 * count, seed, "traffic", "", bucket).reshape(count, 2)
    marks = np.cumsum(-np.log1p(-numbers[:, 0]))
    within = int(np.searchsorted(marks, total))
    keys = (numbers[:within, 1] * 2.0**53).astype(np.uint64)
    return Arrivals(np.interp(marks[:within], expected, edges), mix(keys ^ np.uint64(bucket * GOLDEN & MASK)))


def mix(values: Keys) -> Keys:
    """Spread the bits of each number over all 64 (the finaliser of splitmix64)."""
    z: Keys = values + _GOLDEN
    for shift, factor in _ROUNDS:  # in place: these numbers are few, and each new array costs as much as the sums
        z ^= z >> shift
        z *= factor
    z ^= z >> _LAST
    return z


def draw_uniform(keys: Keys, column: int) -> Floats:
    """A number in [0, 1) for each request and column."""
    bits = mix(keys ^ np.uint64(column))
    bits >>= _SPARE
    found = bits.astype(np.float64)
    found *= 2.0**-53
    return found


def derive_column(path: int, position: int) -> int:
    """The column of the `position`-th thing below `path`: depends on the place in the tree only.

    >>> derive_column(1, 0) != derive_column(1, 1) != derive_column(2, 0)
    True
    """
    z = (path + (position + 1) * GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def make_ids(keys: Keys, path: int) -> list[str]:
    """Sixteen hexadecimal digits for each request and place: span ids and halves of trace ids."""
    return [f"{value or 1:016x}" for value in mix(keys ^ np.uint64(path)).tolist()]


def group_by_operation(outcome: Any, keys: Keys) -> list[tuple[str, NDArray[np.intp]]]:
    """Which of the requests ask for which operation."""
    names = list(outcome["weights"])
    shares = np.cumsum([outcome["weights"][name] for name in names])
    chosen = np.minimum(np.searchsorted(shares, draw_uniform(keys, 1) * shares[-1], side="right"), len(names) - 1)
    return [(name, np.flatnonzero(chosen == i)) for i, name in enumerate(names)]
