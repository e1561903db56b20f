"""Functions of instant vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.histograms import estimate_quantile
from aiops_gym.sim.promql.lexer import LABEL
from aiops_gym.sim.promql.nodes import Node, Selector, unwrap
from aiops_gym.sim.promql.patterns import compile_regex
from aiops_gym.sim.promql.series import Labels
from aiops_gym.sim.promql.vectors import (
    Bools,
    Floats,
    Times,
    Value,
    Vector,
    drop_name,
    make_empty,
    merge_same,
    set_label,
)

Answer = Callable[[Sequence[Value], Times], Value]
"""(arguments, steps)."""


def _vector(value: Value) -> Vector:
    assert isinstance(value, Vector)  # checked when it was read
    return value


def _floats(value: Value) -> Floats:
    assert isinstance(value, np.ndarray)  # checked when it was read
    return value


def map_values(vector: Vector, values: Floats) -> Vector:
    """Other values, and no name, for it is another metric now. Raises QueryError."""
    return merge_same(Vector([drop_name(each) for each in vector.labels], values, vector.there))


def _each(function: Callable[[Floats], Floats]) -> Answer:
    return lambda arguments, steps: map_values(_vector(arguments[0]), function(_vector(arguments[0]).values))


def _round(arguments: Sequence[Value], steps: Times) -> Value:
    inverse = 1.0 / (_floats(arguments[1]) if len(arguments) > 1 else np.ones(len(steps)))
    return map_values(_vector(arguments[0]), np.floor(_vector(arguments[0]).values * inverse + 0.5) / inverse)


def _clamp(arguments: Sequence[Value], steps: Times) -> Value:
    vector, least, most = _vector(arguments[0]), _floats(arguments[1]), _floats(arguments[2])
    kept = vector._replace(there=vector.there & ~(most < least))
    return map_values(kept, np.maximum(least, np.minimum(most, vector.values)))


def _clamp_min(arguments: Sequence[Value], steps: Times) -> Value:
    return map_values(_vector(arguments[0]), np.maximum(_vector(arguments[0]).values, _floats(arguments[1])))


def _clamp_max(arguments: Sequence[Value], steps: Times) -> Value:
    return map_values(_vector(arguments[0]), np.minimum(_vector(arguments[0]).values, _floats(arguments[1])))


def _sort(descending: bool) -> Answer:
    def answer(arguments: Sequence[Value], steps: Times) -> Value:
        vector = _vector(arguments[0])
        if len(steps) > 1 or not vector.labels:
            return vector
        values = vector.values[:, 0]
        order = np.lexsort((-values if descending else values, np.isnan(values)))
        return Vector([vector.labels[row] for row in order.tolist()], vector.values[order], vector.there[order])

    return answer


def _scalar(arguments: Sequence[Value], steps: Times) -> Value:
    vector = _vector(arguments[0])
    many = vector.there.sum(axis=0)
    return np.where(many == 1, np.where(vector.there, vector.values, 0.0).sum(axis=0), np.nan)


def make_vector(values: Floats, labels: Labels = ()) -> Vector:
    """A vector of one series."""
    return Vector([labels], values[None], np.ones((1, len(values)), np.bool_))


def _date(function: Callable[[np.ndarray], np.ndarray]) -> Answer:
    def answer(arguments: Sequence[Value], steps: Times) -> Value:
        vector = _vector(arguments[0]) if arguments else make_vector(steps / 1000)
        known = np.abs(vector.values) < _MOST_SECONDS
        seconds = np.where(known, vector.values, _END_OF_TIME).astype(np.int64)
        return map_values(vector, function(seconds.astype("datetime64[s]")).astype(np.float64))

    return answer


_MOST_SECONDS = 6e10
_END_OF_TIME = 1_480_865_408
"""Seconds of a Sunday in a leap year, the 4th of December at 15:30:08, as the last one is that Go knows."""

_YEARS_LEFT = 292_277_024_580
"""From that one to the last."""


def _year(arguments: Sequence[Value], steps: Times) -> Value:
    vector = _vector(arguments[0]) if arguments else make_vector(steps / 1000)
    found = _vector(
        _date(lambda times: np.asarray(times.astype("datetime64[Y]").astype(np.int64) + 1970))([vector], steps)
    )
    return found._replace(values=found.values + np.where(np.abs(vector.values) < _MOST_SECONDS, 0, _YEARS_LEFT))


def _part(unit: str, of: str, base: int = 0) -> Answer:
    def count(times: np.ndarray) -> np.ndarray:
        larger = times.astype(f"datetime64[{of}]").astype(f"datetime64[{unit}]")
        return np.asarray((times.astype(f"datetime64[{unit}]") - larger).astype(np.int64) + base)

    return _date(count)


def _days_in_month(times: np.ndarray) -> np.ndarray:
    month = times.astype("datetime64[M]")
    return np.asarray(((month + 1).astype("datetime64[D]") - month.astype("datetime64[D]")).astype(np.int64))


LONGEST = 4_096
"""Characters of a value that is put together: it could be doubled again and again."""


def _set(labels: Labels, name: str, value: str) -> Labels:
    if len(value) > LONGEST:
        raise QueryError(f"label value of {name} is longer than {LONGEST} characters")
    return set_label(labels, name, value)


def _label_replace(arguments: Sequence[Value], steps: Times) -> Value:
    vector, (target, template, source, pattern) = _vector(arguments[0]), (str(each) for each in arguments[1:])
    try:
        compiled = compile_regex(pattern)
    except RegexError:
        raise QueryError(f"invalid regular expression in label_replace(): {pattern}") from None
    if not LABEL.fullmatch(target):
        raise QueryError(f"invalid destination label name in label_replace(): {target}")
    labels = []
    for each in vector.labels:
        found = compiled.find_groups(dict(each).get(source, ""))
        labels.append(_set(each, target, _expand(template, found, compiled.names)) if found else each)
    return merge_same(vector._replace(labels=labels))


_REFERENCE = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)\})", re.ASCII)


def _expand(template: str, groups: Sequence[str], names: Sequence[str]) -> str:
    """As Go's `Regexp.Expand`: `$1`, `${1}`, `$name`, `$$`; what is not there is empty."""

    def insert(reference: re.Match[str]) -> str:
        if reference[1]:
            return "$"
        name = reference[2] or reference[3]
        if name.isdigit() and str(int(name)) == name:
            return groups[int(name)] if len(name) < 5 and int(name) < len(groups) else ""
        return groups[names.index(name)] if name in names[1:] else ""

    return _REFERENCE.sub(insert, template)


def _label_join(arguments: Sequence[Value], steps: Times) -> Value:
    vector, (target, separator, *sources) = _vector(arguments[0]), [str(each) for each in arguments[1:]]
    for source in sources:
        if not LABEL.fullmatch(source):
            raise QueryError(f"invalid source label name in label_join(): {source}")
    if not LABEL.fullmatch(target):
        raise QueryError(f"invalid destination label name in label_join(): {target}")
    joined = [separator.join(dict(each).get(source, "") for source in sources) for each in vector.labels]
    labels = [_set(each, target, value) for each, value in zip(vector.labels, joined, strict=True)]
    return merge_same(vector._replace(labels=labels))


def make_absent(node: Node, there: np.ndarray) -> Vector:
    """A series of ones where nothing is there; its labels are those that the selector asks for by name."""
    missing: Bools = np.asarray(~there.any(axis=0))
    selector, labels, doubled = unwrap(node), dict[str, str](), set[str]()
    for matcher in selector.matchers if isinstance(selector, Selector) else ():
        if matcher.label == "__name__":
            continue
        if matcher.op == "=" and matcher.label not in labels:
            labels[matcher.label] = matcher.value
        else:
            doubled.add(matcher.label)
    kept = tuple(sorted((name, value) for name, value in labels.items() if name not in doubled and value))
    return Vector([kept], np.ones((1, len(missing))), missing[None])


def _quantile(arguments: Sequence[Value], steps: Times) -> Value:
    return merge_same(estimate_quantile(_floats(arguments[0]), _vector(arguments[1])))


def _nothing(arguments: Sequence[Value], steps: Times) -> Value:
    """Of native histograms, which nobody here has."""
    return make_empty(len(steps))


_SIMPLE: Mapping[str, Callable[[Floats], Floats]] = {
    **{name: getattr(np, name) for name in ("abs", "ceil", "exp", "floor", "log10", "log2", "sqrt")},
    **{name: getattr(np, name) for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    "ln": np.log,
    "deg": lambda values: values * 180 / np.pi,
    "rad": lambda values: values * np.pi / 180,
    "sgn": lambda values: np.where(values == 0, values, np.sign(values)),
}

FUNCTIONS: Mapping[str, Answer] = {
    **{name: _each(function) for name, function in _SIMPLE.items()},
    "round": _round,
    "clamp": _clamp,
    "clamp_min": _clamp_min,
    "clamp_max": _clamp_max,
    "sort": _sort(descending=False),
    "sort_desc": _sort(descending=True),
    "scalar": _scalar,
    "vector": lambda arguments, steps: make_vector(_floats(arguments[0])),
    "time": lambda arguments, steps: steps / 1000,
    "pi": lambda arguments, steps: np.full(len(steps), np.pi),
    "minute": _part("m", "h"),
    "hour": _part("h", "D"),
    "day_of_week": _date(lambda times: np.asarray((times.astype("datetime64[D]").astype(np.int64) + 4) % 7)),
    "day_of_month": _part("D", "M", 1),
    "day_of_year": _part("D", "Y", 1),
    "days_in_month": _date(_days_in_month),
    "month": _part("M", "Y", 1),
    "year": _year,
    "label_replace": _label_replace,
    "label_join": _label_join,
    "histogram_quantile": _quantile,
    "histogram_count": _nothing,
    "histogram_sum": _nothing,
    "histogram_fraction": _nothing,
}
"""But for those that look at their argument before it is worked out: see `evaluate`."""
