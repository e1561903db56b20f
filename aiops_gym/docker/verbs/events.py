"""`docker events`"""

from __future__ import annotations

from typing import Any

from aiops_gym.docker.call import Call, Failure
from aiops_gym.docker.formats import has_label, matches_all, read_filters, read_time, render, write_json
from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.types import Json

KNOWN = ("container", "event", "image", "label", "network", "type")


def _fits(event: Json, name: str, value: str) -> bool:
    attributes = event["attributes"]
    if name == "label":
        return has_label(attributes, value)
    if name in ("container", "network"):
        return event["type"] == name and (attributes.get("name") == value or str(event["id"]).startswith(value))
    word = {"event": event["action"], "type": event["type"], "image": attributes.get("image", "")}[name]
    return bool(word == value)


def _write(call: Call, event: Json) -> None:
    stamp = iso_nano(event["time"], (event["number"] * 7_919 + 104_729) % 1_000_000)
    actor = {"ID": event["id"], "Attributes": event["attributes"]}
    told = {"Type": event["type"], "Action": event["action"], "Actor": actor, "scope": "local"}
    told |= {"time": event["time"] // 1000, "timeNano": event["time"] * 1_000_000}
    form = call.flags.text("format")
    if form in ("json", "{{json .}}"):
        old = {"status": event["action"], "id": event["id"]} if event["type"] == "container" else {}
        call.write(f"{write_json({**old, **told})}\n")
    elif form:
        shown = {**told, "Status": event["action"], "ID": event["id"], "Time": told["time"]}
        call.write(f"{render(form, {**shown, 'From': event['attributes'].get('image', '')})}\n")
    else:
        listed = ", ".join(f"{name}={value}" for name, value in event["attributes"].items())
        call.write(f"{stamp} {event['type']} {event['action']} {event['id']} ({listed})\n")


def run(call: Call) -> int:
    """Print what happened since a time, and what happens until another one, or until nobody waits any longer."""
    filters, now = read_filters(call, KNOWN), round(1000 * call.context.cluster.now())
    since, until = read_time(call, "since"), read_time(call, "until")
    seen = -1

    def show(begin: int) -> None:
        nonlocal seen
        for event in call.ask("GET", "/events"):
            fits: Any = lambda name, value, event=event: _fits(event, name, value)  # noqa: E731 - short, and used once
            late = until is not None and event["time"] > until
            if event["number"] > seen and event["time"] >= begin and not late and matches_all(filters, fits):
                _write(call, event)
            seen = max(seen, event["number"])

    show(now if since is None else since)
    while until is None or 1000 * call.context.cluster.now() < until:
        try:
            call.wait(1.0)
        except Failure:
            show(now)
            raise
        show(now)
    return 0
