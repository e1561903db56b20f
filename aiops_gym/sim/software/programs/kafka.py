"""A Kafka broker in KRaft mode: topics with offsets, and groups of consumers with what they have not read yet.

How many messages a topic has follows from the requests that publish to it (a call's `messages` for each), over the
timeline; how far a group has come from the pace of its members, see `software/kafka_groups`. Both are counted up to now
when somebody looks, and noted when a member comes, goes or changes its pace. What is kept is gone with the container,
as it has no volume.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, Tool, program_of
from aiops_gym.sim.software.kafka_groups import BATCH, count, find_partition, find_readers, list_members, name_reader
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

ROLL = 10 * MINUTE
"""Milliseconds after which the counts are noted in any case."""

SOON = 150
"""Milliseconds until a message that was published by hand has been read."""

REMEMBERED = 100
"""Messages that no consumer can read, of which a topic remembers where they are."""

MEMBER = ("CONSUMER-ID", "HOST", "CLIENT-ID")
RAFT, COORDINATOR = "kafka.server.KafkaRaftServer", "org.apache.kafka.coordinator.group.GroupMetadataManager"


class Kafka(Program):
    """Listens some seconds after its start."""

    protocol = "kafka"
    term_ms = (300, 1_500)

    def start(self, c: Container) -> None:
        """A JVM begins."""
        c.remember(topics={}, readers={}, peers=[], generations={})
        self._say(c, RAFT, "[KafkaRaftServer nodeId=1] starting")
        c.after(int(c.between(4_000, 9_000, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`open`: listen; `settle`: note the counts; `roll`: the same, again and again; `join client`: a process is a
        member of the group that it names, again perhaps; `rebalance`: members are others."""
        if name == "open":
            for text in (c.env.get("KAFKA_LISTENERS") or "PLAINTEXT://:9092").split(","):
                port = text.rpartition(":")[2]
                if port.isdigit():
                    c.listen(int(port))
            self._say(c, RAFT, "[KafkaRaftServer nodeId=1] Kafka Server started")
        elif name == "join":
            c.remember(peers=[*[each for each in c.state.get("peers", ()) if each not in arguments], *arguments])
            self._rebalance(c)
            c.after(SOON, "settle")
        elif name == "rebalance":
            self._rebalance(c)
        else:
            self._note(c)
        if name in ("open", "roll"):
            c.after(ROLL, "roll")

    def hung_up(self, c: Container, peer: str) -> None:
        """A member has gone."""
        c.remember(peers=[each for each in c.state.get("peers", ()) if each != peer])
        self._rebalance(c)

    def _rebalance(self, c: Container) -> None:
        """Say who is handed messages from now on, to all groups of which the members are others."""
        old = c.state.get("readers") or {}
        self._note(c)
        members, now = list_members(c.world, c.key), c.state["readers"]
        for member in members:
            idle = now[name_reader(str(member.told["topic"]), str(member.told["group"]))]["owner"] != member.key
            program_of(c.world, member.row).event(Container(c.world, member.key), "assigned", idle)
        generations = dict(c.state.get("generations") or {})
        for group in sorted({*generations, *(str(member.told["group"]) for member in members)}):
            count_of = sum(member.told["group"] == group for member in members)
            number, last = generations.get(group, (0, 0))
            if count_of != last or any(old.get(key) != row for key, row in now.items() if row["group"] == group):
                generations[group] = [number + 1, count_of]
                self._tell(c, group, number, count_of, last)
        c.remember(generations=generations)

    def publish(self, c: Container, topic: str, number: int) -> int:
        """Messages come in that none of the app's consumers can read; the offset of the first of them."""
        topics = count(c.world, c.key)
        row = topics.get(topic) or {"end": 0.0, "at": c.now, "groups": {}}
        first = int(row["end"])
        odd = [*row.get("odd", ()), *range(first, first + number)][-REMEMBERED:]
        groups = {group: min(float(first), read) for group, read in row["groups"].items()}  # no part of one is read
        c.remember(topics={**topics, topic: {**row, "end": float(first + number), "groups": groups, "odd": odd}})
        c.after(SOON, "settle")
        return first

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

    def _note(self, c: Container) -> None:
        """Count up to now, tell who came upon what it cannot read, and look who reads from now on."""
        before, topics = c.state.get("topics") or {}, count(c.world, c.key)
        readers, struck = c.state.get("readers") or {}, list[str]()
        for name, row in topics.items():
            odd, groups = row.get("odd", ()), dict(row["groups"])
            for reader in readers.values() if odd else ():
                group = str(reader["group"])
                begun = float(before.get(name, {}).get("groups", {}).get(group, 0.0))
                if reader["topic"] == name and any(begun <= offset < groups[group] for offset in odd):
                    groups[group] = min(float(row["end"]), max(groups[group], begun + BATCH))
                    struck.append(str(reader["owner"]))
            left = [offset for offset in odd if offset >= min(groups.values(), default=0.0)]
            topics[name] = {**{key: value for key, value in row.items() if key != "odd"}, "groups": groups}
            topics[name] |= {"odd": left} if left else {}
        c.remember(topics=topics, readers=find_readers(list_members(c.world, c.key)))
        for key in struck:
            process = c.world.table("processes").get(key)
            if process is not None and process["running"]:  # it may have ended of something else meanwhile
                program_of(c.world, process).event(Container(c.world, key), "unreadable")

    def _tell(self, c: Container, group: str, generation: int, members: int, before: int) -> None:
        who = f"[GroupCoordinator id=1 topic=__consumer_offsets partition={find_partition(group)}]"
        why = "Adding new" if members > before else "Removing" if members < before else "Updating metadata of"
        state = f"in state PREPARING_REBALANCE with old generation {generation} (reason: {why} member)."
        self._say(c, COORDINATOR, f"{who} Preparing to rebalance group {group} {state}")
        if members:
            self._say(
                c, COORDINATOR, f"{who} Stabilized group {group} generation {generation + 1} with {members} members."
            )
        else:
            self._say(c, COORDINATOR, f"{who} Group {group} with generation {generation + 1} is now empty.")

    def _say(self, c: Container, source: str, message: str) -> None:
        c.log(self.format(c.now, "info", source, message))


def _groups(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`kafka-consumer-groups.sh --list | --describe (--group NAME | --all-groups) [--members]`."""
    topics = count(c.world, c.key)
    names = sorted({group for row in topics.values() for group in row["groups"]})
    if "--list" in argv:
        return Output("".join(f"{name}\n" for name in names))
    wanted = names if "--all-groups" in argv else [argv[argv.index("--group") + 1]] if "--group" in argv[:-1] else []
    if "--describe" not in argv or not wanted:
        return Output("", "Command must include exactly one action: --list, --describe, --delete, --reset-offsets\n", 1)
    text = error = ""
    show: Callable[[Container, str], list[list[str]]] = _list_rows if "--members" in argv else _list_offsets
    for group in wanted:
        if group not in names:
            return Output(f"{text}\nError: Consumer group '{group}' does not exist.\n", error, 1)
        if not any(member.told["group"] == group for member in list_members(c.world, c.key)):
            error += f"\nConsumer group '{group}' has no active members.\n"
        rows = show(c, group)
        text += _align(rows) if len(rows) > 1 else ""
    return Output(text, error)


def _list_offsets(c: Container, group: str) -> list[list[str]]:
    rows = [
        ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID"]
    ]
    members = {each.key: each for each in list_members(c.world, c.key)}
    for topic, row in count(c.world, c.key).items():
        if group in row["groups"]:
            member = members.get(_find_owner(c, topic, group))
            who = [member.id, f"/{member.row['ip']}", str(member.told["client"])] if member else ["-", "-", "-"]
            end, read = int(row["end"]), min(int(row["end"]), int(row["groups"][group]))
            rows.append([group, topic, "0", str(read), str(end), str(end - read), *who])
    return rows


def _list_rows(c: Container, group: str) -> list[list[str]]:
    rows = [["GROUP", *MEMBER, "#PARTITIONS"]]
    for each in list_members(c.world, c.key):
        if each.told["group"] == group:
            client = str(each.told["client"])
            has = int(_find_owner(c, str(each.told["topic"]), group) == each.key)
            rows.append([group, each.id, f"/{each.row['ip']}", client, str(has)])
    return rows


def _find_owner(c: Container, topic: str, group: str) -> str:
    return str((c.state.get("readers") or {}).get(name_reader(topic, group), {}).get("owner", ""))


def _align(rows: Sequence[Sequence[str]]) -> str:
    """Columns as the tool pads them: names to the longest and 15 at least, numbers to theirs, the last one not."""
    widths = [max(10 if column[0] == "PARTITION" else 15, *map(len, column)) for column in zip(*rows, strict=True)]
    lines = (" ".join([f"{cell:<{n}}" for cell, n in zip(row[:-1], widths, strict=False)]) for row in rows)
    return "\n" + "".join(f"{line} {row[-1]}\n" for line, row in zip(lines, rows, strict=True))


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
