"""Kafka's scripts, as the command of a container or beside a broker.

As a command, `kafka-console-consumer.sh` reads a topic for as long as it is let, and `kafka-verifiable-producer.sh`
waits for a broker; the others, and all of them beside a process, do what they are asked at one go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, Tool, program_of
from aiops_gym.sim.software import kafka_offsets, kafka_records, kafka_topics
from aiops_gym.sim.software.consumer import Consumer
from aiops_gym.sim.software.environment import read_address, read_option
from aiops_gym.sim.software.kafka_client import FOREVER, Script
from aiops_gym.sim.software.programs.kafka import Kafka
from aiops_gym.types import Json, Timed

CONSUMER, PRODUCER = "kafka-console-consumer.sh", "kafka-verifiable-producer.sh"
CLIENT, LOCAL = "console-consumer", "localhost:9092"
GIVES_UP = 60_000
"""`delivery.timeout.ms` is twice that, but metadata are waited for no longer (`max.block.ms`)."""

LOST = (
    "WARN [{name}] Bootstrap broker {address} (id: -1 rack: null) disconnected (org.apache.kafka.clients.NetworkClient)"
)


class Command(Consumer):
    """Does what its name and its options say."""

    def start(self, c: Container) -> None:
        """A JVM begins."""
        host = read_address(read_option(c.argv, "--bootstrap-server") or LOCAL, 9092)
        c.remember(configured={"name": "", "sample": 0.0, "addresses": {"broker": [host.host, host.port]}})
        name, begin = _name(c.argv), int(c.between(1_500, 3_500, "begin"))
        if name in (CONSUMER, PRODUCER) and (name == PRODUCER or ENDS.isdisjoint(c.argv)):
            c.after(begin, "produce" if name == PRODUCER else "consume", 0)
        else:
            c.after(begin, "run")

    def wanted(self, c: Container) -> Mapping[str, Json]:
        """What its options say; without a group it makes one up."""
        group = read_option(c.argv, "--group") or f"console-consumer-{int(c.between(1, 99_999, 'group'))}"
        address = read_option(c.argv, "--bootstrap-server") or LOCAL
        lost = [["", LOST.format(name="Consumer clientId=console-consumer", address=address), "raw"]]
        topic = read_option(c.argv, "--topic")
        return {"to": "broker", "topic": topic, "group": group, "handler": "print", "client": CLIENT, "lost": lost}

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`produce n`: the n-th try to publish; `run`: all at one go; those of `software/consumer`."""
        getattr(self, f"_{name}")(c, *arguments)

    def hung_up(self, c: Container, peer: str) -> None:
        """The broker has gone."""
        c.remember(peers=[])
        self.lose_broker(c)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A small JVM."""
        return {"cpu": 0.004 + cpu_seconds_per_s, "memory": 96.0 * MIB, "threads": 21.0}

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """All of them, which do at once what they are asked."""
        return TOOLS

    def _run(self, c: Container) -> None:
        """Do all of it, and end."""
        output = TOOLS[_name(c.argv)](c, [_name(c.argv), *c.argv[1:]], "")
        c.log(*(output.stderr + output.stdout).splitlines())
        seconds = output.seconds if isinstance(output, Timed) else 0.0
        if seconds < FOREVER:
            c.exit_in(20 + int(seconds * 1000), output.code)

    def _produce(self, c: Container, tried: int) -> None:
        host, port = c.state["configured"]["addresses"]["broker"]
        route = c.dial(str(host), int(port))
        for target in route.targets if route.outcome == "ok" else ():
            broker = program_of(c.world, c.world.table("processes")[target.process])
            if isinstance(broker, Kafka):
                asked = read_option(c.argv, "--max-messages") or "1"
                leader, number = Container(c.world, target.process), int(asked) if is_natural(asked) else 1
                c.log(*kafka_records.publish_numbers(leader, read_option(c.argv, "--topic"), number))
                c.exit_in(int(c.between(20, 90, "end")), 0)
                return
        c.log(LOST.format(name="Producer clientId=producer-1", address=f"{host}:{port}"))
        if tried * 1_000 >= GIVES_UP:
            c.exit(1)
        else:
            c.after(1_000, "produce", tried + 1)


TOOLS: Mapping[str, Script] = {
    CONSUMER: kafka_records.CONSUMER,
    PRODUCER: kafka_records.VERIFIABLE,
    "kafka-console-producer.sh": kafka_records.PRODUCER,
    "kafka-topics.sh": kafka_topics.TOPICS,
    "kafka-get-offsets.sh": kafka_topics.OFFSETS,
    "kafka-configs.sh": kafka_topics.CONFIGS,
    "kafka-consumer-groups.sh": kafka_offsets.GROUPS,
}
ENDS = frozenset(("--max-messages", "--timeout-ms", "--partition"))
"""Options that make the console's consumer one that reads at one go, in no group that others would see."""


def _name(argv: Sequence[str]) -> str:
    return argv[0].rpartition("/")[2]


program = Command()
