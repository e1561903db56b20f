"""The cluster's network as its nodes see it: addresses are reachable, service names do not resolve."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

from aiops_gym.shell.context import HttpAnswer
from aiops_gym.sim import network
from aiops_gym.sim.programs import find
from aiops_gym.sim.world import World


class Outside:
    """See `shell.context.Network`."""

    def __init__(self, world: World) -> None:
        self.world = world

    def resolve(self, host: str) -> Sequence[str]:
        """Addresses of a host: itself, if it is one; the nodes know no cluster names."""
        try:
            return [str(ip_address(host))]
        except ValueError:
            return ["127.0.0.1"] if host == "localhost" else []

    def connect(self, host: str, port: int) -> str:
        """How a connection ends."""
        if not self.resolve(host):
            return "no_host"
        return network.dial(self.world, None, "default", host, port).outcome

    def http(self, method: str, host: str, port: int, path: str, body: str = "") -> HttpAnswer | None:
        """Answer of the program that listens there."""
        route = network.dial(self.world, None, "default", host, port)
        if route.outcome != "ok" or not route.targets:
            return None
        process = self.world.table("processes")[route.targets[0][0]]
        status, text = find(str(process["program"])).http(self.world, process, path)
        return HttpAnswer(status, text, seconds=route.targets[0][1] / 1000)
