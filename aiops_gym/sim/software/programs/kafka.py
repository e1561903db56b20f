"""A Kafka broker in KRaft mode: topics with offsets, and groups of consumers with what they have not read yet.

How many messages a topic has follows from the requests that publish to it (a call's `messages` for each), over the
timeline; how far a group has come from the pace of its members, see `software/kafka_groups`. Both are counted up to now
when somebody looks, and noted when a member comes, goes or changes its pace. What is kept is gone with the container,
as it has no volume.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program, program_of
from aiops_gym.sim.software.kafka_groups import (
    BATCH,
    SOON,
    count,
    find_partition,
    find_readers,
    list_members,
    name_reader,
)
from aiops_gym.sim.telemetry.log_formats import FORMATS
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

ROLL = 10 * MINUTE
"""Milliseconds after which the counts are noted in any case."""

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

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """Its log4j pattern."""
        return FORMATS["log4j, time first"](ms, level, source, message, "")

    def _note(self, c: Container) -> None:
        """Count up to now, tell who came upon what it cannot read, and look who reads from now on."""
        before, topics = c.state.get("topics") or {}, count(c.world, c.key)
        readers, struck = c.state.get("readers") or {}, list[str]()
        for name, row in topics.items():
            odd, groups = [int(offset) for offset in row.get("odd", {})], dict(row["groups"])
            for reader in readers.values() if odd else ():
                group = str(reader["group"])
                begun = float(before.get(name, {}).get("groups", {}).get(group, 0.0))
                if reader["topic"] == name and any(begun <= offset < groups[group] for offset in odd):
                    groups[group] = min(float(row["end"]), max(groups[group], begun + BATCH))
                    struck.append(str(reader["owner"]))
            topics[name] = {**row, "groups": groups}
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


program = Kafka()
