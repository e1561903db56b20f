"""Operators between two sides: scalars, vectors, and how the series of two vectors find each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.golang import print_labels
from aiops_gym.sim.promql.nodes import COMPARISONS, Binary, Matching
from aiops_gym.sim.promql.series import Labels
from aiops_gym.sim.promql.vectors import (
    NAME,
    Bools,
    Floats,
    Value,
    Vector,
    drop_labels,
    drop_name,
    keep_labels,
    make_empty,
    merge_same,
    present,
    set_label,
)

ARITHMETIC: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "^": np.power,
    "atan2": np.arctan2,
}
COMPARED: Mapping[str, Callable[[Floats, Floats], Bools]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}
DROPS_NAME = ("+", "-", "*", "/", "%", "^")


def combine(node: Binary, left: Value, right: Value, spend: Callable[[int], None]) -> Value:
    """The result of an operator; `spend` is told how many samples are looked at. Raises QueryError."""
    if isinstance(left, Vector) and isinstance(right, Vector):
        found = _combine_sets(node, left, right) if node.op in SETS else _combine_vectors(node, left, right, spend)
        return merge_same(present(found))
    if isinstance(left, Vector):
        assert isinstance(right, np.ndarray)  # checked when it was read
        return merge_same(present(_with_scalar(node, left, left.values, right)))
    if isinstance(right, Vector):
        assert isinstance(left, np.ndarray)  # checked when it was read
        return merge_same(present(_with_scalar(node, right, left, right.values)))
    assert isinstance(left, np.ndarray)  # checked when it was read
    assert isinstance(right, np.ndarray)  # checked when it was read
    if node.op in COMPARISONS:
        return COMPARED[node.op](left, right).astype(np.float64)
    return ARITHMETIC[node.op](left, right)


def _with_scalar(node: Binary, vector: Vector, left: Floats, right: Floats) -> Vector:
    nameless = [drop_name(each) for each in vector.labels]
    if node.op not in COMPARISONS:
        labels = nameless if node.op in DROPS_NAME else vector.labels
        return Vector(labels, ARITHMETIC[node.op](left, right), vector.there)
    holds = COMPARED[node.op](left, right)
    if node.returns_bool:
        return Vector(nameless, holds.astype(np.float64), vector.there)
    return Vector(vector.labels, vector.values, vector.there & holds)


def _sign(matching: Matching, labels: Labels) -> Labels:
    """What must be the same on both sides."""
    if matching.on:
        return keep_labels(labels, frozenset(matching.labels))
    return drop_labels(labels, frozenset((*matching.labels, NAME)))


def _places(signs: Sequence[Labels]) -> dict[Labels, list[int]]:
    found: dict[Labels, list[int]] = {}
    for row, sign in enumerate(signs):
        found.setdefault(sign, []).append(row)
    return found


def _any_of(vector: Vector, places: Mapping[Labels, list[int]], signs: Sequence[Labels]) -> Bools:
    """For each sign and step, whether the vector has a series of that sign."""
    found = np.zeros((len(signs), vector.there.shape[1]), np.bool_)
    seen = {sign: vector.there[rows].any(axis=0) for sign, rows in places.items()}
    for row, sign in enumerate(signs):
        if sign in seen:
            found[row] = seen[sign]
    return found


def _and(left: Vector, right: Vector, matching: Matching) -> Vector:
    signs = [_sign(matching, each) for each in left.labels]
    other = _places([_sign(matching, each) for each in right.labels])
    return Vector(left.labels, left.values, left.there & _any_of(right, other, signs))


def _unless(left: Vector, right: Vector, matching: Matching) -> Vector:
    signs = [_sign(matching, each) for each in left.labels]
    other = _places([_sign(matching, each) for each in right.labels])
    return Vector(left.labels, left.values, left.there & ~_any_of(right, other, signs))


def _or(left: Vector, right: Vector, matching: Matching) -> Vector:
    added = _unless(right, left, matching)
    values, there = np.concatenate([left.values, added.values]), np.concatenate([left.there, added.there])
    return Vector([*left.labels, *added.labels], values, there)


SETS: Mapping[str, Callable[[Vector, Vector, Matching], Vector]] = {"and": _and, "or": _or, "unless": _unless}


def _combine_sets(node: Binary, left: Vector, right: Vector) -> Vector:
    return SETS[node.op](left, right, node.matching)


def _combine_vectors(node: Binary, left: Vector, right: Vector, spend: Callable[[int], None]) -> Vector:
    matching = node.matching
    swapped = matching.group == "group_right"
    many, one = (right, left) if swapped else (left, right)
    if not many.labels or not one.labels:
        return make_empty(left.there.shape[1])
    signs = [_sign(matching, each) for each in many.labels]
    places = _places([_sign(matching, each) for each in one.labels])
    doubled = _find_duplicates(many, one, places, "left" if swapped else "right")
    spend(sum(len(places.get(sign, ())) for sign in signs) * left.there.shape[1])
    pairs = [(row, other) for row, sign in enumerate(signs) for other in places.get(sign, ())]
    if doubled and not pairs:
        raise doubled[1]
    if not pairs:
        return make_empty(left.there.shape[1])
    rows, others = (np.array(each, dtype=np.intp) for each in zip(*pairs, strict=True))
    there = many.there[rows] & one.there[others]
    values = (one.values[others], many.values[rows]) if swapped else (many.values[rows], one.values[others])
    if node.op not in COMPARISONS:
        found = ARITHMETIC[node.op](*values)
    else:
        holds = COMPARED[node.op](*values)
        found = holds.astype(np.float64) if node.returns_bool else values[0]
        there = there if node.returns_bool else there & holds
    labels = [_result(node, many.labels[row], one.labels[other]) for row, other in pairs]
    ambiguous = _find_ambiguous(matching, [signs[row] for row in rows.tolist()], labels, there)
    wrong = min((each for each in (doubled, ambiguous) if each), key=lambda each: each[0], default=None)
    if wrong:
        raise wrong[1]
    return Vector(labels, found, there)


def _result(node: Binary, many: Labels, one: Labels) -> Labels:
    """The labels of what two series come to."""
    matching = node.matching
    found = drop_name(many) if node.op in DROPS_NAME or node.returns_bool else many
    if not matching.group:
        names = frozenset(matching.labels)
        found = keep_labels(found, names) if matching.on else drop_labels(found, names)
    values = dict(one)
    for name in matching.include:
        found = set_label(found, name, values.get(name, ""))
    return drop_name(found) if node.returns_bool else found


def _find_duplicates(
    many: Vector, one: Vector, places: Mapping[Labels, list[int]], side: str
) -> tuple[int, QueryError] | None:
    """The first step at which the side of the one has two series of a sign, and there is anything to match."""
    asked = many.there.any(axis=0)
    worst: tuple[int, int, int, Labels] | None = None
    for sign, rows in places.items():
        doubled = (one.there[rows].sum(axis=0) > 1) & asked if len(rows) > 1 else np.zeros(0, np.bool_)
        if doubled.any():
            step = int(np.argmax(doubled))
            first, second = np.array(rows)[one.there[rows, step]][:2].tolist()
            worst = min(worst or (step, second, first, sign), (step, second, first, sign))
    if worst is None:
        return None
    step, second, first, sign = worst
    both = f"[{print_labels(one.labels[second])}, {print_labels(one.labels[first])}]"
    return step, QueryError(
        f"found duplicate series for the match group {print_labels(sign)} on the {side} hand-side of the operation:"
        f" {both};many-to-many matching not allowed: matching labels must be unique on one side"
    )


def _find_ambiguous(
    matching: Matching, signs: Sequence[Labels], labels: Sequence[Labels], there: Bools
) -> tuple[int, QueryError] | None:
    """The first step at which a result comes of two pairs."""
    keys = _places([(*sign, *label) for sign, label in zip(signs, labels, strict=True)] if matching.group else signs)
    steps = [int(np.argmax(twice)) for same in keys.values() if (twice := there[same].sum(axis=0) > 1).any()]
    if not steps:
        return None
    explicit = "many-to-one matching must be explicit (group_left/group_right)"
    wrong = "grouping labels must ensure unique matches" if matching.group else explicit
    return min(steps), QueryError(f"multiple matches for labels: {wrong}")
