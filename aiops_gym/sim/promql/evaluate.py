"""Works a query out: every part once, for all steps together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aiops_gym.sim.promql.aggregation import SLOW, aggregate
from aiops_gym.sim.promql.binary import combine
from aiops_gym.sim.promql.functions import FUNCTIONS, make_absent, map_values
from aiops_gym.sim.promql.nodes import Aggregation, Binary, Call, Node, Number, Selector, Subquery, Text, Unary, unwrap
from aiops_gym.sim.promql.ranges import MEASURES, apply
from aiops_gym.sim.promql.selecting import Run, read_instant, read_range, read_subquery
from aiops_gym.sim.promql.series import Series, Source
from aiops_gym.sim.promql.vectors import Floats, Range, Times, Value, Vector

MOST_POINTS = 11_000
"""Steps of a query."""


class Answer(NamedTuple):
    """What a query comes to.

    Attributes:
        kind: `vector`, `matrix`, `scalar` or `string`.
        series: of a vector (one sample each) and a matrix.
        scalar, text: of the other two.
    """

    kind: str
    series: list[Series]
    scalar: float = 0.0
    text: str = ""


def query(source: Source, node: Node, time: int) -> Answer:
    """The answer at one time, Unix milliseconds. Raises QueryError."""
    steps, run = np.array([time], np.int64), Run(source, time, time)
    with np.errstate(all="ignore"):
        if node.type == "matrix":
            return Answer("matrix", sorted(_raw(_range(run, unwrap(node), steps)), key=lambda series: series.labels))
        found = _evaluate(run, node, steps)
    if isinstance(found, str):
        return Answer("string", [], text=found)
    if not isinstance(found, Vector):
        return Answer("scalar", [], scalar=float(found[0]))
    return Answer("vector", _series(found, steps))


def query_range(source: Source, node: Node, start: int, end: int, step: int) -> Answer:
    """The answers from start to end, Unix milliseconds both, by labels. Raises QueryError."""
    steps, run = np.arange(start, end + 1, step, dtype=np.int64), Run(source, start, end)
    with np.errstate(all="ignore"):
        found = _evaluate(run, node, steps)
    assert not isinstance(found, str)  # whoever asks has refused what is neither a scalar nor a vector
    if not isinstance(found, Vector):
        return Answer("matrix", [Series((), steps, found)])
    return Answer("matrix", sorted(_series(found, steps), key=lambda series: series.labels))


def _series(vector: Vector, steps: Times) -> list[Series]:
    rows = zip(vector.labels, vector.values, vector.there, strict=True)
    return [
        Series(labels, steps, values) if there.all() else Series(labels, steps[there], values[there])
        for labels, values, there in rows
        if there.any()
    ]


def _raw(found: Range) -> list[Series]:
    series = []
    for window in found.windows:
        part = slice(int(window.low[0]), int(window.high[0]))
        for row, values in zip(window.rows.tolist(), window.values, strict=True):
            if len(values[part]):
                series.append(Series(found.labels[row], window.times[part], values[part]))
    return series


def _evaluate(run: Run, node: Node, steps: Times) -> Value:
    node = unwrap(node)
    if isinstance(node, Number):
        return np.full(len(steps), node.value)
    if isinstance(node, Text):
        return node.value
    if isinstance(node, Selector):
        return read_instant(run, node, steps)[0]
    if isinstance(node, Unary):
        return _sign(node.op, _evaluate(run, node.inner, steps))
    if isinstance(node, Binary):
        return combine(node, _evaluate(run, node.left, steps), _evaluate(run, node.right, steps), run.spend)
    if isinstance(node, Aggregation):
        parameter = _evaluate(run, node.parameter, steps) if node.parameter is not None else None
        vector = _vector(run, node.inner, steps)
        if node.op in SLOW:
            run.spend(9 * vector.values.size)
        return aggregate(node, vector, parameter)
    assert isinstance(node, Call)  # range vectors stand only where functions take them
    return _call(run, node, steps)


def _vector(run: Run, node: Node, steps: Times) -> Vector:
    found = _evaluate(run, node, steps)
    assert isinstance(found, Vector)  # checked when it was read
    run.spend(found.values.size)
    return found


def _scalar(run: Run, node: Node, steps: Times) -> Floats:
    found = _evaluate(run, node, steps)
    assert isinstance(found, np.ndarray)  # checked when it was read
    return found


def _sign(op: str, value: Value) -> Value:
    if isinstance(value, Vector):
        return map_values(value, -value.values) if op == "-" else value
    assert isinstance(value, np.ndarray)  # checked when it was read
    return -value if op == "-" else value


def _range(run: Run, node: Node, steps: Times) -> Range:
    if isinstance(node, Selector):
        return read_range(run, node, steps)
    assert isinstance(node, Subquery)  # there is no other
    return read_subquery(run, node, steps, _vector)


def _call(run: Run, node: Call, steps: Times) -> Value:
    first = unwrap(node.arguments[0]) if node.arguments else node
    if node.name in MEASURES:
        scalars = [_scalar(run, each, steps) for each in node.arguments if each.type == "scalar"]
        ranged = next(unwrap(each) for each in node.arguments if each.type == "matrix")
        return apply(run, node.name, _range(run, ranged, steps), scalars)
    if node.name == "absent_over_time":
        counted = apply(run, "last_over_time", _range(run, first, steps), ())
        return make_absent(first, counted.there)
    if node.name == "absent":
        return make_absent(first, _vector(run, first, steps).there)
    if node.name == "timestamp":
        if isinstance(first, Selector):
            times = read_instant(run, first, steps)[1]
            return map_values(times, times.values)
        found = _vector(run, first, steps)
        return map_values(found, np.broadcast_to(steps / 1000, found.values.shape))
    arguments = [_evaluate(run, each, steps) for each in node.arguments]
    return FUNCTIONS[node.name](arguments, steps)
