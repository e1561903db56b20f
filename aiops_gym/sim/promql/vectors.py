"""What the parts of a query come to: values of series at each step, and windows of samples before each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.promql.errors import SAME_LABELS, QueryError
from aiops_gym.sim.promql.series import Labels

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Times = NDArray[np.int64]
Indices = NDArray[np.intp]

NAME = "__name__"


class Vector(NamedTuple):
    """An instant vector at each step.

    Attributes:
        labels: of each series.
        values: a row a series, a column a step.
        there: whether the series has a value there.
    """

    labels: Sequence[Labels]
    values: Floats
    there: Bools


Value = Vector | Floats | str
"""A vector, a scalar at each step, or a string."""


class Window(NamedTuple):
    """The samples before each step, of series that were sampled at the same times.

    Attributes:
        rows: which series.
        times: ms.
        values: a row a series.
        low, high: for each step, the samples low <= i < high are in its window.
    """

    rows: Indices
    times: Times
    values: Floats
    low: Indices
    high: Indices


class Range(NamedTuple):
    """A range vector at each step.

    Attributes:
        labels: of each series.
        windows: theirs, each series in one.
        ends: where the windows end, ms.
        steps: the times that are asked for, ms; others than `ends` after `offset` or `@`.
        length: of the windows, ms.
    """

    labels: Sequence[Labels]
    windows: Sequence[Window]
    ends: Times
    steps: Times
    length: int


def make_empty(steps: int) -> Vector:
    """No series."""
    return Vector([], np.empty((0, steps)), np.empty((0, steps), np.bool_))


def drop_name(labels: Labels) -> Labels:
    """Without the name of the metric."""
    if labels and labels[0][0] == NAME:
        return labels[1:]
    return tuple(pair for pair in labels if pair[0] != NAME)


def keep_labels(labels: Labels, names: frozenset[str]) -> Labels:
    """Only these."""
    return tuple(pair for pair in labels if pair[0] in names)


def drop_labels(labels: Labels, names: frozenset[str]) -> Labels:
    """All but these."""
    return tuple(pair for pair in labels if pair[0] not in names)


def set_label(labels: Labels, name: str, value: str) -> Labels:
    """With a label, or without it where the value is empty."""
    rest = [pair for pair in labels if pair[0] != name]
    return tuple(sorted([*rest, (name, value)])) if value else tuple(rest)


def number_groups(keys: Sequence[Labels]) -> tuple[list[Labels], Indices]:
    """The distinct keys as they come, and which one each is."""
    places: dict[Labels, int] = {}
    which = [places.setdefault(key, len(places)) for key in keys]
    return list(places), np.array(which, dtype=np.intp)


def merge_same(vector: Vector) -> Vector:
    """One row for series of the same labels, as long as no two are there at once. Raises QueryError."""
    if len(set(vector.labels)) == len(vector.labels):
        return vector
    labels, which = number_groups(vector.labels)
    many = np.zeros((len(labels), vector.there.shape[1]), np.intp)
    np.add.at(many, which, vector.there)
    if (many > 1).any():
        raise QueryError(SAME_LABELS)
    values = np.zeros(many.shape)
    np.add.at(values, which, np.where(vector.there, vector.values, 0.0))
    return Vector(labels, values, many > 0)


def present(vector: Vector) -> Vector:
    """Without series that are never there."""
    seen: Bools = np.asarray(vector.there.any(axis=1))
    if seen.all():
        return vector
    labels = [each for each, kept in zip(vector.labels, seen.tolist(), strict=True) if kept]
    return Vector(labels, vector.values[seen], vector.there[seen])


def iterate_alike(rows: Sequence[NDArray[np.generic]]) -> Iterator[Indices]:
    """The rows of arrays that are the same, together."""
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row.tobytes(), []).append(i)
    for group in groups.values():
        yield np.array(group, dtype=np.intp)
