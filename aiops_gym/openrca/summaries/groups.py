"""Numbers of many groups of spans in a window and before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aiops_gym.openrca.summaries.quantiles import describe
from aiops_gym.openrca.summaries.runs import Array, compute_excess, compute_scores, estimate_usual, find_runs
from aiops_gym.openrca.summaries.window import MINUTE, Window


@dataclass(frozen=True, slots=True)
class Group:
    """Spans of one component, operation or call.

    Attributes:
        names: of the component; of it and its operation; or of the caller and the called.
        count: spans in the window; `before` those of the comparison, scaled to as many minutes.
        errors: those that failed; nan where that is not recorded.
        mean: duration in the table's own unit.
        p95: smallest duration that 95 % do not exceed.
        z: strength of the strongest run of minutes that were slower, or failed more, than usual; 0 without any.
        first: Unix milliseconds of its first minute; 0 without any.
    """

    names: tuple[str, ...]
    count: int
    before: float
    errors: float
    errors_before: float
    mean: float
    mean_before: float
    p95: float
    p95_before: float
    z: float
    first: int


class Spans(NamedTuple):
    """Spans to be told apart, one entry each.

    Attributes:
        groups: number of the group.
        slots: minute since the window's origin.
        failed: None where that is not recorded.
    """

    values: Array
    groups: Array
    slots: Array
    failed: Array | None


def compare(spans: Spans, names: Sequence[tuple[str, ...]], window: Window) -> list[Group]:
    """Each group that has spans in the window, the most striking first."""
    height, width = len(names), window.slots
    cells = spans.groups * width + spans.slots
    count = _matrix(cells, None, height, width)
    total = _matrix(cells, spans.values, height, width)
    failed = cells[:0] if spans.failed is None else cells[spans.failed]
    errors = _matrix(failed, None, height, width)
    z, first = _striking(count, total, errors, window)
    high = [_p95(spans, part, height) for part in (window.own, window.base)]
    share = _minutes(count, window.own) / max(1, _minutes(count, window.base))
    own, base = ([each[:, part].sum(axis=1) for each in (count, errors, total)] for part in (window.own, window.base))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = own[2] / own[0], base[2] / base[0]
    known = 1.0 if spans.failed is not None else np.nan
    found = [
        Group(
            names=names[row],
            count=int(own[0][row]),
            before=float(base[0][row] * share),
            errors=float(own[1][row] * known),
            errors_before=float(base[1][row] * share * known),
            mean=float(means[0][row]),
            mean_before=float(means[1][row]),
            p95=float(high[0][row]),
            p95_before=float(high[1][row]),
            z=float(z[row]),
            first=window.start + int(first[row]) * MINUTE if z[row] else 0,
        )
        for row in np.flatnonzero(own[0]).tolist()
    ]
    return sorted(found, key=lambda group: (-group.z, -group.mean, group.names))


def _matrix(cells: Array, weights: Array | None, height: int, width: int) -> Array:
    return np.bincount(cells, weights, height * width).reshape(height, width)


def _minutes(count: Array, part: slice) -> int:
    """Minutes in which anything was recorded."""
    return int(np.count_nonzero(count[:, part].any(axis=0)))


def _p95(spans: Spans, part: slice, height: int) -> Array:
    inside = (spans.slots >= part.start) & (spans.slots < part.stop)
    return describe(spans.values[inside], spans.groups[inside], height, (0.95,)).quantiles[0]


def _striking(count: Array, total: Array, errors: Array, window: Window) -> tuple[Array, Array]:
    """Strength of each group's strongest run, and its first minute in the window."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = total / count
    slow = compute_scores(means[:, window.own], *estimate_usual(means[:, window.base]))
    measured = np.maximum(count[:, window.base].astype(bool).sum(axis=1), 1)
    expected = errors[:, window.base].sum(axis=1) / measured
    often = compute_excess(errors[:, window.own], expected[:, None])
    z, first = np.zeros(len(count)), np.zeros(len(count), np.int64)
    for matrix in (slow, often):
        found = find_runs(matrix)
        for at in np.argsort(found.strength, kind="stable").tolist():
            row = found.series[at]
            if found.strength[at] > z[row]:
                z[row], first[row] = found.strength[at], found.first[at]
    return z, first
