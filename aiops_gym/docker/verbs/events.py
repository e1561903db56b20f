"""`docker events`"""

from __future__ import annotations

from aiops_gym.docker.call import Call
from aiops_gym.docker.formats import JSON, has_label, matches_all, read_filters, read_form, read_time, render
from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.types import Json


def _fits(event: Json, name: str, value: str) -> bool:
    attributes = event["attributes"]
    if name == "label":
        return has_label(attributes, value)
    if name in ("container", "network"):
        return event["type"] == name and (attributes.get("name") == value or str(event["id"]).startswith(value))
    word = {"event": event["action"], "type": event["type"], "image": attributes.get("image", "")}[name]
    return bool(word == value)


def _write(call: Call, event: Json) -> None:
    attributes, action, form = event["attributes"], event["action"], read_form(call)
    if not form:
        stamp = iso_nano(event["time"], (event["number"] * 7_919 + 104_729) % 1_000_000)
        listed = ", ".join(f"{name}={value}" for name, value in attributes.items())
        call.write(f"{stamp} {event['type']} {action} {event['id']} ({listed})\n")
        return
    actor, time = {"ID": event["id"], "Attributes": attributes}, event["time"]
    told = {"Type": event["type"], "Action": action, "Actor": actor, "scope": "local", "time": time // 1000}
    told["timeNano"] = 1_000_000 * time
    if form == JSON:
        told = {**({"status": action, "id": event["id"]} if event["type"] == "container" else {}), **told}
    else:
        told |= {"Status": action, "ID": event["id"], "Time": told["time"], "From": attributes.get("image", "")}
    call.write(f"{render(form, told)}\n")


def run(call: Call) -> None:
    """Print what happened since a time, and what happens until another one, or until nobody waits any longer."""
    filters, since, until = read_filters(call), read_time(call, "since"), read_time(call, "until")
    begin, seen = round(1000 * call.context.cluster.now()) if since is None else since, -1

    def show() -> None:
        nonlocal seen
        for event in call.ask("GET", "/events"):
            fresh = event["number"] > seen and event["time"] >= begin and (until is None or event["time"] <= until)
            if fresh and matches_all(filters, _fits, event):
                _write(call, event)
            seen = max(seen, event["number"])

    show()
    while until is None or 1000 * call.context.cluster.now() < until:
        try:
            call.wait(1.0)
        finally:
            show()
