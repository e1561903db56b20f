"""The functions of PromQL: what they take and what they return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from aiops_gym.sim.promql.nodes import Type


class Signature(NamedTuple):
    """Of a function.

    Attributes:
        takes: types of its arguments; the last one holds for those that follow.
        optional: how many of the last may be missing or added; -1 without end, 0: just as many as there are types.
        returns: a type.
    """

    takes: tuple[Type, ...]
    optional: int = 0
    returns: Type = "vector"


_SHORT: Mapping[str, Type] = {"v": "vector", "s": "scalar", "m": "matrix", "t": "string"}
_BY_ARGUMENTS = {
    "v": "abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor histogram_count histogram_sum ln"
    " log10 log2 rad sgn sin sinh sort sort_desc sqrt tan tanh timestamp",
    "m": "absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate last_over_time"
    " max_over_time min_over_time present_over_time rate resets stddev_over_time stdvar_over_time sum_over_time",
    "vs": "clamp_max clamp_min",
    "vss": "clamp",
    "mss": "holt_winters",
    "ssv": "histogram_fraction",
    "sv": "histogram_quantile",
    "sm": "quantile_over_time",
    "ms": "predict_linear",
    "vtttt": "label_replace",
    "s": "vector",
}
SIGNATURES: Mapping[str, Signature] = {
    name: Signature(tuple(_SHORT[each] for each in letters))
    for letters, names in _BY_ARGUMENTS.items()
    for name in names.split()
} | {
    **{
        name: Signature(("vector",), 1)
        for name in ["day_of_month", "day_of_week", "day_of_year", "days_in_month", "hour", "minute", "month", "year"]
    },
    "label_join": Signature(("vector", "string", "string", "string"), -1),
    "round": Signature(("vector", "scalar"), 1),
    "pi": Signature((), 0, "scalar"),
    "time": Signature((), 0, "scalar"),
    "scalar": Signature(("vector",), 0, "scalar"),
}
