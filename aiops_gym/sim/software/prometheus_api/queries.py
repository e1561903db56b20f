"""What can be asked of any source: queries, series, labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.lexer import LABEL
from aiops_gym.sim.promql.nodes import TITLES
from aiops_gym.sim.promql.printer import print_pretty
from aiops_gym.sim.promql.series import Labels, Matcher, Source
from aiops_gym.sim.software.prometheus_api.output import write_answer, write_labels
from aiops_gym.sim.software.prometheus_api.parameters import (
    Query,
    Wrong,
    get,
    read_duration,
    read_expression,
    read_selectors,
    read_time,
)

BEFORE = 60 * 60_000
"""Milliseconds that series and labels look back where no start is given: what is known of the past."""

EVERYTHING = (Matcher("__name__", "!=", ""),)


def query(source: Source, now: int, asked: Query) -> str:
    """`/api/v1/query`."""
    time = read_time(asked, "time", now)
    if get(asked, "timeout"):
        read_duration(asked, "timeout")
    return write_answer(evaluate.query(source, read_expression(asked), time), time)


def query_range(source: Source, now: int, asked: Query) -> str:
    """`/api/v1/query_range`."""
    start, end = read_time(asked, "start"), read_time(asked, "end")
    if end < start:
        raise Wrong("end timestamp must not be before start time", "end")
    step = read_duration(asked, "step")
    if step <= 0:
        raise Wrong("zero or negative query resolution step widths are not accepted. Try a positive integer", "step")
    if (end - start) // step > evaluate.MOST_POINTS:
        more = "Try decreasing the query resolution (?step=XX)"
        raise Wrong(f"exceeded maximum resolution of 11,000 points per timeseries. {more}")
    if get(asked, "timeout"):
        read_duration(asked, "timeout")
    node = read_expression(asked)
    if node.type not in ("scalar", "vector"):
        kind = go_quote(TITLES[node.type])
        raise Wrong(f"invalid expression type {kind} for range query, must be Scalar or instant Vector", "query")
    return write_answer(evaluate.query_range(source, node, start, end, step))


def _find(source: Source, now: int, asked: Query, selectors: Sequence[Sequence[Matcher]]) -> list[Labels]:
    """The label sets of all series that one of the selectors means."""
    end = read_time(asked, "end", now)
    start = read_time(asked, "start", end - BEFORE)
    found: set[Labels] = set()
    for matchers in selectors:
        found |= {series.labels for series in source.select(matchers, start - 1, end) if len(series.times)}
    return sorted(found)


def list_series(source: Source, now: int, asked: Query) -> str:
    """`/api/v1/series`."""
    if not asked.get("match[]"):
        raise Wrong("no match[] parameter provided")
    try:
        selectors = read_selectors(asked)
    except QueryError as error:
        raise Wrong(str(error), "match[]") from None
    return "[" + ",".join(write_labels(labels) for labels in _find(source, now, asked, selectors)) + "]"


def list_labels(source: Source, now: int, asked: Query) -> str:
    """`/api/v1/labels`."""
    found = _find(source, now, asked, read_selectors(asked) or [EVERYTHING])
    return _write({name for labels in found for name, _ in labels})


def list_values(source: Source, now: int, asked: Query, label: str) -> str:
    """`/api/v1/label/LABEL/values`."""
    if not LABEL.fullmatch(label):
        raise Wrong(f"invalid label name: {go_quote(label)}")
    found = _find(source, now, asked, read_selectors(asked) or [(Matcher(label, "!=", ""),)])
    return _write({value for labels in found for name, value in labels if name == label})


def _write(texts: set[str]) -> str:
    return json.dumps(sorted(texts), ensure_ascii=False, separators=(",", ":"))


def format_query(source: Source, now: int, asked: Query) -> str:
    """`/api/v1/format_query`."""
    return json.dumps(print_pretty(read_expression(asked)), ensure_ascii=False)


def query_exemplars(source: Source, now: int, asked: Query) -> str:
    """`/api/v1/query_exemplars`: no program here exposes any."""
    end = read_time(asked, "end", now)
    if end < read_time(asked, "start", min(end, 0)):
        raise Wrong("end timestamp must not be before start timestamp")
    read_expression(asked)
    return "[]"


ROUTES: Mapping[str, Callable[[Source, int, Query], str]] = {
    "/api/v1/query": query,
    "/api/v1/query_range": query_range,
    "/api/v1/series": list_series,
    "/api/v1/labels": list_labels,
    "/api/v1/format_query": format_query,
    "/api/v1/query_exemplars": query_exemplars,
}
