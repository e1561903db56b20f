"""`events.k8s.io/v1`: the same events as the core ones, under other names of their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.types import Json, Request, Response

NAME, STORED = "events.events.k8s.io", "events"
VERSION, STORED_VERSION = "events.k8s.io/v1", "v1"
FIELDS = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
"""Names in core events, and those here."""

BACK = {there: here for here, there in FIELDS.items()}


def asked(request: Request) -> Request:
    """What is asked of the core events by a request about these."""
    query = request.query
    if query.get("fieldSelector"):
        query = {**query, "fieldSelector": _selector(query["fieldSelector"])}
    return replace(request, resource=STORED, query=query, body=_body(request.body))


def _selector(text: str) -> str:
    terms = []
    for term in text.split(","):
        name, rest = term[: _end(term)], term[_end(term) :]
        first, dot, more = name.partition(".")
        terms.append(BACK.get(first, first) + dot + more + rest)
    return ",".join(terms)


def _end(term: str) -> int:
    """Where the name of a field ends."""
    return next((at for at, letter in enumerate(term) if letter in "=!"), len(term))


def _body(body: Json) -> Json:
    """An event, a patch of one, or a JSON patch's operations."""
    if isinstance(body, list):
        return [_operation(item) if isinstance(item, Mapping) else item for item in body]
    if not isinstance(body, Mapping):
        return body
    found = {BACK.get(name, name): value for name, value in body.items()}
    return {**found, "apiVersion": STORED_VERSION} if found.get("apiVersion") == VERSION else found


def _operation(item: Mapping[str, Json]) -> dict[str, Json]:
    moved = {}
    for name in ("path", "from"):
        if isinstance(item.get(name), str):
            start, _, rest = item[name].removeprefix("/").partition("/")
            moved[name] = "/".join(["", BACK.get(start, start), *([rest] if rest else [])])
    return {**item, **moved}


def answered(request: Request, handle: Callable[[Request], Response]) -> Response:
    """The answer to a request about these events, by what answers those about core events."""
    reply = handle(asked(request))
    body = reply.body
    if reply.code >= 400 or body.get("kind") == "Status":
        return reply._replace(body=_status(body))
    if body.get("kind") == "Table":
        rows = [{**row, "object": shown(row["object"])} for row in body["rows"]]
        return reply._replace(body={**body, "rows": rows})
    if "items" in body:
        return reply._replace(body={**body, "apiVersion": VERSION, "items": [shown(item) for item in body["items"]]})
    return reply._replace(body=shown(body))


def shown(event: Mapping[str, Json]) -> Obj:
    """A core event as one of these.

    >>> shown({"apiVersion": "v1", "kind": "Event", "message": "Pulled"})
    {'apiVersion': 'events.k8s.io/v1', 'kind': 'Event', 'note': 'Pulled', 'eventTime': None}
    """
    found = {FIELDS.get(name, name): value for name, value in event.items()}
    found["apiVersion"] = VERSION
    found.setdefault("eventTime", None)
    return Obj(found)


def _status(status: Mapping[str, Json]) -> dict[str, Json]:
    details = status.get("details")
    group = {"details": {**details, "group": "events.k8s.io"}} if details and details.get("kind") == "events" else {}
    message = status.get("message")
    named = {"message": message.replace('events "', f'{NAME} "')} if message else {}
    return {**status, **named, **group}
