"""`histogram_quantile` over classic buckets: cumulative counts by the label `le`."""

from __future__ import annotations

import numpy as np

from aiops_gym.sim.promql.series import Labels
from aiops_gym.sim.promql.vectors import NAME, Floats, Vector, drop_labels, make_empty

_NOT_OF_THE_GROUP = frozenset((NAME, "le"))


def estimate_quantile(q: Floats, vector: Vector) -> Vector:
    """The quantile of each histogram, at each step."""
    groups: dict[Labels, list[tuple[float, int]]] = {}
    for row, labels in enumerate(vector.labels):
        bound = _read_bound(dict(labels).get("le", ""))
        if bound is not None:
            groups.setdefault(drop_labels(labels, _NOT_OF_THE_GROUP), []).append((bound, row))
    if not groups:
        return make_empty(len(q))
    found = [_of_group(q, vector, sorted(buckets)) for buckets in groups.values()]
    there = np.stack([vector.there[[row for _, row in buckets]].any(axis=0) for buckets in groups.values()])
    return Vector(list(groups), np.stack(found), there)


def _read_bound(text: str) -> float | None:
    try:
        return float(text) if text.strip() == text and "_" not in text else None
    except ValueError:
        return None


def _of_group(q: Floats, vector: Vector, buckets: list[tuple[float, int]]) -> Floats:
    """Of one histogram; steps at which the same buckets are there are worked out together."""
    rows = [row for _, row in buckets]
    bounds = np.array([bound for bound, _ in buckets])
    there, counts = vector.there[rows], vector.values[rows]
    found = np.full(len(q), np.nan)
    patterns, which = np.unique(there, axis=1, return_inverse=True)
    for i, pattern in enumerate(patterns.T):
        steps = np.flatnonzero(np.ravel(which) == i)
        if pattern.any():
            found[steps] = _quantile(q[steps], bounds[pattern], counts[pattern][:, steps])
    return found


def _quantile(q: Floats, bounds: Floats, counts: Floats) -> Floats:
    """Of buckets that are there: bounds ascending, a column of counts a step."""
    bounds, begins = np.unique(bounds, return_index=True)
    counts = np.maximum.accumulate(np.nan_to_num(np.add.reduceat(counts, begins, axis=0), nan=-np.inf), axis=0)
    if not np.isposinf(bounds[-1]) or len(bounds) < 2:
        found = np.full(len(q), np.nan)
    else:
        found = _interpolate(q, bounds, counts)
    found = np.where(q < 0, -np.inf, np.where(q > 1, np.inf, found))
    return np.where(np.isnan(q), np.nan, found)


def _interpolate(q: Floats, bounds: Floats, counts: Floats) -> Floats:
    """Within the bucket in which the rank lies; the first one begins at zero, the last one has no end."""
    total, last = counts[-1], len(bounds) - 1
    rank = q * total
    place = np.minimum((counts[:-1] < rank).sum(axis=0), last)
    steps = np.arange(len(q))
    below = np.maximum(place - 1, 0)
    first = place == 0
    start = np.where(first, 0.0, bounds[below])
    before = np.where(first, 0.0, counts[below, steps])
    inside = counts[place, steps] - before
    found = start + (bounds[place] - start) * ((rank - before) / inside)
    found = np.where(first & (bounds[0] <= 0), bounds[0], found)
    found = np.where(place == last, bounds[-2], found)
    return np.where((total == 0) | np.isnan(total), np.nan, found)
