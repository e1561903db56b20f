"""The cluster's network as its nodes see it: addresses are reachable, service names do not resolve."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

from aiops_gym.sim.docker_host import projects
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.executables.peer import HOP, Link, ask, reach
from aiops_gym.sim.machine.program import HttpAnswer, program_of
from aiops_gym.sim.network import names, routes


class NodeNetwork:
    """See `clients.context.Network`."""

    def __init__(self, world: World) -> None:
        self.world = world

    def resolve(self, host: str) -> Sequence[str]:
        """Addresses of a host: itself, if it is one; the nodes know no cluster names."""
        try:
            return [str(ip_address(host))]
        except ValueError:
            return ["127.0.0.1"] if host == "localhost" else self._node(host)

    def ask(self, server: str, host: str) -> Sequence[str] | None:
        """What a name server says, that of the cluster among them, which nodes reach as pods do."""
        resolver = names.Resolver(tuple(self.resolve(server)[:1]), (), ())
        who = routes.find_network(self.world).answer(resolver) if resolver.servers else ""
        record = names.look_up(self.world, resolver, host) if who == "cluster" else None
        return None if not who else routes.list_ips(self.world, record) if record else ()

    def _node(self, name: str) -> list[str]:
        node = self.world.store.get("nodes", "", name)
        addresses = get(node or {}, "status", "addresses", default=())
        return [a["address"] for a in addresses if a["type"] == "InternalIP"]

    def link(self, host: str, port: int) -> Link:
        """The way to an address."""
        if not self.resolve(host):
            return Link("no_host")
        if host in routes.LOCAL:
            if port and projects.find_published(self.world, port):
                return Link("ok", "127.0.0.1", HOP / 5)
            behind = self._behind(host, port)[1] if port else None
            found = reach(self.world, None, "default", *behind) if behind else Link("refused" if port else "ok")
            return found._replace(address="127.0.0.1", seconds=HOP / 5)
        node, behind = self._behind(host, port)
        if node and not behind:
            return reach(self.world, None, "default", host, 0) if not port else Link("refused", host)
        return reach(self.world, None, "default", *(behind or (host, port)))

    def http(self, method: str, host: str, port: int, path: str, body: str = "") -> HttpAnswer | None:
        """Answer of the program that listens there."""
        process = self._listener(host, port)
        return ask(self.world, process, method, path, body) if process else None

    def talk(self, host: str, port: int, text: str) -> str:
        """What the program that listens there sends back."""
        row = self.world.table("processes").get(self._listener(host, port))
        return program_of(self.world, row).talk(self.world, row, text) if row is not None else ""

    def _listener(self, host: str, port: int) -> str:
        if host in routes.LOCAL and (published := projects.find_published(self.world, port)):
            return published
        targets = routes.dial(self.world, None, "default", *(self._behind(host, port)[1] or (host, port))).targets
        if not targets:
            return ""
        return targets[draws.pick(len(targets), self.world.seed, "outside", f"{host}:{port}", self.world.now)].process

    def _behind(self, host: str, port: int) -> tuple[bool, tuple[str, int] | None]:
        """(whether the host is a node, address and port of the Service that has this port on every node)."""
        addresses = [get(n, "status", "addresses", default=()) for n in self.world.store.all("nodes")]
        known = [a["address"] for some in addresses for a in some]
        host = known[0] if known and host in routes.LOCAL else host
        if host not in known:
            return False, None
        if (host, port) in routes.find_network(self.world).listeners:
            return True, (host, port)
        for service in self.world.store.all("services"):
            for entry in get(service, "spec", "ports", default=()):
                if port and entry.get("nodePort") == port:
                    return True, (str(service["spec"]["clusterIP"]), int(entry["port"]))
        return True, None
