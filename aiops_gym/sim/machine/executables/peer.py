"""What commands that talk over the network need of where they run: names, connections, answers, chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import HttpAnswer, program_of
from aiops_gym.sim.network import routes
from aiops_gym.sim.network.routes import ADDRESS, find_network

HOP = 0.0002
"""Seconds of a round trip between two pods."""

DNS_GIVES_UP = 10.0
"""Seconds after which a resolver stops asking a name server that does not answer (5 s, two attempts)."""

MOST_RESENDS = 12
"""More of them would take longer than anybody waits: each waits twice as long as the one before."""


class Link(NamedTuple):
    """A way to an address.

    Attributes:
        outcome: `ok`, `refused`, `timeout` (packets vanish) or `no_host` (no such name, or nobody who knows).
        address: the IP, "" where there is none.
        seconds: of a round trip; with `no_host` until that was known.
        loss: share of round trips that are lost, 0 to 1.
    """

    outcome: str
    address: str = ""
    seconds: float = HOP
    loss: float = 0.0


class Peer(Protocol):
    """Where such a command runs."""

    def resolve(self, host: str) -> Sequence[str]:
        """Addresses of a host name; empty when there is none."""

    def link(self, host: str, port: int) -> Link:
        """The way to a port, or with port 0 to the host itself, as echo requests take it."""

    def http(self, method: str, host: str, port: int, path: str, body: str = "") -> HttpAnswer | None:
        """Answer of an HTTP server after a connection that was `ok`; None when what listens does not speak HTTP."""

    def talk(self, host: str, port: int, text: str) -> str:
        """What comes back over a connection that was `ok` when plain text is sent."""

    def draw(self) -> float:
        """The next random number in [0, 1)."""


class Inside:
    """A container as the place.

    Args:
        c: the container.
    """

    def __init__(self, c: Container) -> None:
        self.c = c

    def resolve(self, host: str) -> Sequence[str]:
        """Asks the cluster's name server."""
        return routes.resolve(self.c.world, self.c.key, self.c.namespace, host)

    def link(self, host: str, port: int) -> Link:
        """See `Peer`."""
        found = reach(self.c.world, self.c.key, self.c.namespace, host, port)
        if found.outcome == "no_answer":
            return found._replace(outcome="no_host", seconds=DNS_GIVES_UP)
        if found.outcome == "no_host" and not routes.dns_works(self.c.world, self.c.process):
            return found._replace(seconds=DNS_GIVES_UP)
        return found

    def http(self, method: str, host: str, port: int, path: str, body: str = "") -> HttpAnswer | None:
        """See `Peer`."""
        process = _listener(self, host, port)
        return ask(self.c.world, process, method, path, body) if process else None

    def talk(self, host: str, port: int, text: str) -> str:
        """See `Peer`."""
        process = _listener(self, host, port)
        row = self.c.world.table("processes").get(process)
        return program_of(self.c.world, row).talk(self.c.world, row, text) if row is not None else ""

    def draw(self) -> float:
        """A number that belongs to this container and moment."""
        return self.c.draw()


def _listener(inside: Inside, host: str, port: int) -> str:
    """The process that takes a connection, drawn among those that would."""
    targets = inside.c.dial(host, port).targets
    return targets[min(int(inside.c.draw() * len(targets)), len(targets) - 1)].process if targets else ""


def ask(world: World, process: str, method: str, path: str, body: str = "") -> HttpAnswer | None:
    """What a process answers to a request; None when it does not speak HTTP."""
    row = world.table("processes")[process]
    if body and method == "POST":
        return program_of(world, row).post(world, row, path, body)
    return program_of(world, row).answer(world, row, method, path)


def reach(world: World, source: str | None, namespace: str, host: str, port: int) -> Link:
    """The way from a process (None: from a node) to an address."""
    if port:
        route = routes.dial(world, source, namespace, host, port)
        return Link(route.outcome, route.address, HOP + route.delay_ms / 1000.0, route.loss)
    addresses = routes.resolve(world, source, namespace, host)
    if not addresses:
        return Link("no_host")
    return _echo(world, source, addresses[0])


def _echo(world: World, source: str | None, address: str) -> Link:
    """The way of an echo request: pods and nodes answer, the virtual addresses of Services do not."""
    if address in routes.LOCAL:
        return Link("ok", address, HOP / 5)
    net, own = find_network(world), world.table("processes").get(source) if source else None
    nodes = [a["address"] for n in world.store.all("nodes") for a in n.get("status", {}).get("addresses", ())]
    if address in nodes:
        delay, loss = net.impairment(own) if own is not None else (0.0, 0.0)
        return Link("ok", address, HOP + delay / 1000.0, loss)
    there = next((row for row in world.table("processes").values() if row["running"] and row["ip"] == address), None)
    if there is None:
        return Link("timeout", address)
    if there["ports"] and net.dial(source, "default", address, there["ports"][0]).outcome == "timeout":
        return Link("timeout", address)
    delay, loss = (0.0, 0.0) if own is not None and own["uid"] == there["uid"] else net.impairment(there)
    if own is not None and own["uid"] != there["uid"]:
        more, lost = net.impairment(own)
        delay, loss = delay + more, 1.0 - (1.0 - loss) * (1.0 - lost)
    return Link("ok", address, HOP + delay / 1000.0, loss)


def compute_resend_delay(peer: Peer, loss: float, first: float) -> float:
    """Seconds that lost packets cost one exchange: TCP sends again after `first`, then twice as long each time."""
    waited, wait = 0.0, first
    for _ in range(MOST_RESENDS):
        if loss <= 0.0 or peer.draw() >= loss:
            break
        waited, wait = waited + wait, wait * 2.0
    return waited


def is_address(host: str) -> bool:
    """Whether a host is written as an IP."""
    return ADDRESS.fullmatch(host) is not None
