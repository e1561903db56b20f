"""Aggregations over the series of a vector, at each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key
from math import isnan

import numpy as np

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.golang import print_float
from aiops_gym.sim.promql.lexer import LABEL
from aiops_gym.sim.promql.nodes import Aggregation
from aiops_gym.sim.promql.ranges import take_quantile
from aiops_gym.sim.promql.series import Labels
from aiops_gym.sim.promql.vectors import (
    NAME,
    Bools,
    Floats,
    Indices,
    Value,
    Vector,
    drop_labels,
    keep_labels,
    number_groups,
    present,
    set_label,
)

SLOW = ("topk", "bottomk", "count_values")
"""Worked out value by value."""

Reduce = Callable[[Floats, Bools, Indices, Indices], Floats]
"""(values, whether they are there, where each group begins, how many of it are there): a row a series, by group."""


def aggregate(node: Aggregation, vector: Vector, parameter: Value | None) -> Vector:
    """The vector that is left. Raises QueryError."""
    names = frozenset(node.labels)
    if node.without:
        names |= {NAME}
    pick = drop_labels if node.without else keep_labels
    if node.op == "count_values":
        label = str(parameter)
        return _count_values(vector, label, lambda each: pick(each, names if node.without else names | {label}))
    if node.op in ("topk", "bottomk"):
        assert isinstance(parameter, np.ndarray)  # checked when it was read
        return _take_first(vector, parameter, [pick(each, names) for each in vector.labels], node.op == "topk")
    if not vector.labels:
        return vector
    labels, which = number_groups([pick(each, names) for each in vector.labels])
    order = np.argsort(which, kind="stable")
    begins = np.searchsorted(which[order], np.arange(len(labels)))
    values, there = vector.values[order], vector.there[order]
    many = np.add.reduceat(there, begins, axis=0, dtype=np.intp)
    if node.op == "quantile":
        assert isinstance(parameter, np.ndarray)  # checked when it was read
        found = _quantile(values, there, begins, many, parameter)
    else:
        found = REDUCED[node.op](values, there, begins, many)
    return Vector(labels, found, many > 0)


def _sum(values: Floats, there: Bools, begins: Indices, many: Indices) -> Floats:
    found: Floats = np.add.reduceat(np.where(there, values, 0.0), begins, axis=0)
    return found


def _average(values: Floats, there: Bools, begins: Indices, many: Indices) -> Floats:
    return _sum(values, there, begins, many) / many


def _variance(values: Floats, there: Bools, begins: Indices, many: Indices) -> Floats:
    sizes = np.diff(np.append(begins, len(values)))
    where = np.argmax(there, axis=0)  # a value near all others, for equal ones to have no variance at all
    near = values - np.where(there.any(axis=0), values[where, np.arange(len(where))], 0.0)
    away = near - np.repeat(_average(near, there, begins, many), sizes, axis=0)
    return np.where(many == 1, 0.0, _sum(away * away, there, begins, many) / many)


def _quantile(values: Floats, there: Bools, begins: Indices, many: Indices, q: Floats) -> Floats:
    found = np.empty(many.shape)
    for group, (first, last) in enumerate(zip(begins, np.append(begins[1:], len(values)), strict=True)):
        padded = np.where(there[first:last], values[first:last], np.inf)
        found[group] = take_quantile(padded, q, many[group])
    return found


REDUCED: Mapping[str, Reduce] = {
    "sum": _sum,
    "avg": _average,
    "count": lambda values, there, begins, many: many.astype(np.float64),
    "group": lambda values, there, begins, many: np.ones(many.shape),
    "min": lambda values, there, begins, many: np.fmin.reduceat(np.where(there, values, np.nan), begins, axis=0),
    "max": lambda values, there, begins, many: np.fmax.reduceat(np.where(there, values, np.nan), begins, axis=0),
    "stdvar": _variance,
    "stddev": lambda values, there, begins, many: np.sqrt(_variance(values, there, begins, many)),
}


def _count_values(vector: Vector, label: str, group: Callable[[Labels], Labels]) -> Vector:
    if not LABEL.fullmatch(label):
        raise QueryError(f"invalid label name {go_quote(label)}")
    steps = vector.there.shape[1]
    counts: dict[Labels, Floats] = {}
    for step in range(steps):
        for row in np.flatnonzero(vector.there[:, step]).tolist():
            shown = print_float(float(vector.values[row, step]))
            counts.setdefault(group(set_label(vector.labels[row], label, shown)), np.zeros(steps))[step] += 1
    values = np.array(list(counts.values())).reshape(len(counts), steps)
    return Vector(list(counts), values, values > 0)


def _take_first(vector: Vector, parameter: Floats, groups: Sequence[Labels], largest: bool) -> Vector:
    """`topk` and `bottomk`: series keep their labels; at a single step they come in order."""
    _, which = number_groups(groups)
    kept = np.zeros(vector.there.shape, np.bool_)
    order = list[int]()
    for step, k in enumerate(parameter.tolist()):
        if isnan(k) or not -(2.0**63) <= k < 2.0**63:
            raise QueryError(f"Scalar value {print_float(k)} overflows int64")
        if k < 1:
            continue
        heaps: dict[int, _Heap] = {}
        rows = np.flatnonzero(vector.there[:, step])
        for row, group, value in zip(
            rows.tolist(), which[rows].tolist(), vector.values[rows, step].tolist(), strict=True
        ):
            heaps.setdefault(group, _Heap(int(k), largest)).offer(value, row)
        order = [row for heap in heaps.values() for row in heap.drain()]
        kept[order, step] = True
    found = Vector(vector.labels, vector.values, kept)
    if len(parameter) == 1:
        return Vector([vector.labels[row] for row in order], vector.values[order], kept[order])
    return present(found)


class _Heap:
    """The first k, kept as Prometheus keeps them: which of equal values stay depends on how a heap is made."""

    def __init__(self, most: int, largest: bool) -> None:
        self.most, self.largest = most, largest
        self.items: list[tuple[float, int]] = []

    def before(self, one: float, other: float) -> bool:
        """Whether one is to go before the other; NaN goes first."""
        if isnan(one):
            return True
        return one < other if self.largest else one > other

    def offer(self, value: float, row: int) -> None:
        """Keep a value, if it belongs to the first."""
        if len(self.items) == self.most:
            root = self.items[0][0]
            if not (isnan(root) or (root < value if self.largest else root > value)):
                return
            if self.most == 1:
                self.items[0] = (value, row)
                return
            self._pop()
        self.items.append((value, row))
        self._up()

    def _up(self) -> None:
        items, at = self.items, len(self.items) - 1
        while at and self.before(items[at][0], items[(at - 1) // 2][0]):
            items[at], items[(at - 1) // 2] = items[(at - 1) // 2], items[at]
            at = (at - 1) // 2

    def _pop(self) -> None:
        items = self.items
        items[0] = items[-1]
        items.pop()
        at = 0
        while (child := 2 * at + 1) < len(items):
            if child + 1 < len(items) and self.before(items[child + 1][0], items[child][0]):
                child += 1
            if not self.before(items[child][0], items[at][0]):
                break
            items[at], items[child] = items[child], items[at]
            at = child

    def drain(self) -> list[int]:
        """The rows, from the first."""

        def compare(one: tuple[float, int], other: tuple[float, int]) -> int:
            after, before = self.before(one[0], other[0]), self.before(other[0], one[0])
            return after - before

        return [row for _, row in sorted(self.items, key=cmp_to_key(compare))]
