"""Two simple classifiers of numbers, and how well they do on problems that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.catalog.splits import hash_to_fraction

Matrix = NDArray[np.float64]
Labels = NDArray[np.bool_]
Learner = Callable[[Matrix, Labels, Matrix], Labels]
"""(numbers and labels to learn from, numbers to judge) -> their labels."""

FOLDS = 5
DEPTH = 4
LEAST = 15
"""Episodes in a leaf of a tree."""

DRAWS = 400
"""Samples of the bootstrap."""


class Score(NamedTuple):
    """Balanced accuracy, and its interval of 95 %."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def predict(learner: Learner, numbers: Matrix, labels: Labels, groups: Sequence[str]) -> Labels:
    """What a learner says of each episode when it has seen no other one of its group."""
    folds = np.array([int(hash_to_fraction("fold", group) * FOLDS) for group in groups])
    found = np.zeros(len(labels), dtype=np.bool_)
    for fold in range(FOLDS):
        seen, unseen = folds != fold, folds == fold
        if unseen.any():
            found[unseen] = learner(numbers[seen], labels[seen], numbers[unseen])
    return found


def score(said: Labels, labels: Labels) -> Score:
    """Balanced accuracy of what was said, with an interval by bootstrap over the episodes."""
    chance = np.random.Generator(np.random.Philox(key=0))
    many = [chance.integers(len(labels), size=len(labels)) for _ in range(DRAWS)]
    values = [_balanced(said[each], labels[each]) for each in many]
    low, high = np.quantile(values, (0.025, 0.975))
    return Score(_balanced(said, labels), float(low), float(high))


def _balanced(said: Labels, labels: Labels) -> float:
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def regress(numbers: Matrix, labels: Labels, unseen: Matrix) -> Labels:
    """Logistic regression on standardised numbers, both classes with the same weight."""
    mean, spread = numbers.mean(0), numbers.std(0) + 1e-9
    x, z = (np.hstack([np.ones((len(m), 1)), (m - mean) / spread]) for m in (numbers, unseen))
    weights = np.where(labels, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    beta, penalty = np.zeros(x.shape[1]), np.eye(x.shape[1])
    penalty[0, 0] = 1e-6
    for _ in range(25):
        share = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        slope = x.T @ (weights * (share - labels)) + penalty @ beta
        curve = (x * (weights * share * (1 - share))[:, None]).T @ x + penalty
        beta -= np.linalg.solve(curve, slope)
    found: Labels = z @ beta > 0
    return found


def grow(numbers: Matrix, labels: Labels, unseen: Matrix) -> Labels:
    """A decision tree of a few questions, both classes with the same weight."""
    weights = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum())
    return _answer(numbers, labels, weights, unseen, DEPTH)


def _answer(numbers: Matrix, labels: Labels, weights: Matrix, unseen: Matrix, depth: int) -> Labels:
    found = _best_question(numbers, labels, weights) if depth else None
    if found is None:
        sick = bool(weights[labels].sum() > weights[~labels].sum())
        return np.full(len(unseen), sick, dtype=np.bool_)
    column, limit = found
    said = np.zeros(len(unseen), dtype=np.bool_)
    for below in (True, False):
        mine, theirs = ((m[:, column] <= limit) == below for m in (numbers, unseen))
        said[theirs] = _answer(numbers[mine], labels[mine], weights[mine], unseen[theirs], depth - 1)
    return said


def _best_question(numbers: Matrix, labels: Labels, weights: Matrix) -> tuple[int, float] | None:
    """The column and limit that part the classes best, by Gini's impurity."""
    best, found = _impurity(weights[labels].sum(), weights[~labels].sum()) - 1e-9, None
    for column in range(numbers.shape[1]):
        order = np.argsort(numbers[:, column], kind="stable")
        values, w, y = numbers[order, column], weights[order], labels[order]
        sick, well = np.cumsum(w * y), np.cumsum(w * ~y)
        places = np.flatnonzero(values[:-1] < values[1:])
        places = places[(places >= LEAST - 1) & (places < len(values) - LEAST)]
        if not len(places):
            continue
        parted = _impurity(sick[places], well[places]) + _impurity(sick[-1] - sick[places], well[-1] - well[places])
        at = int(np.argmin(parted))
        if parted[at] < best:
            best, found = parted[at], (column, float((values[places[at]] + values[places[at] + 1]) / 2))
    return found


def _impurity(sick: Matrix, well: Matrix) -> Matrix:
    """Gini's impurity times the weight."""
    return 2 * sick * well / np.maximum(sick + well, 1e-12)


LEARNERS: dict[str, Learner] = {"logistic regression": regress, "decision tree": grow}
