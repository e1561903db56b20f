"""Events, and how their senders keep them from flooding the API (client-go `tools/record` and `tools/events`).

Kubelet and controllers send core events: an equal one adds to `count`, the tenth similar one within 600 s becomes
`(combined from similar events): ...`, and of one reason about one object at most 25 come in a burst, then one per
300 s. The scheduler sends the newer kind without `count`; of a repeat only the first is written, as `series`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND, iso, iso_micro, millis
from aiops_gym.sim.kernel.world import Handler, World

TTL = HOUR
"""`--event-ttl` of the API server."""

SIMILAR_WINDOW = 600 * SECOND
SIMILAR_LIMIT = 10
BURST = 25
REFILL = 300 * SECOND
SERIES_WINDOW = 6 * MINUTE
"""`finishTime` of client-go: a repeat later than this begins a new series."""

SCHEDULER = "default-scheduler"

NORMAL = "Normal"
"""The type of events that only tell: nothing in a cluster acts on them."""

Involved = Mapping[str, Any]


def record(
    world: World,
    involved: Involved,
    type_: str,
    reason: str,
    message: str,
    component: str,
    host: str = "",
    field_path: str = "",
) -> None:
    """Send a core event about an object, as kubelet (`host` = its node) and controllers do.

    Args:
        type_: `Normal` or `Warning`.
        field_path: of the container meant, `spec.containers{app}`.
    """
    if type_ == NORMAL and not world.dynamics.seen:
        return
    reference = _reference(involved, field_path)
    source = f"{component}|{host}|{reference['kind']}|{uid_of(involved)}|{field_path}|{type_}|{reason}"
    message, key = _combined(world, source, message)
    reporting = "" if key == source else component  # client-go's aggregator leaves it out of the event it makes
    table, now = world.table("correlator"), world.now
    seen = table.get(f"seen {key}")
    count = seen["count"] + 1 if seen else 1
    first = seen["first"] if seen else now
    name = seen["name"] if seen else _name(world, involved)
    table[f"seen {key}"] = {"count": count, "first": first, "name": name, "last": now}
    if not _allowed(world, source):
        return
    old = world.store.get("events", namespace_of(involved) or "default", name)
    body: dict[str, Any] = {
        "count": count,
        "eventTime": None,
        "firstTimestamp": iso(first),
        "lastTimestamp": iso(now),
        "message": message,
        "reason": reason,
        "reportingComponent": reporting,
        "reportingInstance": reporting and host,
        "source": {"component": component, "host": host} if host else {"component": component},
        "type": type_,
    }
    _write(world, old, reference, name, body)


def record_series(world: World, involved: Involved, type_: str, reason: str, message: str, action: str) -> None:
    """Send an events.k8s.io event about a pod, as the scheduler does; `action` is `Binding` or `Scheduling`."""
    if type_ == NORMAL and not world.dynamics.seen:
        return
    reference = _reference(involved, "")
    key = f"series {uid_of(involved)}|{reference['resourceVersion']}|{reason}|{message}"
    table, now = world.table("correlator"), world.now
    seen = table.get(key)
    if seen and now - seen["last"] <= SERIES_WINDOW:
        table[key] = {**seen, "count": seen["count"] + 1, "last": now}
        old = world.store.get("events", namespace_of(involved), seen["name"])
        if seen["count"] == 1 and old:
            world.store.put("events", {**old, "series": {"count": 2, "lastObservedTime": iso_micro(now)}})
        return
    name = _name(world, involved)
    table[key] = {"count": 1, "name": name, "last": now}
    body: dict[str, Any] = {
        "action": action,
        "eventTime": iso_micro(now, draws.pick(1000, world.seed, "event", name)),
        "firstTimestamp": None,
        "lastTimestamp": None,
        "message": message,
        "reason": reason,
        "reportingComponent": SCHEDULER,
        "reportingInstance": f"{SCHEDULER}-{_control_plane(world)}",
        "source": {},
        "type": type_,
    }
    _write(world, None, reference, name, body)


def last_seen(event: Mapping[str, Any]) -> int:
    """When an event was last observed, in ms; its parts may be null (see `record_series`)."""
    newest = (
        event.get("lastTimestamp")
        or get(event, "series", "lastObservedTime")
        or event.get("eventTime")
        or event["metadata"]["creationTimestamp"]
    )
    return millis(newest)


def _reference(involved: Involved, field_path: str) -> dict[str, Any]:
    meta = involved["metadata"]
    reference = {
        "apiVersion": involved["apiVersion"],
        "kind": involved["kind"],
        "name": meta["name"],
        "namespace": meta.get("namespace"),
        "resourceVersion": meta.get("resourceVersion", ""),
        "uid": meta["uid"],
        "fieldPath": field_path,
    }
    return {k: v for k, v in reference.items() if v}


def _name(world: World, involved: Involved) -> str:
    """`<object>.<nanoseconds in hex>`; the nanoseconds below a millisecond keep equal times apart."""
    nanos = world.now * 1_000_000 + world.count("events") * 977 % 1_000_000
    return f"{name_of(involved)}.{nanos:x}"


def _combined(world: World, source: str, message: str) -> tuple[str, str]:
    """The message to send and the key under which it counts, after `EventAggregate`."""
    table, key = world.table("correlator"), f"similar {source}"
    seen = table.get(key)
    messages = seen["messages"] if seen and world.now - seen["last"] <= SIMILAR_WINDOW else []
    if message not in messages:
        messages = [*messages, message]
    if len(messages) < SIMILAR_LIMIT:
        table[key] = {"messages": messages, "last": world.now}
        return message, f"{source}|{message}"
    table[key] = {"messages": messages[1:], "last": world.now}
    return f"(combined from similar events): {message}", source


def _allowed(world: World, source: str) -> bool:
    """Take a token from the bucket of this source, reason and object."""
    table, key = world.table("correlator"), f"spam {source}"
    seen = table.get(key) or {"tokens": float(BURST), "last": world.now}
    tokens = min(float(BURST), seen["tokens"] + (world.now - seen["last"]) / REFILL)
    allowed = bool(tokens >= 1.0)
    table[key] = {"tokens": tokens - 1.0 if allowed else tokens, "last": world.now}
    return allowed


def _write(world: World, old: Obj | None, reference: Mapping[str, Any], name: str, body: Mapping[str, Any]) -> None:
    namespace = reference.get("namespace", "default")
    if old is None and not _open(world, namespace):
        return
    if old is None:
        meta: Mapping[str, Any] = {
            "creationTimestamp": world.timestamp,
            "name": name,
            "namespace": namespace,
            "uid": draws.uuid(world.seed, "uid", f"events {name}", world.now),
        }
        reference = {**reference, "namespace": namespace}
    else:
        meta, reference = old["metadata"], old["involvedObject"]
    event = {"apiVersion": "v1", "kind": "Event", "metadata": meta, "involvedObject": reference, **body}
    world.store.put("events", event)
    _sweep_later(world)


def _open(world: World, namespace: str) -> bool:
    """Whether the namespace takes new objects: none enter one that is going away."""
    found = world.store.get("namespaces", "", namespace)
    return found is not None and "deletionTimestamp" not in found["metadata"]


def _control_plane(world: World) -> str:
    for node in world.store.all("nodes"):
        if "node-role.kubernetes.io/control-plane" in node["metadata"].get("labels", {}):
            return name_of(node)
    return "scheduler"


def _sweep_later(world: World) -> None:
    table = world.table("correlator")
    if "sweep" not in table:
        table["sweep"] = {"last": world.now + TTL}
        world.schedule(TTL + MINUTE, "events.sweep")


def sweep(world: World) -> None:
    """Drop events that nobody renewed for an hour, and what the senders remember of older times."""
    table, limit = world.table("correlator"), world.now - TTL
    table.pop("sweep", None)
    for event in world.store.all("events"):
        if last_seen(event) <= limit:
            world.store.remove("events", f"{namespace_of(event)}/{name_of(event)}")
    for key in [k for k, seen in table.items() if seen["last"] <= limit]:
        del table[key]
    oldest = min((last_seen(event) for event in world.store.all("events")), default=None)
    if oldest is not None:
        table["sweep"] = {"last": oldest + TTL}
        world.schedule(oldest + TTL + MINUTE - world.now, "events.sweep")


HANDLERS: dict[str, Handler] = {"events.sweep": sweep}
