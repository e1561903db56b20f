"""`kubectl events`: events by time, with how often and for how long they were seen."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.clients.gosort import go_sort
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.output import FLAGS, choose_printer
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.targets import EVERYWHERE
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.waiting import await_looks
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kube_api.age import human_duration
from aiops_gym.types import Json

HEADERS: Final = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
STEP: Final = 1.0
"""Seconds between two looks of `--watch`."""


def run(call: Invocation) -> int | None:
    """Print events."""
    flags = call.flags
    fields = _about(flags.text("for"))
    shown = choose_printer(call) if call.flags.text("output") else None
    types = [kind.lower() for kind in flags.items("types")]
    for kind in types:
        if kind not in ("normal", "warning"):
            raise Failure("valid --types are Normal or Warning")
    found = _events(call, types, fields)
    if found and shown is not None:
        items = [{"apiVersion": "v1", "kind": "Event", **event} for event in found]
        if flags.text("output") == "name":  # kubectl has no name for a list of Go's types, and says nothing
            return 0
        call.write(shown.one(Struct({"apiVersion": "v1", "items": items, "kind": "EventList", "metadata": {}})))
        return 0
    if found or flags.on("watch"):
        _print(call, found, headers=not flags.on("no-headers") and bool(found))
    elif flags.on("all-namespaces"):
        call.warn("No events found.")
    else:
        call.warn(f"No events found in {call.namespace} namespace.")
    if flags.on("watch"):
        _watch(call, types, fields, found)
    return 0


def _about(word: str) -> str:
    """The field selector of `--for`. Raises Failure."""
    if not word:
        return ""
    kind, slash, name = word.partition("/")
    if not slash:
        raise Failure("--for must be in resource/name form")
    if "/" in name:
        raise Failure("arguments in resource/name form may not have more than one slash")
    resource = find_resource(kind)
    return f"involvedObject.kind={resource.kind},involvedObject.name={name}"


def _events(call: Invocation, types: list[str], fields: str) -> list[Json]:
    everywhere = call.flags.on("all-namespaces")
    items = call.client.list(find_resource("events"), "" if everywhere else None, fields=fields)["items"]
    if types:
        items = [event for event in items if event.get("type", "").lower() in types]
    return go_sort(items, lambda a, b: _last(a) < _last(b))


def _last(event: Json) -> str:
    """When an event was seen last, to the microsecond, as a text that sorts."""
    series = event.get("series")
    text = (series or {}).get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return str(text).removesuffix("Z").ljust(20, ".").ljust(26, "0") if text else ""


def _watch(call: Invocation, types: list[str], fields: str, found: list[Json]) -> None:
    headers = not call.flags.on("no-headers") and not found
    seen = {event["metadata"]["uid"]: event["metadata"]["resourceVersion"] for event in found}
    for _ in await_looks(call.client.cluster, STEP, call.flags.text("request-timeout")):
        now = _events(call, types, fields)
        fresh = [e for e in now if seen.get(e["metadata"]["uid"]) != e["metadata"]["resourceVersion"]]
        seen = {event["metadata"]["uid"]: event["metadata"]["resourceVersion"] for event in now}
        if fresh:
            _print(call, fresh, headers)
            headers = False


def _print(call: Invocation, events: list[Json], headers: bool) -> None:
    everywhere = call.flags.on("all-namespaces")
    now = call.client.cluster.now()
    rows = [_row(event, now, everywhere) for event in events]
    if headers:
        rows.insert(0, (["NAMESPACE"] if everywhere else []) + HEADERS)
    call.write(lay_out(rows))


def _row(event: Json, now: float, everywhere: bool) -> list[str]:
    about = event.get("involvedObject") or {}
    row = [
        _interval(event, now),
        event.get("type", ""),
        event.get("reason", ""),
        f"{about.get('kind', '')}/{about.get('name', '')}",
        event.get("message", "").strip(),
    ]
    return [event["metadata"].get("namespace", ""), *row] if everywhere else row


def _interval(event: Json, now: float) -> str:
    """`39s`, or `10s (x3 over 35s)`."""
    first = _age(event.get("eventTime") or event.get("firstTimestamp"), now)
    series, count = event.get("series"), event.get("count") or 0
    if series:
        return f"{_age(series.get('lastObservedTime'), now)} (x{series.get('count')} over {first})"
    return f"{_age(event.get('lastTimestamp'), now)} (x{count} over {first})" if count > 1 else first


def _age(text: str | None, now: float) -> str:
    return human_duration(now - millis(text) / 1000) if text else "<unknown>"


verb = Verb(
    "events",
    run,
    flags=(
        *FLAGS,
        EVERYWHERE,
        Flag("for", help="Filter events to only those pertaining to the specified resource."),
        Flag("types", "list", help="Output only events of given types."),
        Flag("watch", "bool", short="w", help="After listing the requested events, watch for more events."),
        Flag("no-headers", "bool", help="When using the default output format, don't print headers."),
        Flag("chunk-size", "int", default=500, help="Return large lists in chunks rather than all at once."),
    ),
    usage="events [(-o|--output=)json|yaml|name|go-template|go-template-file|template|templatefile|jsonpath|"
    "jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]",
    short="List events",
)
