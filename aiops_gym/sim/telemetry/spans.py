"""A span before it is made: when it is, its tags, and whether a question to Jaeger means it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.traffic.arrivals import Floats
from aiops_gym.sim.traffic.walk import CANCELED, OK, PANIC, UNIMPLEMENTED, UNKNOWN, Visit

Tags = tuple[tuple[str, str], ...]
Mask = NDArray[np.bool_]
Micros = NDArray[np.int64]

ENDLESS = 1 << 62
"""Microseconds that nothing lasts, and a time that never comes."""


class Wanted(NamedTuple):
    """What one span of a service must be, so that its trace is meant; microseconds, both ends included.

    Attributes:
        operation: its name, "" for any.
        least, most: how long it took.
        since, until: when it began.
        tags: that it has with these values, `error` among them.
    """

    service: str
    operation: str = ""
    least: int = 0
    most: int = ENDLESS
    since: int = 0
    until: int = ENDLESS
    tags: Tags = ()


def measure(ms: Floats, begin: Floats, end: Floats) -> tuple[Micros, Micros]:
    """When spans began and how long they took, in microseconds, of requests that arrived at some milliseconds."""
    return ((ms + begin) * 1000.0).astype(np.int64), np.maximum(1, (end - begin) * 1000.0).astype(np.int64)


def find_fitting(visit: Visit, ms: Floats, handler: str, wanted: Wanted) -> Mask:
    """Which spans of a visit are as they are wanted; whose they are and what they are called is not looked at.

    Args:
        visit: the place in the tree.
        ms: when the requests that came there arrived.
        handler: that the users asked for.
        wanted: what is asked.
    """
    began, took = measure(ms, visit.begin, visit.end)
    fitting: Mask = (began >= wanted.since) & (began <= wanted.until) & (took >= wanted.least) & (took <= wanted.most)
    if wanted.tags:
        good = [code for code in set(visit.codes.tolist()) if _has(visit, code, handler, wanted.tags)]
        fitting &= np.isin(visit.codes, good)
    return fitting


def _has(visit: Visit, code: int, handler: str, wanted: Tags) -> bool:
    error, tags = make_tags(visit, code, handler)
    have = dict((*tags, *((ERROR,) if error else ())))
    return all(have.get(key) == value for key, value in wanted)


ERROR = ("error", "true")
"""The tag of a span that failed."""


def make_tags(visit: Visit, code: int, handler: str) -> tuple[bool, tuple[tuple[str, str], ...]]:
    """The error mark and tags, as the tracing libraries of the services set them."""
    if visit.side == "store":
        return False, (("span.kind", "client"),)
    if visit.side == "plain":
        return False, ()
    if visit.side in ("otel", "otel-client"):
        return code != OK, _semantic(visit, code)
    if visit.side == "nginx":
        status = "200 OK" if code == OK else "500 Internal Server Error"
        method = handler.split(" ")[1] if " " in handler else "GET"
        told = (("component", "nginx"), ("http.method", method), ("http.url", visit.name))
        return code != OK, (*told, ("http.status_code", status[:3]), ("http.status_line", status))
    if not visit.parent:
        method, _, url = visit.name.removeprefix("HTTP ").partition(" ")
        status = "200" if code == OK else "500"
        tags = (
            ("span.kind", "server"),
            ("component", "net/http"),
            ("http.method", method),
            ("http.url", url or handler),
        )
        return code != OK, (*tags, ("http.status_code", status))
    kind = "client" if visit.side == "client" else "server"
    response = "2xx" if code in (OK, CANCELED) else "0xx" if code == UNKNOWN else "5xx"
    error = code != OK and (kind == "client" or code >= UNIMPLEMENTED)
    return error, (("span.kind", kind), ("component", "gRPC"), ("response_class", response))


def _semantic(visit: Visit, code: int) -> Tags:
    """Tags by OpenTelemetry's semantic conventions, as Jaeger shows them (opentelemetry.io/docs/specs/semconv)."""
    status = (("otel.status_code", "ERROR"),) if code != OK else ()
    first, _, rest = visit.name.partition(" ")
    if first in METHODS:
        route = (("http.request.method", first), ("http.route", rest)) if rest else (("http.request.method", first),)
        told = (*route, ("http.response.status_code", "200" if code == OK else "500"))
    elif "/" in visit.name:
        service, _, method = visit.name.partition("/")
        told = (("rpc.system", "grpc"), ("rpc.service", service), ("rpc.method", method))
        told = (*told, ("rpc.grpc.status_code", str(code if code < PANIC else 2)))
    else:
        return (("span.kind", "client" if visit.side == "otel-client" else "internal"), *status)
    return (("span.kind", "client" if visit.side == "otel-client" else "server"), *told, *status)


METHODS = ("GET", "POST", "PUT", "DELETE")
