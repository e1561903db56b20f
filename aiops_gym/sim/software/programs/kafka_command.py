"""Kafka's scripts that read a topic for as long as they are let, or write into one: `kafka-console-consumer.sh` and
`kafka-verifiable-producer.sh`, as the command of a container or beside a broker.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, program_of
from aiops_gym.sim.software.consumer import Consumer
from aiops_gym.sim.software.environment import read_address, read_option
from aiops_gym.sim.software.programs.kafka import Kafka
from aiops_gym.types import Json, Output

PRODUCER, CLIENT, LOCAL = "kafka-verifiable-producer.sh", "console-consumer", "localhost:9092"
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
        c.after(int(c.between(1_500, 3_500, "begin")), "produce" if _name(c.argv) == PRODUCER else "consume", 0)

    def wanted(self, c: Container) -> Mapping[str, Json]:
        """What its options say; without a group it makes one up."""
        group = read_option(c.argv, "--group") or f"console-consumer-{int(c.between(1, 99_999, 'group'))}"
        address = read_option(c.argv, "--bootstrap-server") or LOCAL
        lost = [["", LOST.format(name="Consumer clientId=console-consumer", address=address), "raw"]]
        topic = read_option(c.argv, "--topic")
        return {"to": "broker", "topic": topic, "group": group, "handler": "print", "client": CLIENT, "lost": lost}

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """`produce n`: the n-th try to publish; those of `software/consumer`."""
        getattr(self, f"_{name}")(c, *arguments)

    def hung_up(self, c: Container, peer: str) -> None:
        """The broker has gone."""
        c.remember(peers=[])
        self.lose_broker(c)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A small JVM."""
        return {"cpu": 0.004 + cpu_seconds_per_s, "memory": 96.0 * MIB, "threads": 21.0}

    def again(self, c: Container, argv: Sequence[str]) -> Output:
        """Beside a broker: the same, done at once; a reader that waits for nothing has read nothing."""
        if _name(argv) == PRODUCER:
            broker = program_of(c.world, c.process)
            lines = _publish(c, broker, argv) if isinstance(broker, Kafka) else []
            return Output("".join(f"{line}\n" for line in lines), "", 0 if lines else 1)
        return Output("", "Processed a total of 0 messages\n")

    def _produce(self, c: Container, tried: int) -> None:
        host, port = c.state["configured"]["addresses"]["broker"]
        route = c.dial(str(host), int(port))
        for target in route.targets if route.outcome == "ok" else ():
            broker = program_of(c.world, c.world.table("processes")[target.process])
            if isinstance(broker, Kafka):
                c.log(*_publish(Container(c.world, target.process), broker, c.argv))
                c.exit_in(int(c.between(20, 90, "end")), 0)
                return
        c.log(LOST.format(name="Producer clientId=producer-1", address=f"{host}:{port}"))
        if tried * 1_000 >= GIVES_UP:
            c.exit(1)
        else:
            c.after(1_000, "produce", tried + 1)


def _publish(broker: Container, program: Kafka, argv: Sequence[str]) -> list[str]:
    """Publish as many numbers as are asked for, and what the script says of it."""
    topic, asked = read_option(argv, "--topic"), read_option(argv, "--max-messages") or "1"
    number = min(int(asked), 1_000) if is_natural(asked) else 1
    first, now = program.publish(broker, topic, number), broker.now
    sent = {"name": "producer_send_success", "key": None}
    told = {"sent": number, "acked": number, "target_throughput": -1, "avg_throughput": round(number / 0.31, 2)}
    rows: list[dict[str, Json]] = [
        {"timestamp": now, "name": "startup_complete"},
        *(
            {"timestamp": now + 300, **sent, "value": str(n), "topic": topic, "partition": 0, "offset": first + n}
            for n in range(number)
        ),
        {"timestamp": now + 310, "name": "shutdown_complete"},
        {"timestamp": now + 310, "name": "tool_data", **told},
    ]
    return [json.dumps(row, separators=(",", ":")) for row in rows]


def _name(argv: Sequence[str]) -> str:
    return argv[0].rpartition("/")[2]


program = Command()
