"""Topics of a Kafka broker, and groups of consumers: who is handed messages, at which pace, and what waits for them.

All messages of a topic are in its partition 0, however many it has, and so one member of each group gets them: the
first by member id, as the range assignor has it. A member works through what it was given at one go
(`max.poll.records`) before it asks again; one that needs longer than `max.poll.interval.ms` for that has left its group
by then, its offsets are not committed, and it is given the same again (KIP-62). So the group never comes any further.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.traffic import timeline
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.sim.traffic.flags import told_flags
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

SWIFT = 400.0
"""Messages a second that a consumer reads where nothing slows it down."""

BATCH, PATIENCE = 500, 5 * MINUTE
"""`max.poll.records`, and `max.poll.interval.ms`: defaults of Kafka's client."""

SOON = 150
"""Milliseconds until a message that was published by hand has been read."""

REMEMBERED = 1_000
"""Messages written by hand that a topic remembers."""

Topics = dict[str, dict[str, Json]]
"""Topic -> `end` (messages), `at` (ms), `groups` (group -> messages read), `odd` (offset -> [ms, text] of what was
written by hand, which no consumer of the app can read), `partitions` and `configs` where somebody has set them."""

Readers = Mapping[str, Mapping[str, Json]]
"""`TOPIC/GROUP` -> `topic`, `group`, `owner` (process that has the partition), `rate` (messages a second), `most` (how
many may wait before it comes no further; None for any number)."""


@dataclass(frozen=True)
class Member:
    """A process in a group.

    Attributes:
        key: of the process, and its `row`.
        told: what it `consumes`.
        id: of the member.
    """

    key: str
    row: Process
    told: Mapping[str, Json]
    id: str


def list_members(world: World, broker: str) -> list[Member]:
    """All that are in a group of this broker, by member id."""
    found, rows = [], world.table("processes")
    for key in rows[broker]["state"].get("peers", ()):
        row = rows.get(key)
        told = configured(row).get("consumes") if row and row["running"] else None
        if row and told and not told.get("left"):
            found.append(Member(key, row, told, f"{told['client']}-{draws.uuid(world.seed, 'member', row['id'])}"))
    return sorted(found, key=lambda member: member.id)


def find_readers(members: Sequence[Member]) -> Readers:
    """Who has the partition of each group's topic, and how fast it reads."""
    found: dict[str, Mapping[str, Json]] = {}
    for member in members:
        group, topic = str(member.told["group"]), str(member.told["topic"])
        if name_reader(topic, group) not in found:
            rate = read_pace(member.row)
            most = None if BATCH / rate * 1000 <= PATIENCE else rate * PATIENCE / 1000
            row = {"topic": topic, "group": group, "owner": member.key, "rate": rate, "most": most}
            found[name_reader(topic, group)] = row
    return found


def name_reader(topic: str, group: str) -> str:
    """What a reader is kept under."""
    return f"{topic}/{group}"


def read_pace(process: Process) -> float:
    """Messages a second that a consumer works through."""
    pace = configured(process)["consumes"].get("pace")
    return float(pace["rate"]) if pace and told_flags(process).number(pace["flag"]) > 0.0 else SWIFT


def count(world: World, broker: str) -> Topics:
    """The topics of a broker as they are now. Changes nothing.

    Who reads a topic, or writes into it, creates it (`auto.create.topics.enable`): where it was deleted, as a new one.
    """
    process = world.table("processes")[broker]
    kept: Topics = process["state"].get("topics") or {}
    readers: Readers = process["state"].get("readers") or {}
    found: Topics = {}
    known = {*kept, *(str(reader["topic"]) for reader in readers.values())}
    for name in sorted({*known, *(process["state"].get("births") or {})}):
        row = kept.get(name) or {"end": 0.0, "at": find_birth(process, name), "groups": {}}
        groups = {**{str(each["group"]): 0.0 for each in readers.values() if each["topic"] == name}, **row["groups"]}
        end = float(row["end"])
        for interval in timeline.list_intervals(world, int(row["at"]), world.now):
            seconds = (interval.end - interval.start) / 1000.0
            rate = measure_rate(interval.outcome, broker, name)
            groups = {
                group: _read_on(readers.get(name_reader(name, group)), read, end, rate, seconds)
                for group, read in groups.items()
            }
            end += rate * seconds
        if name in known or end >= 1.0:
            found[name] = {**row, "end": end, "at": world.now, "groups": groups}
    return found


def _read_on(reader: Mapping[str, Json] | None, read: float, end: float, rate: float, seconds: float) -> float:
    """How far a group has come in some seconds in which messages arrive at a rate."""
    if reader is None:
        return read
    pace, most = float(reader["rate"]), reader["most"]
    if most is not None and pace < rate:
        seconds = min(seconds, max(0.0, float(most) - (end - read)) / (rate - pace))
    elif most is not None and end - read >= float(most):
        return read
    return min(end + rate * seconds, read + pace * seconds)


def find_birth(process: Process, topic: str) -> int:
    """When a topic was created or deleted last (ms), else when its broker began: it has had no messages before."""
    return max(int(process["started"]), int((process["state"].get("births") or {}).get(topic, 0)))


def measure_rate(outcome: Mapping[str, Json], broker: str, topic: str) -> float:
    """Messages a second that arrive at a broker for a topic, which the producer's span is named after."""
    keys: Sequence[str] = outcome["processes"]
    if broker not in keys:
        return 0.0
    number = keys.index(broker)
    for node in outcome["nodes"]:
        for item in node["calls"]:
            for call in item if isinstance(item, list) else (item,):
                served = (outcome["nodes"][t[0]] for t in call["to"] if t[0] >= 0) if "messages" in call else ()
                if any(each["process"] == number and each["name"].split()[0] == topic for each in served):
                    return float(outcome["rps"][number]) * float(call["messages"])
    return 0.0


def list_backlogs(world: World, broker: str) -> Iterator[tuple[str, str, str, float]]:
    """Group, topic, the process that reads for it ("" for none), and seconds' worth of messages that wait for it."""
    readers: Readers = world.table("processes")[broker]["state"].get("readers") or {}
    outcome = timeline.read_current(world)
    for topic, row in count(world, broker).items():
        rate = measure_rate(outcome, broker, topic)
        for group, read in row["groups"].items():
            waiting = max(0.0, float(row["end"]) - float(read))
            reader = readers.get(name_reader(topic, group), {})
            yield group, topic, str(reader.get("owner", "")), waiting / rate if rate else 0.0


def find_partition(group: str) -> int:
    """Which partition of `__consumer_offsets` keeps a group: Java's hash of its name, of 50.

    >>> find_partition("test")
    48
    """
    number = 0
    for letter in group:
        number = (31 * number + ord(letter)) & 0xFFFFFFFF
    number -= (number & 0x80000000) << 1
    return abs(number) % 50
