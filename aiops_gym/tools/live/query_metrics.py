"""PromQL."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aiops_gym.tools.registry import Context, extra, read
from aiops_gym.tools.servers import ask_server, print_rows
from aiops_gym.types import Json, Result

POINTS = 30
"""Of a range without a step."""

FINEST = 15
"""Seconds of the shortest step that is taken by itself."""

HEAD = 500
"""Characters of the line above a table, at most."""

LONG = ("id", "name", "uid")
"""Labels that are long and name what others name too."""

HINT = "ask for fewer series, with more labels or topk(10, ...)"

Moment = str | int | float | None
Series = Mapping[str, Json]


@extra
@read
def query_metrics(
    context: Context, promql: str, start: Moment = None, end: Moment = None, step: Moment = None
) -> Result:
    """Ask Prometheus in PromQL and print a table, one series a row.

    Without a start the query is evaluated once, with one at each step. Labels that all series share are told once,
    above the table.

    Args:
        promql: the query, such as sum(rate(container_cpu_usage_seconds_total[5m])) by (pod).
        start: of a range, in Unix seconds or as 2026-03-02T14:30:00Z.
        end: of the range, or the moment of a single evaluation; None is now.
        step: of the range, in seconds or as 1m; None makes about 30 points.
    """
    if start is None:
        data = ask_server(context, "query_metrics", "prometheus", "/api/v1/query", {"query": promql, "time": end})
    else:
        end = context.backend.now() if end is None else end
        step = _find_step(start, end) if step is None else step
        query = {"query": promql, "start": start, "end": end, "step": step}
        data = ask_server(context, "query_metrics", "prometheus", "/api/v1/query_range", query)
    if data["resultType"] in ("scalar", "string"):
        return Result(_show(str(data["result"][1])))
    if not data["result"]:
        return Result("No series.")
    columns: list[Json] = ["value"]
    if data["resultType"] == "matrix":
        columns = sorted({point[0] for series in data["result"] for point in series["values"]})
    room = context if context.limit is None else replace(context, limit=max(1, context.limit - HEAD))
    return Result(_above(data["result"], columns) + _print(room, data["result"], columns))


def _find_step(start: Moment, end: Moment) -> int | str:
    """Whole seconds; what is no number Prometheus shall refuse, or read, itself."""
    if not isinstance(start, int | float) or not isinstance(end, int | float):
        return "1m"
    return max(FINEST, round((end - start) / POINTS))


def _shared(found: Sequence[Series]) -> dict[str, str]:
    """Labels that all series have with one value; none of a single series."""
    first = found[0]["metric"]
    return {k: v for k, v in first.items() if len(found) > 1 and all(s["metric"].get(k) == v for s in found)}


def _above(found: Sequence[Series], columns: Sequence[Json]) -> str:
    shared = ", ".join(f'{name}="{value}"' for name, value in _shared(found).items())
    days = "" if columns == ["value"] else f"{_time(columns[0], '%Y-%m-%dT%H:%M:%SZ')} to {_time(columns[-1])} UTC"
    line = "; ".join(filter(None, (days, shared and f"all series: {shared}")))
    return f"{line[: HEAD - 1]}\n" if line else ""


def _print(context: Context, found: Sequence[Series], columns: Sequence[Json]) -> str:
    labels = _list_columns(found)
    rows = []
    for series in found:
        points = dict(series["values"]) if "values" in series else {"value": series["value"][1]}
        cells = [_show(points[at]) if at in points else "-" for at in columns]
        rows.append([*(series["metric"].get(name, "-") for name in labels), *cells])
    titles = [*labels, *(at if at == "value" else _time(at) for at in columns)]
    return print_rows(context, titles, rows, HINT)


def _list_columns(found: Sequence[Series]) -> list[str]:
    """Labels by which series differ, without long ones that nobody needs to tell them apart."""
    shared = _shared(found)
    labels = [name for name in dict.fromkeys(k for series in found for k in series["metric"]) if name not in shared]
    short = [name for name in labels if name not in LONG]
    told = {tuple(series["metric"].get(name) for name in short) for series in found}
    return short if len(told) == len(found) else labels


def _time(seconds: float, layout: str = "%H:%M:%S") -> str:
    return time.strftime(layout, time.gmtime(seconds))


def _show(value: str) -> str:
    """A value in a cell: six digits of what is no whole number."""
    try:
        return value if value.lstrip("-").isdigit() else f"{float(value):.6g}"
    except ValueError:
        return value
