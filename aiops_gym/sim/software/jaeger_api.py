"""Jaeger's HTTP API as version 1.57 has it: what its UI asks (`/api`), and `/api/v3` in OpenTelemetry's shapes.

Facts from its `cmd/query/app`. The newest traces come first, where the real one keeps no order; `/api/transform`, which
only shows what it is sent, is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, unquote_plus

from aiops_gym.sim.kernel.times import HOUR
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.sim.software.jaeger_json import group, show_otlp, show_trace, write
from aiops_gym.sim.software.jaeger_query import (
    Query,
    Wrong,
    first,
    limit_duration,
    parse_duration,
    parse_id,
    parse_integer,
    quote,
    read_number,
    read_search,
)
from aiops_gym.sim.telemetry import calls, searches, traces
from aiops_gym.sim.telemetry.spans import Wanted
from aiops_gym.types import Json, Span

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

Answered = tuple[int, str]

PAGE = (
    '<!doctype html><html lang="en"><head><title>Jaeger UI</title></head>'
    '<body><div id="jaeger-ui-root"></div></body></html>\n'
)
PAGES = {"Content-Type": "text/html; charset=utf-8"}
GOOD = {"Content-Type": "application/json"}
BAD = {"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}
SECONDS = 0.006
"""How long it thinks."""

MOST = 1500
"""Traces in one answer. The real one has no bound, and its answers to `limit=0` can be larger than its memory."""

DAY = 24 * HOUR
UNKNOWN = "unspecified"
"""Jaeger's word for the kind of an operation without the tag."""

NO_TRACE = "trace not found"
DISABLED = "metrics querying is currently disabled"
NO_ARCHIVE = "archive span storage was not configured"


class Refused(Exception):
    """What is not answered: a status and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def answer(world: World, method: str, path: str) -> HttpAnswer:
    """The answer to a request for a path of the query service."""
    where, _, text = path.partition("?")
    parts = where.strip("/").split("/")
    newer = parts[:2] == ["api", "v3"]
    found = _find(parts[2:], _NEWER) if newer else _find(parts[1:], _OLDER) if parts[0] == "api" else None
    if found is None:
        missing = parts[0] == "static"
        return (
            HttpAnswer(404, "404 page not found\n", BAD, SECONDS) if missing else HttpAnswer(200, PAGE, PAGES, SECONDS)
        )
    allowed, show, named = found
    if method != allowed:
        return HttpAnswer(405, "", {}, SECONDS)
    query = parse_qs(text, keep_blank_values=True)
    try:
        pretty = not newer and first(query, "prettyPrint") not in ("", "false")
        return HttpAnswer(200, write(show(world, query, named), pretty=pretty), GOOD, SECONDS)
    except Wrong as error:
        return _refuse(400, str(error), newer)
    except Refused as error:
        return _refuse(error.status, str(error), newer)


Show = Callable[["World", Query, str], Json]
Routes = Mapping[str, tuple[str, Show]]


def _find(parts: Sequence[str], routes: Routes) -> tuple[str, Show, str] | None:
    """Method, handler, and the part of the path that `*` stands for."""
    for pattern, (method, show) in routes.items():
        words = pattern.split("/")
        if len(words) == len(parts) and all(w == p or (w == "*" and p) for w, p in zip(words, parts, strict=True)):
            return method, show, next((p for w, p in zip(words, parts, strict=True) if w == "*"), "")
    return None


def _refuse(status: int, why: str, newer: bool) -> HttpAnswer:
    if newer:
        body: Json = {"error": {"httpCode": status, "message": why}}
    else:
        body = {"data": None, "total": 0, "limit": 0, "offset": 0, "errors": [{"code": status, "msg": why}]}
    return HttpAnswer(status, write(body) + "\n", BAD, SECONDS)


def _good(data: Json, total: int = 0, errors: Json = None) -> Json:
    return {"data": data, "total": total, "limit": 0, "offset": 0, "errors": errors}


def _services(world: World, query: Query, named: str) -> Json:
    found = traces.list_services(world)
    return _good(found or None, len(found))


def _operations(world: World, service: str, kind: str) -> list[tuple[str, str]]:
    found = [(name, of or UNKNOWN) for name, of in calls.list_operations(world, service)]
    return [(name, of) for name, of in found if kind in ("", of)]


def _service_operations(world: World, query: Query, named: str) -> Json:
    found = sorted({name for name, _ in _operations(world, unquote_plus(named), "")})
    return _good(found or None, len(found))


def _kinds(world: World, query: Query, named: str) -> Json:
    service = first(query, "service")
    if not service:
        raise Wrong("parameter 'service' is required")
    found = _operations(world, service, first(query, "spanKind"))
    return _good([{"name": name, "spanKind": kind} for name, kind in found], len(found))


def _search(world: World, query: Query, named: str) -> Json:
    asked = read_search(query, world.now)
    if not asked.ids:
        return _good([show_trace(rows) for rows in _matching(world, asked.wanted, asked.limit)])
    known = searches.get_traces(world, asked.ids)
    lost = [{"msg": NO_TRACE, "traceID": one} for one in asked.ids if one not in known]
    return _good([show_trace(known[one]) for one in asked.ids if one in known], errors=lost or None)


def _matching(world: World, wanted: Wanted, limit: int) -> list[list[Span]]:
    return group(searches.search(world, wanted, min(limit, MOST) if limit > 0 else MOST))


def _one(world: World, named: str) -> list[Span]:
    known = parse_id(unquote(named))
    found = searches.get_traces(world, [known])
    if known not in found:
        raise Refused(404, NO_TRACE)
    return found[known]


def _trace(world: World, query: Query, named: str) -> Json:
    raw = first(query, "raw") in ("1", "t", "T", "true", "TRUE", "True")
    return _good([show_trace(_one(world, named), adjusted=not raw)])


def _dependencies(world: World, query: Query, named: str) -> Json:
    end, service = read_number(query, "endTs", world.now), first(query, "service")
    found = calls.count_calls(world, end - read_number(query, "lookback", DAY), end)
    rows = [row for row in found if service in ("", *row[:2])]
    return _good([{"parent": caller, "child": called, "callCount": count} for caller, called, count in rows])


def _archive(world: World, query: Query, named: str) -> Json:
    parse_id(unquote(named))
    raise Refused(500, NO_ARCHIVE)


def _metrics(world: World, query: Query, named: str) -> Json:
    if "service" not in query:
        raise Wrong("unable to parse param 'service': please provide at least one service name")
    raise Refused(501, DISABLED)


def _latencies(world: World, query: Query, named: str) -> Json:
    text = first(query, "quantile")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        raise Wrong(f"unable to parse param 'quantile': strconv.ParseFloat: parsing {quote(text)}: invalid syntax")
    return _metrics(world, query, named)


def _least_step(world: World, query: Query, named: str) -> Json:
    raise Refused(501, DISABLED)


def _new_services(world: World, query: Query, named: str) -> Json:
    found = traces.list_services(world)
    return {"services": found} if found else {}


def _new_operations(world: World, query: Query, named: str) -> Json:
    found = _operations(world, first(query, "service"), first(query, "span_kind"))
    return {"operations": [{"name": name, "spanKind": kind} for name, kind in found]} if found else {}


def _new_search(world: World, query: Query, named: str) -> Json:
    since, until = first(query, "query.start_time_min"), first(query, "query.start_time_max")
    if not since or not until:
        raise Wrong("query.start_time_min and query.start_time_max are required")
    wanted = Wanted(first(query, "query.service_name"), first(query, "query.operation_name"))
    wanted = wanted._replace(
        since=_new_value(query, "query.start_time_min", _micros),
        until=_new_value(query, "query.start_time_max", _micros),
    )
    limit = _new_value(query, "query.num_traces", parse_integer)
    least, most = (_new_value(query, f"query.duration_{which}", parse_duration) for which in ("min", "max"))
    found = _matching(world, limit_duration(wanted, least, most), limit)
    return {"result": show_otlp(span for rows in found for span in rows)}


def _new_trace(world: World, query: Query, named: str) -> Json:
    try:
        return {"result": show_otlp(_one(world, named))}
    except Wrong as error:
        raise Wrong(f"malformed parameter trace_id: {error}") from None


def _new_value(query: Query, name: str, parse: Callable[[str], int]) -> int:
    text = first(query, name)
    try:
        return parse(text) if text else 0
    except Wrong as error:
        raise Wrong(f"malformed parameter {name}: {error}") from None


def _micros(text: str) -> int:
    """A time of RFC 3339 in microseconds."""
    layout = "2006-01-02T15:04:05.999999999Z07:00"
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)", text, re.ASCII):
        try:
            return round(datetime.fromisoformat(text).timestamp() * 1_000_000)
        except ValueError:
            raise Wrong(f"parsing time {quote(text)}: day out of range") from None
    raise Wrong(f'parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(text)} as "2006"')


_OLDER: Routes = {
    "services": ("GET", _services),
    "services/*/operations": ("GET", _service_operations),
    "operations": ("GET", _kinds),
    "traces": ("GET", _search),
    "traces/*": ("GET", _trace),
    "archive/*": ("POST", _archive),
    "dependencies": ("GET", _dependencies),
    "metrics/latencies": ("GET", _latencies),
    "metrics/calls": ("GET", _metrics),
    "metrics/errors": ("GET", _metrics),
    "metrics/minstep": ("GET", _least_step),
}
_NEWER: Routes = {
    "services": ("GET", _new_services),
    "operations": ("GET", _new_operations),
    "traces": ("GET", _new_search),
    "traces/*": ("GET", _new_trace),
}
