"""A Kafka broker in KRaft mode: topics with offsets, and groups of consumers with what they have not read yet.

How many messages a topic has follows from the requests that publish to it (a call's `messages` for each), over the
timeline; how far a group has come from the pace of its consumers, `configured["consumes"]`. Both are counted up to now
when somebody looks, and noted when a pace changes. What is kept is gone with the container, as it has no volume.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, Tool
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.sim.traffic import timeline
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.sim.traffic.flags import told_flags
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

SWIFT = 400.0
"""Messages a second that a consumer reads where nothing slows it down."""

ROLL = 10 * MINUTE
"""Milliseconds after which the counts are noted in any case."""

Topics = dict[str, dict[str, Json]]
"""Topic -> `end` (messages), `at` (ms), `groups` (group -> messages read)."""


class Kafka(Program):
    """Listens some seconds after its start."""

    protocol = "kafka"
    term_ms = (300, 1_500)

    def start(self, c: Container) -> None:
        """A JVM begins."""
        c.remember(topics={})
        self._say(c, "info", "kafka.server.KafkaRaftServer", "[KafkaRaftServer nodeId=1] starting")
        c.after(int(c.between(4_000, 9_000, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`open`: listen; `settle`: note the counts; `roll`: the same, again and again."""
        if name == "open":
            for text in (c.env.get("KAFKA_LISTENERS") or "PLAINTEXT://:9092").split(","):
                port = text.rpartition(":")[2]
                if port.isdigit():
                    c.listen(int(port))
            self._say(c, "info", "kafka.server.KafkaRaftServer", "[KafkaRaftServer nodeId=1] Kafka Server started")
        else:
            c.remember(topics=count(c.world, c.key))
        if name != "settle":
            c.after(ROLL, "roll")

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A heap of fixed size."""
        memory = float(process["params"].get("memory", 430 * MIB))
        return {"cpu": 0.012 + cpu_seconds_per_s, "memory": memory, "threads": 74.0}

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """It speaks no HTTP."""
        return None

    def talk(self, world: World, process: Process, text: str) -> str:
        """Text is no request: it hangs up."""
        return ""

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """The scripts beside it."""
        return {"kafka-consumer-groups.sh": _groups, "kafka-topics.sh": _topics, "kafka-get-offsets.sh": _offsets}

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """Its log4j pattern."""
        return FORMATS["log4j, time first"](ms, level, source, message, "")

    def _say(self, c: Container, level: str, source: str, message: str) -> None:
        c.log(self.format(c.now, level, source, message))


def list_consumers(world: World, broker: str) -> list[tuple[str, str, float, Process]]:
    """Topic, group, messages a second and process of all who wait for this broker's messages."""
    found = []
    for row in world.table("processes").values():
        told = configured(row).get("consumes") if row["running"] else None
        if told and row["state"].get("broker") == broker:
            pace = told.get("pace")
            slow = pace is not None and told_flags(row).number(pace["flag"]) > 0.0
            found.append((str(told["topic"]), str(told["group"]), float(pace["rate"]) if slow else SWIFT, row))
    return found


def count(world: World, broker: str) -> Topics:
    """The topics of a broker as they are now. Changes nothing."""
    process = world.table("processes")[broker]
    kept: Topics = process["state"].get("topics") or {}
    consumers = list_consumers(world, broker)
    found: Topics = {}
    for name in sorted({*kept, *(topic for topic, *_ in consumers)}):
        row = kept.get(name) or {"end": 0.0, "at": int(process["started"]), "groups": {}}
        groups = {**row["groups"]} | {
            group: row["groups"].get(group, 0.0) for topic, group, *_ in consumers if topic == name
        }
        paces = {group: pace for topic, group, pace, _ in consumers if topic == name}
        end = float(row["end"])
        for interval in timeline.list_intervals(world, int(row["at"]), world.now):
            seconds = (interval.end - interval.start) / 1000.0
            end += _rate(interval.outcome, broker) * seconds
            for group in groups:
                groups[group] = min(end, groups[group] + paces.get(group, 0.0) * seconds)
        found[name] = {"end": end, "at": world.now, "groups": groups}
    return found


def _rate(outcome: Mapping[str, Json], broker: str) -> float:
    """Messages a second that arrive at a broker."""
    keys: Sequence[str] = outcome["processes"]
    if broker not in keys:
        return 0.0
    number = keys.index(broker)
    for node in outcome["nodes"]:
        for item in node["calls"]:
            for call in item if isinstance(item, list) else (item,):
                if "messages" in call and any(
                    outcome["nodes"][t[0]]["process"] == number for t in call["to"] if t[0] >= 0
                ):
                    return float(outcome["rps"][number]) * float(call["messages"])
    return 0.0


def _groups(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`kafka-consumer-groups.sh --list | --describe (--group NAME | --all-groups)`."""
    topics, text = count(c.world, c.key), ""
    names = sorted({group for row in topics.values() for group in row["groups"]})
    if "--list" in argv:
        return Output("".join(f"{name}\n" for name in names))
    wanted = names if "--all-groups" in argv else [argv[argv.index("--group") + 1]] if "--group" in argv[:-1] else []
    if "--describe" not in argv or not wanted:
        return Output("", "Command must include exactly one action: --list, --describe, --delete, --reset-offsets\n", 1)
    members = {(topic, group): row for topic, group, _, row in list_consumers(c.world, c.key)}
    for group in wanted:
        if group not in names:
            return Output(text, f"Error: Consumer group '{group}' does not exist.\n", 1)
        text += f"\n{'GROUP':<16}{'TOPIC':<10}{'PARTITION':<11}{'CURRENT-OFFSET':<16}{'LOG-END-OFFSET':<16}"
        text += f"{'LAG':<10}HOST\n"
        for topic, row in topics.items():
            end, read = int(row["end"]), min(int(row["end"]), int(row["groups"].get(group, 0)))
            host = f"/{members[topic, group]['ip']}" if (topic, group) in members else "-"
            text += f"{group:<16}{topic:<10}{0:<11}{read:<16}{end:<16}{end - read:<10}{host}\n"
    return Output(text)


def _topics(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`kafka-topics.sh --list | --describe`."""
    names = list(count(c.world, c.key))
    if "--list" in argv:
        return Output("".join(f"{name}\n" for name in ["__consumer_offsets", *names]))
    form = "Topic: {0}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    form += "\tTopic: {0}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    return Output("".join(form.format(name) for name in names))


def _offsets(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`kafka-get-offsets.sh`: the end of each partition."""
    return Output("".join(f"{name}:0:{int(row['end'])}\n" for name, row in count(c.world, c.key).items()))


program = Kafka()
