"""What an application owes besides the answers that users wait for: the messages of a topic reach those who read it.

Nobody waits for an order to be booked or checked for fraud, and so no user is hurt at once where that is not done. It
is held against a system as an operation that fails is: a component that got a topic's messages before the incident
gets them, and is not far behind.
"""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.software.kafka_groups import list_backlogs

LATE = 60.0
"""Seconds' worth of messages that may wait for a component; a restart of the slowest of them takes a third of it."""


def find_broken(world: World, before: World, app: App) -> Iterator[tuple[str, str]]:
    """The components that do not get their messages in time any more, each with a sentence for people."""
    owed = _collect(before, app)
    now = _collect(world, app) if owed else {}
    for (group, topic), (name, _) in sorted(owed.items()):
        reader, seconds = now.get((group, topic), ("", 0.0))
        if reader != name:
            yield name, f"{name} is not handed the messages of {topic}"
        elif seconds > LATE:
            yield name, f"{name} has {seconds:.0f} s worth of messages of {topic} before it"


def _collect(world: World, app: App) -> dict[tuple[str, str], tuple[str, float]]:
    """Group and topic -> the component that reads for it, and how many seconds it is behind."""
    found, rows = {}, world.table("processes")
    for key in [key for key, row in rows.items() if row["running"] and row["program"] == "kafka"]:
        for group, topic, reader, seconds in list_backlogs(world, key):
            pod = world.store.by_key("pods", rows[reader]["pod"]) if reader in rows else None
            labels = get(pod or {}, "metadata", "labels", default={}) or {}
            found[group, topic] = app.find_owner(labels), seconds
    return found
