"""Jaeger's HTTP API: services, operations, traces, dependencies, in the shapes of its `internal/uimodel`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

from aiops_gym.sim.kernel import jsontext
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.times import HOUR
from aiops_gym.sim.telemetry import traces
from aiops_gym.types import Json, Span

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

Query = Mapping[str, str]

PAGE = (
    '<!doctype html><html lang="en"><head><title>Jaeger UI</title></head>'
    '<body><div id="jaeger-ui-root"></div></body></html>\n'
)
DURATION = re.compile(r"(\d+(?:\.\d+)?)(us|µs|ms|s|m|h)")
UNITS = {"us": 1, "µs": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000}
LOOKED_AT = 200
"""Newest traces that operations and dependencies are counted from."""


def answer(world: World, path: str) -> tuple[int, str]:
    """Status and body for a path of the query service."""
    where, _, text = path.partition("?")
    query = {name: values[-1] for name, values in parse_qs(text).items()}
    parts = [unquote(part) for part in where.strip("/").split("/")]
    if parts[0] != "api":
        return 200, PAGE
    found = _api(world, parts[1:], query)
    return found if found is not None else (404, "404 page not found\n")


def _api(world: World, parts: Sequence[str], query: Query) -> tuple[int, str] | None:
    if parts == ["services"]:
        return _good(traces.list_services(world))
    if len(parts) == 3 and (parts[0], parts[2]) == ("services", "operations"):
        return _good(_operations(world, parts[1]))
    if parts == ["operations"]:
        if not query.get("service"):
            return _bad(400, "parameter 'service' is required")
        return _good([{"name": name, "spanKind": ""} for name in _operations(world, query["service"])])
    if parts == ["traces"]:
        return _search(world, query)
    if len(parts) == 2 and parts[0] == "traces":
        return _one(world, parts[1])
    if parts == ["dependencies"]:
        return _good(_dependencies(world, query))
    return None


def _good(data: Sequence[Json], total: int | None = None) -> tuple[int, str]:
    body = {"data": data, "total": len(data) if total is None else total, "limit": 0, "offset": 0, "errors": None}
    return 200, json.dumps(body, separators=(",", ":"))


def _bad(code: int, message: str) -> tuple[int, str]:
    body = {"data": None, "total": 0, "limit": 0, "offset": 0, "errors": [{"code": code, "msg": message}]}
    return code, json.dumps(body, separators=(",", ":"))


def _micros(text: str) -> int | None:
    found = DURATION.findall(text)
    if not found or "".join(number + unit for number, unit in found) != text:
        return None
    return int(sum(float(number) * UNITS[unit] for number, unit in found))


def _search(world: World, query: Query) -> tuple[int, str]:
    if query.get("traceID"):
        return _one(world, query["traceID"])
    if not query.get("service"):
        return _bad(400, "parameter 'service' is required")
    numbers = {name: query.get(name, "") for name in ("start", "end", "limit")}
    for name, text in numbers.items():
        if text and not is_natural(text):
            return _bad(400, f"unable to parse param '{name}': strconv.ParseInt: parsing \"{text}\": invalid syntax")
    for name in ("lookback", "minDuration", "maxDuration"):
        if query.get(name) and query[name] != "custom" and _micros(query[name]) is None:
            return _bad(400, f"unable to parse param '{name}': time: invalid duration \"{query[name]}\"")
    end = int(numbers["end"] or world.now * 1000) // 1000
    back = (_micros(query.get("lookback", "")) or HOUR * 1000) // 1000
    start = int(numbers["start"]) // 1000 if numbers["start"] else end - back
    limit = min(int(numbers["limit"] or 100), 1500)
    chosen = [name for name in ("operation", "minDuration", "maxDuration", "tags", "tag") if query.get(name)]
    spans, _ = traces.find_traces(world, query["service"], start, end, limit * (10 if chosen else 1))
    groups = [rows for rows in _grouped(spans).values() if _wanted(rows, query)]
    return _good([_trace(rows) for rows in groups[:limit]], 0)


def _wanted(rows: Sequence[Span], query: Query) -> bool:
    """Whether one span of the service is as the query wants it."""
    least, most = _micros(query.get("minDuration", "")), _micros(query.get("maxDuration", ""))
    tags = dict(pair.split(":", 1) for pair in [query.get("tag", "")] if ":" in pair)
    try:
        tags |= {k: str(v) for k, v in dict(jsontext.load(query.get("tags") or "{}")).items()}
    except (ValueError, TypeError):
        return False
    for span in rows:
        have = {**dict(span.tags), **({"error": "true"} if span.error else {})}
        if span.service != query["service"] or query.get("operation", "") not in ("", "all", span.operation):
            continue
        if (least or 0) <= span.duration <= (most or 1 << 60) and all(have.get(k) == v for k, v in tags.items()):
            return True
    return False


def _one(world: World, trace: str) -> tuple[int, str]:
    if not re.fullmatch(r"[0-9a-fA-F]{1,32}", trace):
        return _bad(400, f'strconv.ParseUint: parsing "{trace}": invalid syntax')
    rows = traces.get_trace(world, trace.lower())
    return _good([_trace(rows)], 0) if rows else _bad(404, "trace not found")


def _grouped(spans: Iterable[Span]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.trace, []).append(span)
    return found


def _trace(rows: Sequence[Span]) -> Json:
    processes: dict[str, str] = {}
    for span in rows:
        processes.setdefault(span.service, f"p{len(processes) + 1}")
    return {
        "traceID": rows[0].trace,
        "spans": [_span(span, processes[span.service]) for span in rows],
        "processes": {key: {"serviceName": service, "tags": []} for service, key in processes.items()},
        "warnings": None,
    }


def _span(span: Span, process: str) -> Json:
    parent = [{"refType": "CHILD_OF", "traceID": span.trace, "spanID": span.parent}] if span.parent else []
    tags = [_tag(key, value) for key, value in span.tags]
    tags += [{"key": "error", "type": "bool", "value": True}] if span.error else []
    return {
        "traceID": span.trace,
        "spanID": span.span,
        "operationName": span.operation,
        "references": parent,
        "startTime": span.start,
        "duration": span.duration,
        "tags": [*tags, {"key": "internal.span.format", "type": "string", "value": "jaeger"}],
        "logs": [],
        "processID": process,
        "warnings": None,
    }


def _tag(key: str, value: str) -> Json:
    if key.endswith("status_code") and is_natural(value):
        return {"key": key, "type": "int64", "value": int(value)}
    return {"key": key, "type": "string", "value": value}


def _operations(world: World, service: str) -> list[str]:
    spans, _ = traces.find_traces(world, service, world.now - HOUR, world.now, LOOKED_AT)
    return sorted({span.operation for span in spans if span.service == service})


def _dependencies(world: World, query: Query) -> Sequence[Json]:
    """Calls between services, counted from the newest traces and scaled to all of the time asked for."""
    end = int(query["endTs"]) if is_natural(query.get("endTs", "")) else world.now
    back = int(query["lookback"]) if is_natural(query.get("lookback", "")) else 24 * HOUR
    counts: dict[tuple[str, str], float] = {}
    seen: set[str] = set()
    for service in traces.list_services(world):
        spans, total = traces.find_traces(world, service, end - back, end, LOOKED_AT)
        groups = _grouped(spans)
        weight = total / len(groups) if groups else 0.0
        for trace, rows in groups.items():
            if trace in seen:
                continue
            seen.add(trace)
            by = {span.span: span for span in rows}
            for span in rows:
                above = by.get(span.parent)
                if above is not None and above.service != span.service:
                    pair = (above.service, span.service)
                    counts[pair] = counts.get(pair, 0.0) + weight
    return [{"parent": a, "child": b, "callCount": round(n)} for (a, b), n in sorted(counts.items())]
