"""Selectors and subqueries: which samples stand at a step, and which lie in the window before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from aiops_gym.sim.promql.errors import TOO_MANY_SAMPLES, QueryError
from aiops_gym.sim.promql.nodes import Node, Selector, Shifted, Subquery
from aiops_gym.sim.promql.series import Series, Source, is_stale
from aiops_gym.sim.promql.vectors import Range, Times, Vector, Window, iterate_alike, present

LOOKBACK = 5 * 60_000
"""Milliseconds for which a sample stands."""

MOST_SAMPLES = 5_000_000
"""That a query may look at, counted for each step that looks at them: every query ends, and is held in memory."""

DEFAULT_STEP = 60_000
"""Milliseconds between the steps of a subquery that does not say: the interval at which rules are evaluated."""


@dataclass(slots=True)
class Run:
    """One query at work.

    Attributes:
        source: of samples.
        start, end: ms, of the query as a whole, which `@ start()` and `@ end()` mean.
        samples: how many it may still look at.
    """

    source: Source
    start: int
    end: int
    samples: int = MOST_SAMPLES
    found: dict[tuple[object, ...], Sequence[Series]] = field(default_factory=dict)

    def spend(self, samples: int) -> None:
        """Look at samples. Raises QueryError where they are too many."""
        self.samples -= samples
        if self.samples < 0:
            raise QueryError(TOO_MANY_SAMPLES)

    def select(self, node: Selector, start: int, end: int) -> Sequence[Series]:
        """The series of a selector, with samples from `start` to `end`, both included."""
        key = (tuple(node.matchers), start, end)
        if key not in self.found:
            self.found[key] = self.source.select(node.matchers, start - 1, end)
            self.spend(sum(len(series.times) for series in self.found[key]))
        return self.found[key]


def shift(run: Run, node: Shifted, steps: Times) -> Times:
    """The times that are meant by the steps after `@` and `offset`."""
    if node.at is None:
        return steps - node.offset if node.offset else steps
    at = {"start": run.start, "end": run.end}.get(str(node.at), node.at)
    return np.full(len(steps), int(at) - node.offset, np.int64)


def read_instant(run: Run, node: Selector, steps: Times) -> tuple[Vector, Vector]:
    """The sample that stands at each step, and when it was taken, in seconds."""
    ends = shift(run, node, steps)
    found = run.select(node, int(ends[0]) - LOOKBACK, int(ends[-1]))
    run.spend(len(found) * len(steps))
    shape = (len(found), len(steps))
    values, times, there = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_)
    for rows in iterate_alike([series.times for series in found]):
        sampled = found[rows[0]].times
        if not len(sampled):
            continue
        last = np.searchsorted(sampled, ends, side="right") - 1
        fresh = (last >= 0) & (sampled[last] >= ends - LOOKBACK)
        taken = np.stack([found[row].values for row in rows])[:, last]
        values[rows], times[rows] = taken, sampled[last] / 1000
        there[rows] = fresh & ~is_stale(taken)
    labels = [series.labels for series in found]
    return present(Vector(labels, values, there)), present(Vector(labels, times, there))


def read_range(run: Run, node: Selector, steps: Times) -> Range:
    """The samples in the window before each step."""
    ends = shift(run, node, steps)
    found = run.select(node, int(ends[0]) - node.range, int(ends[-1]))
    times, kept = [series.times for series in found], [series.values for series in found]
    if found and is_stale(np.concatenate(kept)).any():  # few have ended
        ended = [is_stale(values) for values in kept]
        times = [each[~gone] for each, gone in zip(times, ended, strict=True)]
        kept = [each[~gone] for each, gone in zip(kept, ended, strict=True)]
    windows = []
    for rows in iterate_alike(times):
        sampled = times[rows[0]]
        values = np.stack([kept[row] for row in rows])
        windows.append(_window(rows, sampled, values, ends, node.range))
    return Range([series.labels for series in found], windows, ends, steps, node.range)


def _window(rows: np.ndarray, times: Times, values: np.ndarray, ends: Times, length: int) -> Window:
    low = np.searchsorted(times, ends - length, side="left")
    return Window(rows, times, values, low, np.searchsorted(times, ends, side="right"))


def read_subquery(run: Run, node: Subquery, steps: Times, evaluate: Callable[[Run, Node, Times], Vector]) -> Range:
    """The values of an expression in the window before each step."""
    ends = shift(run, node, steps)
    step = node.step or DEFAULT_STEP
    first = -((int(ends[0]) - node.range) // -step) * step
    run.spend(max(0, (int(ends[-1]) - first) // step))
    inner = np.arange(first, int(ends[-1]) + 1, step, dtype=np.int64)
    if not len(inner):
        return Range([], [], ends, steps, node.range)
    vector = evaluate(run, node.inner, inner)
    windows = [
        _window(rows, inner[vector.there[rows[0]]], vector.values[rows][:, vector.there[rows[0]]], ends, node.range)
        for rows in iterate_alike(list(vector.there))
    ]
    return Range(vector.labels, windows, ends, steps, node.range)
