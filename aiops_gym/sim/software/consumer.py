"""What a program does that reads a Kafka topic: it joins a group, is handed messages, and may be thrown out or die.

`consumes` in its params: `to` (the name of the broker in its addresses), `topic`, `group`, `handler`, `client` (its
client id), `lost` (lines when the broker cannot be reached), `pace` ({"flag", "rate"}: messages a second while the flag
is on), `unreadable` ({"log": lines, "code": n}: what it says of a message that it cannot read, and how it ends of it,
where it does), `overdue` and `again` (lines when it took too long to ask for more, and when it is back).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import Program, program_of
from aiops_gym.sim.software.kafka_groups import BATCH, PATIENCE, SWIFT, list_backlogs, read_pace
from aiops_gym.sim.telemetry.log_formats import find_format
from aiops_gym.sim.traffic.clients.client import parse_lines
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

AGAIN, LATEST = 1_000, 60_000
"""Milliseconds until a lost connection is tried anew: at first, and at most; each time twice as long."""

KEPT = ("topic", "group", "handler", "client", "pace")


class Consumer(Program):
    """Its part of a program; the rest is told by events of the same names."""

    def wanted(self, c: Container) -> Mapping[str, Json]:
        """What it would read."""
        found: Mapping[str, Json] = c.params["consumes"]
        return found

    def say(self, c: Container, lines: Sequence[Sequence[str]]) -> None:
        """Write lines of source, message and level, those of level `raw` as they are."""
        write = find_format(c.process) or self.format
        c.log(*(text if level == "raw" else write(c.now, level, source, text) for source, text, level in lines))

    def configure(self, c: Container, **changes: Json) -> None:
        """Change what it has read of its configuration; None takes it away."""
        told = {**configured(c.process), **changes}
        c.remember(configured={key: value for key, value in told.items() if value is not None})

    def lose_broker(self, c: Container) -> None:
        """The broker has gone: it tries again."""
        self.configure(c, consumes=None)
        c.after(AGAIN, "consume", 0)

    def change_pace(self, c: Container) -> None:
        """It works through messages faster or more slowly from now on."""
        if "consumes" not in configured(c.process):
            return
        if read_pace(c.process) < SWIFT:
            self._await_overdue(c)
        elif configured(c.process)["consumes"].get("left"):
            c.after(AGAIN, "rejoin")
        _tell_broker(c, "settle")

    def _consume(self, c: Container, tried: int) -> None:
        """Join a group of those who wait for a broker's messages."""
        wanted = self.wanted(c)
        host, port = configured(c.process)["addresses"][wanted["to"]]
        route = c.dial(str(host), int(port))
        for key in [target.process for target in route.targets] if route.outcome == "ok" else ():
            if program_of(c.world, c.world.table("processes")[key]).protocol == "kafka":
                c.remember(broker=key, peers=[*(p for p in c.state.get("peers", ()) if p != key), key])
                self.configure(c, consumes={"host": host, "port": port, **{word: wanted.get(word) for word in KEPT}})
                _tell_broker(c, "join", c.key)
                c.world.touch()
                return
        self.say(c, parse_lines(wanted.get("lost")))
        c.after(min(LATEST, AGAIN << min(tried, 8)), "consume", tried + 1)

    def _assigned(self, c: Container, idle: bool) -> None:
        """The broker has given the partition to it, or to another member of the group."""
        told = configured(c.process).get("consumes") or {}
        if told and bool(told.get("idle")) is not idle:
            self._change(c, idle=idle)
            if not idle and read_pace(c.process) < SWIFT:
                self._await_overdue(c)

    def _unreadable(self, c: Container) -> None:
        """It has come upon a message that it cannot read."""
        found = self.wanted(c).get("unreadable") or {}
        self.say(c, parse_lines(found.get("log")))
        if "code" in found:
            c.exit_in(int(c.between(40, 400, "unreadable")), int(found["code"]))

    def _await_overdue(self, c: Container) -> None:
        c.after(PATIENCE, "overdue", c.now)
        c.remember(slow=c.now)

    def _overdue(self, c: Container, begun: int) -> None:
        """It has not asked for more for too long, and leaves its group while it works on."""
        told, wanted = configured(c.process).get("consumes"), self.wanted(c)
        if not told or told.get("idle") or c.state.get("slow") != begun or (pace := read_pace(c.process)) >= SWIFT:
            return
        backlogs = list_backlogs(c.world, c.state["broker"])
        late = max((seconds for group, _, _, seconds in backlogs if group == told["group"]), default=0.0)
        if late * 1000 < PATIENCE * 0.5:  # it keeps up after all
            self._await_overdue(c)
            return
        self.say(c, parse_lines(wanted.get("overdue")))
        self._change(c, left=True)
        _tell_broker(c, "rebalance")
        c.after(max(AGAIN, int(BATCH / pace * 1000) - PATIENCE), "rejoin")

    def _rejoin(self, c: Container) -> None:
        """It asks for more at last, and is let into its group again."""
        told = configured(c.process).get("consumes")
        if told and told.get("left"):
            self.say(c, parse_lines(self.wanted(c).get("again")))
            self._change(c, left=False)
            _tell_broker(c, "join", c.key)
            if read_pace(c.process) < SWIFT:
                self._await_overdue(c)

    def _change(self, c: Container, **changes: bool) -> None:
        told = {**configured(c.process)["consumes"], **changes}
        self.configure(c, consumes={key: value for key, value in told.items() if value is not False})
        c.world.touch()


def _tell_broker(c: Container, name: str, *arguments: Json) -> None:
    key = c.state["broker"]
    program_of(c.world, c.world.table("processes")[key]).event(Container(c.world, key), name, *arguments)
