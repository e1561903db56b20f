"""Traces in the two shapes in which Jaeger 1.57 tells them: that of its UI, and OpenTelemetry's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.software.jaeger_query import FORMAT
from aiops_gym.types import Json, Span

SAMPLED = 1
"""The flag of a span whose trace was chosen to be kept."""

KINDS = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
"""Numbers of the kinds of spans, as OpenTelemetry has them."""

FAILED = 2
"""OpenTelemetry's status of a span that failed."""

ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What Go's JSON writes in this way, so that a text may stand in a page."""


def write(data: Json, *, pretty: bool = False) -> str:
    """JSON as Go writes it.

    >>> print(write({"a": ["<b>", None]}))
    {"a":["\\u003cb\\u003e",null]}
    """
    between = None if pretty else (",", ":")
    text = json.dumps(data, ensure_ascii=False, indent=4 if pretty else None, separators=between)
    for sign, escaped in ESCAPES.items():
        text = text.replace(sign, escaped)
    return text


def group(spans: Iterable[Span]) -> list[list[Span]]:
    """Spans by trace, in the order in which they come."""
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.trace, []).append(span)
    return list(found.values())


def show_trace(rows: Sequence[Span], adjusted: bool = True) -> Json:
    """A trace for the UI; adjusted, spans whose parent never came say so."""
    processes: dict[str, str] = {}
    for span in rows:
        processes.setdefault(span.service, f"p{len(processes) + 1}")
    known = {span.span for span in rows} if adjusted else {span.parent for span in rows}
    return {
        "traceID": rows[0].trace,
        "spans": [_show_span(span, processes[span.service], known) for span in rows],
        "processes": {key: {"serviceName": service, "tags": []} for service, key in processes.items()},
        "warnings": None,
    }


def _show_span(span: Span, process: str, known: Iterable[str]) -> Json:
    lost = span.parent and span.parent not in known
    parent = [{"refType": "CHILD_OF", "traceID": span.trace, "spanID": span.parent}] if span.parent else []
    return {
        "traceID": span.trace,
        "spanID": span.span,
        "flags": SAMPLED,
        "operationName": span.operation,
        "references": parent,
        "startTime": span.start,
        "duration": span.duration,
        "tags": [{"key": key, "type": type_, "value": value} for key, type_, value in _tags(span)],
        "logs": [],
        "processID": process,
        "warnings": [f"invalid parent span IDs={span.parent}; skipping clock skew adjustment"] if lost else None,
    }


def _tags(span: Span) -> list[tuple[str, str, Json]]:
    """Key, type and value of all tags."""
    found: list[tuple[str, str, Json]] = []
    for key, value in span.tags:
        number = key.endswith("status_code") and is_natural(value)
        found.append((key, "int64", int(value)) if number else (key, "string", value))
    return [*found, *([("error", "bool", True)] if span.error else []), (FORMAT[0], "string", FORMAT[1])]


def show_otlp(spans: Iterable[Span]) -> Json:
    """Spans as OpenTelemetry's `TracesData`, by service."""
    by: dict[str, list[Json]] = {}
    for span in spans:
        by.setdefault(span.service, []).append(_show_otlp_span(span))
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [_attribute("service.name", "string", service)]},
                "scopeSpans": [{"scope": {}, "spans": rows}],
            }
            for service, rows in by.items()
        ]
    }


def _show_otlp_span(span: Span) -> Json:
    kind = KINDS.get(dict(span.tags).get("span.kind", ""))
    attributes = [_attribute(*tag) for tag in _tags(span) if tag[0] not in ("span.kind", "error")]
    return {
        "traceId": span.trace.zfill(32),
        "spanId": span.span,
        "parentSpanId": span.parent,
        "name": span.operation,
        **({"kind": kind} if kind else {}),
        "startTimeUnixNano": str(span.start * 1000),
        "endTimeUnixNano": str((span.start + span.duration) * 1000),
        "attributes": attributes,
        "status": {"code": FAILED} if _failed(span.tags, span.error) else {},
    }


def _failed(tags: Iterable[tuple[str, str]], error: bool) -> bool:
    status = dict(tags).get("http.status_code", "")
    return error or (is_natural(status) and int(status) >= 500)


def _attribute(key: str, type_: str, value: Json) -> Mapping[str, Json]:
    kind, shown = ("intValue", str(value)) if type_ == "int64" else ("stringValue", value)
    return {"key": key, "value": {kind: shown}}
