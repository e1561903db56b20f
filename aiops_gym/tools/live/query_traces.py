"""Jaeger's search."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping, Sequence

from aiops_gym.errors import ToolError
from aiops_gym.tools.places import window
from aiops_gym.tools.registry import Context, extra, read
from aiops_gym.tools.servers import ask_server, print_rows
from aiops_gym.types import Json, Result

NAME = "query_traces"
LARGEST = 200
"""Traces at most: more would not be read."""

HINT = "ask for fewer traces, or a longer min_duration"
Trace = Mapping[str, Json]
Row = list[str]


@extra
@read
def query_traces(
    context: Context,
    service: str,
    operation: str | None = None,
    tags: str | None = None,
    min_duration: str | None = None,
    max_duration: str | None = None,
    limit: int = 20,
    duration: int = 5,
) -> Result:
    """Search Jaeger for the newest traces in which one span of a service is all that is asked for.

    Prints one trace a row; of a single one all spans, each below the one that called, times in milliseconds.

    Args:
        service: whose span it is.
        operation: name of the span.
        tags: of the span, such as error=true http.status_code=500.
        min_duration: of the span, such as 100ms or 1.5s.
        max_duration: of the span.
        limit: traces, 1 to 200.
        duration: the last so many minutes.
    """
    if not 1 <= limit <= LARGEST:
        raise ToolError(f"Error: {NAME}: limit is a number of traces, 1 to {LARGEST}, not {limit}.")
    start, end = window(context, duration)
    query = {"service": service, "operation": operation, "tags": _read_tags(tags), "limit": limit}
    query |= {"minDuration": min_duration, "maxDuration": max_duration}
    query |= {"start": round(start * 1_000_000), "end": round(end * 1_000_000)}
    found = ask_server(context, NAME, "jaeger", "/api/traces", query)
    if not found:
        return Result(_tell_nothing(context, service, duration))
    if len(found) == 1:
        columns, rows = _TREE, _show_tree(found[0])
    else:
        columns, rows = _LIST, [_show_trace(trace) for trace in found]
    return Result(print_rows(context, columns, rows, HINT))


def _read_tags(text: str | None) -> str | None:
    if not text:
        return None
    try:
        pairs = [word.partition("=") for word in shlex.split(text)]
    except ValueError as error:
        raise ToolError(f"Error: {NAME}: tags cannot be read: {error}.") from None
    if any(not equals for _, equals, _ in pairs):
        raise ToolError(f"Error: {NAME}: write tags as name=value, with blanks between them, not {text[:80]!r}.")
    return json.dumps({name: value for name, _, value in pairs})


def _tell_nothing(context: Context, service: str, minutes: int) -> str:
    """Raises ToolError where there is no such service."""
    known = ask_server(context, NAME, "jaeger", "/api/services", {}) or []
    if service not in known:
        names = ", ".join(known) or "none"
        raise ToolError(f"Error: {NAME}: no service {service[:80]!r} sent spans. There are: {names}.")
    return f"No such traces in the last {minutes} minutes."


_LIST = ("trace_id", "start", "duration_ms", "spans", "root", "failed")
_TREE = ("depth", "start_ms", "duration_ms", "service", "operation", "tags")


def _failed(span: Mapping[str, Json]) -> bool:
    return any(tag["key"] == "error" and tag["value"] is True for tag in span["tags"])


def _show_trace(trace: Trace) -> Row:
    spans, processes = trace["spans"], trace["processes"]
    start = min(span["startTime"] for span in spans)
    took = max(span["startTime"] + span["duration"] for span in spans) - start
    names = [f"{processes[s['processID']]['serviceName']}:{s['operationName']}" for s in spans]
    failed = dict.fromkeys(name for name, span in zip(names, spans, strict=True) if _failed(span))
    clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start // 1_000_000)) + f".{start % 1_000_000:06d}Z"
    return [trace["traceID"], clock, f"{took / 1000:.3f}", str(len(spans)), names[0], " ".join(failed) or "-"]


def _show_tree(trace: Trace) -> list[Row]:
    spans, processes = trace["spans"], trace["processes"]
    known = {span["spanID"] for span in spans}
    below: dict[str, list[Mapping[str, Json]]] = {}
    for span in spans:
        above = span["references"][0]["spanID"] if span["references"] else ""
        below.setdefault(above if above in known else "", []).append(span)
    first, rows = min(span["startTime"] for span in spans), list[Row]()

    def add(several: Sequence[Mapping[str, Json]], depth: int) -> None:
        for span in several:
            tags = " ".join(f"{t['key']}={t['value']}" for t in span["tags"] if t["key"] != "internal.span.format")
            service = processes[span["processID"]]["serviceName"]
            times = [f"{(span['startTime'] - first) / 1000:.3f}", f"{span['duration'] / 1000:.3f}"]
            rows.append([str(depth), *times, service, span["operationName"], tags or "-"])
            add(below.get(span["spanID"], ()), depth + 1)

    add(below.get("", ()), 0)
    return rows
