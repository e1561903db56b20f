"""The cluster's network: names, Services, endpoints, listening ports, and what delays or loses packets on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.network.firewall import Firewall
from aiops_gym.sim.network.names import (
    Record,
    Resolver,
    find_answer,
    find_custom,
    find_hostname,
    look_up,
    make_usual,
    read_aliases,
)
from aiops_gym.sim.network.seen import Seen
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

_BACKENDS = caches.slot(
    f"{__name__}.backends", "listing the ready endpoints of a port", key="the stored object, name of the port"
)
_KEPT = caches.slot(
    f"{__name__}.network",
    "making the indexes of the network anew for each connection",
    key="the world",
    ends="what `Seen` holds of processes, pods, Services, endpoints, namespaces, policies and effects, and compares",
)

LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+", re.ASCII)


class Target(NamedTuple):
    """A process that would answer, the milliseconds that the way there and back adds, and the share of packets lost."""

    process: str
    delay_ms: float
    loss: float


class Route(NamedTuple):
    """Where connections to an address end.

    Attributes:
        outcome: `ok`, `refused` (nobody listens), `timeout` (packets vanish), `no_host` (no such name),
            `no_answer` (questions to the name server vanish).
        targets: the processes among which connections are spread evenly; empty unless `ok`.
        delay_ms: mean of the targets' delays.
        loss: mean of the targets' losses, 0 to 1.
        dead: how many further backends refuse the connections that are sent to them.
        address: the first IP that the name stands for, "" if it has none.
    """

    outcome: str
    targets: list[Target]
    delay_ms: float = 0.0
    loss: float = 0.0
    dead: int = 0
    address: str = ""


class Ends(NamedTuple):
    """What an address stands for, whoever dials it: an outcome, the processes that answer, how many are dead."""

    outcome: str
    keys: Sequence[str] = ()
    dead: int = 0
    address: str = ""
    backends: Sequence[tuple[str, int]] = ()


Asked = tuple[bool, str | Resolver, str, int]
"""Whether a process asks, its namespace or its own kind of resolver, host and port."""


class Network:
    """The network at this moment, with indexes that are made when first needed. Ask `find_network` again later.

    Args:
        world: where it is; it is not held, and goes when everybody else lets go of it.
    """

    def __init__(self, world: World) -> None:
        self._world = ref(world)
        self.seen = Seen(world)
        self.processes = world.table("processes")
        self.effects: dict[str, tuple[float, float]] = {}
        self.names: dict[str, str] = {}
        self.asking: dict[str, Resolver | None] = {}
        self.answers: dict[Resolver, str] = {}
        self.told: dict[str, Mapping[str, str]] = {}
        self.known: dict[Asked, Ends] = {}
        self.plain: dict[Asked, Route] = {}
        self.impaired = bool(world.table("effects"))

    @property
    def world(self) -> World:
        """Where it is."""
        world = self._world()
        assert world is not None, "who asks for the network of a world holds the world"
        return world

    @cached_property
    def listeners(self) -> dict[tuple[str, int], str]:
        """Keys of the running processes by IP and port; the first one where several share an IP."""
        found: dict[tuple[str, int], str] = {}
        for key, process in self.processes.items():
            if process["running"]:
                for port in process["ports"]:
                    found.setdefault((process["ip"], port), key)
        return found

    @cached_property
    def reachable(self) -> dict[tuple[str, int], str]:
        """As `listeners`, without those that listen on the loopback interface, which only their own pod reaches."""
        hidden = {
            (row["ip"], port)
            for row in self.processes.values()
            if (told := row["state"].get("configured")) and "local" in told
            for port in told["local"]
        }
        return {end: key for end, key in self.listeners.items() if end not in hidden} if hidden else self.listeners

    @cached_property
    def firewall(self) -> Firewall:
        """What NetworkPolicies let through."""
        return Firewall(self.world)

    @cached_property
    def cluster_ips(self) -> dict[str, Obj]:
        """Services by their cluster IP."""
        found: dict[str, Obj] = {}
        for service in self.world.store.all("services"):
            if ip := get(service, "spec", "clusterIP"):
                found.setdefault(ip, service)
        return found

    @cached_property
    def ips(self) -> frozenset[str]:
        """IPs of all pods, whatever runs in them; packets to any other vanish."""
        pods = {pod["status"].get("podIP") for pod in self.world.table("objects/pods").values() if "status" in pod}
        return frozenset({process["ip"] for process in self.processes.values()} | (pods - {None}))

    @cached_property
    def dns_works(self) -> bool:
        """Whether the cluster's name server answers; a world without one is taken to have one outside."""
        store = self.world.store
        if store.get("services", "kube-system", "kube-dns") is None:
            return True
        endpoints = store.get("endpoints", "kube-system", "kube-dns") or Obj()
        return any(subset.get("addresses") for subset in endpoints.get("subsets") or ())

    def dial(self, source: str | None, namespace: str, host: str, port: int) -> Route:
        """Follow a connection, see `dial`."""
        own = self.processes.get(source) if source else None
        numeric = is_address(host)
        itself = own is not None and not numeric and host == self._own_name(str(source))
        if itself or host in LOCAL:
            route = self._route(own, self._at_ips([own["ip"]] if own else [], port, local=True))
            return route if itself else route._replace(address=LOCAL[1])
        place: str | Resolver = namespace
        if own is not None and not numeric:
            told, custom = self.hosts(own).get(host.lower()), self.custom(own)
            if told:
                host, numeric = told, is_address(told)
            elif custom is not None:
                if (answer := self.answer(custom)) != "cluster":
                    return Route("no_host" if answer else "no_answer", [])
                place = custom
        key = (own is not None, place, host, port)
        ends = self.known.get(key)
        if ends is None:
            ends = self.known[key] = self._ends(*key)
        if own is not None and self.firewall.policies:
            return self._guarded(own, ends, named=not numeric)
        if self.impaired:
            return self._route(own, ends)
        if key not in self.plain:  # nothing is in the way, so it is the same for all
            self.plain[key] = self._route(own, ends)
        return self.plain[key]

    def is_pod(self, host: str) -> bool:
        """Whether a host is an address that leads to the same process, if to any, whoever dials it."""
        return is_address(host) and host not in LOCAL and host not in self.cluster_ips

    def _guarded(self, own: Process, ends: Ends, named: bool) -> Route:
        """The route as far as policies let the caller through; packets to backends that they close all get lost."""
        if named and not self.firewall.resolves(own["ip"]):
            return Route("no_answer", [])
        opened = [self.firewall.passes(own["ip"], *end) for end in ends.backends]
        if opened and not any(opened):
            return Route("timeout", [], address=ends.address)
        route = self._route(own, ends)
        through = [passes for end, passes in zip(ends.backends, opened, strict=True) if end in self.reachable]
        if route.outcome != "ok" or all(through):
            return route
        targets = [t if p else t._replace(loss=1.0) for t, p in zip(route.targets, through, strict=True)]
        return route._replace(targets=targets, loss=sum(t.loss for t in targets) / len(targets))

    def _own_name(self, source: str) -> str:
        name = self.names.get(source)
        if name is None:
            name = self.names[source] = find_hostname(self.world, self.processes[source])
        return name

    def _ends(self, inside: bool, place: str | Resolver, host: str, port: int) -> Ends:
        if is_address(host):
            service = self.cluster_ips.get(host)
            return self._of_service(service, port) if service else self._at_ips([host], port)
        resolver = make_usual(place) if isinstance(place, str) else place
        record = look_up(self.world, resolver, host) if not inside or self.dns_works else None
        if record is None:
            return Ends("no_host")
        if record.service is None or record.hostname:
            return self._at_ips(list_ips(self.world, record), port)
        return self._of_service(record.service, port)

    def custom(self, process: Process) -> Resolver | None:
        """The resolver of a process where it is not the usual one; looked up once for each pod."""
        uid = process["uid"]
        if uid not in self.asking:
            self.asking[uid] = find_custom(self.world, process)
        return self.asking[uid]

    def answer(self, resolver: Resolver) -> str:
        """Who answers a resolver, see `names.find_answer`; found once for each."""
        found = self.answers.get(resolver)
        if found is None:
            found = self.answers[resolver] = find_answer(self.world, resolver, self.dns_works)
        return found

    def hosts(self, process: Process) -> Mapping[str, str]:
        """Names that a pod's own file has, see `read_aliases`; looked up once for each pod."""
        uid = process["uid"]
        found = self.told.get(uid)
        if found is None:
            found = self.told[uid] = read_aliases(self.world, process)
        return found

    def impairment(self, process: Process) -> tuple[float, float]:
        """What effects put on everything a pod sends, see `impairment`; looked up once for each pod."""
        uid = process["uid"]
        found = self.effects.get(uid)
        if found is None:
            found = self.effects[uid] = find_impairment(self.world, process)
        return found

    def _of_service(self, service: Obj, port: int) -> Ends:
        ip = _spec(service).get("clusterIP") or ""
        if ip in ("", "None"):
            ips = [address for address, _ in _backends(self.world, service, None)]
            return self._at_ips(ips, port) if ips else Ends("no_host")
        ports = _spec(service).get("ports") or ()
        entry = next((p for p in ports if p["port"] == port and _is_tcp_or_udp(p)), None)
        if entry is None:
            return Ends("timeout", address=ip)
        return self._listening(_backends(self.world, service, entry.get("name", "")), ip)

    def _at_ips(self, ips: list[str], port: int, local: bool = False) -> Ends:
        known = [(ip, port) for ip in ips if local or (ip, port) in self.listeners or ip in self.ips]
        if not known:
            return Ends("timeout" if ips else "no_host", address=ips[0] if ips else "")
        return self._listening(known, ips[0], local)

    def _listening(self, backends: list[tuple[str, int]], address: str, local: bool = False) -> Ends:
        there = self.listeners if local else self.reachable
        keys = [there[end] for end in backends if end in there]
        if keys:
            outcome = "ok"
        else:
            inhabited = local or not backends or any(ip in self.ips for ip, _ in backends)
            outcome = "refused" if inhabited else "timeout"
        return Ends(outcome, keys, len(backends) - len(keys) if keys else 0, address, backends=backends)

    def _route(self, own: Process | None, ends: Ends) -> Route:
        if ends.outcome != "ok":
            return Route(ends.outcome, [], address=ends.address)
        if not self.impaired:
            return Route("ok", [Target(key, 0.0, 0.0) for key in ends.keys], 0.0, 0.0, ends.dead, ends.address)
        targets = [self._target(own, key) for key in ends.keys]
        n = len(targets)
        mean_delay, mean_loss = sum(t.delay_ms for t in targets) / n, sum(t.loss for t in targets) / n
        return Route("ok", targets, mean_delay, mean_loss, ends.dead, ends.address)

    def _target(self, own: Process | None, key: str) -> Target:
        target = self.processes[key]
        if own is not None and own["uid"] == target["uid"]:
            return Target(key, 0.0, 0.0)
        delay, loss = self.impairment(target)
        if own is not None:
            more, lost = self.impairment(own)
            delay, loss = delay + more, 1.0 - (1.0 - loss) * (1.0 - lost)
        return Target(key, delay, loss)


def find_network(world: World) -> Network:
    """The network of a world as it is now; the same one while nothing that it depends on changes."""
    kept: Network | None = world.memo.get(_KEPT)
    if kept is None or kept._world() is not world or not kept.seen.holds(world):
        kept = world.memo[_KEPT] = Network(world)
    return kept


def dial(world: World, source: str | None, namespace: str, host: str, port: int) -> Route:
    """Follow a connection from a process (None: from outside) in a namespace to `host:port`.

    `host` is a name that the caller's resolver finds, a cluster, pod or node IP, the caller's own host name, or
    `localhost`.
    """
    return find_network(world).dial(source, namespace, host, port)


def resolve(world: World, source: str | None, namespace: str, host: str, *, served: bool = False) -> list[str]:
    """The IPs that a name stands for; empty where it stands for none.

    Args:
        world: where it is asked.
        source: key of the process that asks, None for somebody outside.
        namespace: in which it is asked.
        host: the name.
        served: only what the name server says counts, and not the pod's own file.
    """
    if host == "localhost":
        return ["127.0.0.1"]
    if ADDRESS.fullmatch(host):
        return [host]
    own = world.table("processes").get(source) if source else None
    if own and not served and host == find_hostname(world, own):
        return [own["ip"]]
    if own and not served and (told := read_aliases(world, own).get(host.lower())):
        return [told]
    record = ask(world, own, namespace, host)
    return list_ips(world, record) if record is not None else []


def ask(
    world: World, own: Process | None, namespace: str, host: str, resolver: Resolver | None = None
) -> Record | None:
    """What a name server has for a name, None if it has nothing or does not answer.

    Args:
        world: where it is asked.
        own: the process that asks, None for somebody outside.
        namespace: in which it is asked.
        host: the name.
        resolver: who is asked and how; that of the process's pod if None.
    """
    network = find_network(world)
    asking = resolver or (network.custom(own) if own is not None else None)
    if own is not None and not network.firewall.resolves(own["ip"]):
        return None
    if network.answer(asking) != "cluster" if asking is not None else own is not None and not network.dns_works:
        return None
    return look_up(world, asking or make_usual(namespace), host)


def list_ips(world: World, record: Record) -> list[str]:
    """The addresses of a name: of the Service, or of its pods where it has none of its own."""
    if record.service is None:
        return [record.ip]
    if record.hostname:
        return _named_addresses(world, record.service, record.hostname)
    ip = get(record.service, "spec", "clusterIP", default="")
    return [address for address, _ in _backends(world, record.service, None)] if ip in ("", "None") else [ip]


def _named_addresses(world: World, service: Obj, hostname: str) -> list[str]:
    endpoints = world.store.get("endpoints", namespace_of(service), service["metadata"]["name"]) or Obj()
    addresses = [one for subset in endpoints.get("subsets") or () for one in subset.get("addresses") or ()]
    return [address["ip"] for address in addresses if address.get("hostname") == hostname]


def dns_works(world: World, process: Process | None = None) -> bool:
    """Whether a name server answers (a process, if one is given); without one, one outside is assumed."""
    network = find_network(world)
    custom = network.custom(process) if process is not None else None
    if custom is not None and network.answer(custom) != "cluster":
        return network.answer(custom) != ""
    return network.dns_works and (process is None or network.firewall.resolves(process["ip"]))


def find_impairment(world: World, process: Process) -> tuple[float, float]:
    """(milliseconds, loss 0 to 1) that effects put on everything a pod sends."""
    delay, kept = 0.0, 1.0
    for effect in world.table("effects").values():
        if effect.get("pod") == process["uid"]:
            params = effect.get("params") or {}
            if effect["kind"] == "network_delay":
                delay += float(params.get("ms", 0.0))
            elif effect["kind"] == "network_loss":
                kept *= 1.0 - float(params.get("percent", 0.0)) / 100.0
    return delay, 1.0 - kept


def _spec(service: Obj) -> Mapping[str, Json]:
    return service.get("spec") or {}


def _is_tcp_or_udp(port: Mapping[str, Json]) -> bool:
    return port.get("protocol", "TCP") in ("TCP", "UDP")


@caches.function(4_096, "matching a host with the pattern of an address")
def is_address(host: str) -> bool:
    """Whether a host is an IP address and no name."""
    return ADDRESS.fullmatch(host) is not None


def _backends(world: World, service: Obj, port_name: str | None) -> list[tuple[str, int]]:
    """(IP, port) of the ready endpoints; with no port name every address once, with port 0."""
    endpoints = world.store.get("endpoints", namespace_of(service), service["metadata"]["name"])
    if endpoints is None:
        return []
    found: list[tuple[str, int]] | None = endpoints.memo.get((_BACKENDS, port_name))
    if found is None:
        found = endpoints.memo[_BACKENDS, port_name] = _listed(endpoints, port_name)
    return found


def _listed(endpoints: Obj, port_name: str | None) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for subset in endpoints.get("subsets") or ():
        for address in subset.get("addresses") or ():
            if port_name is None:
                found.append((address["ip"], 0))
            else:
                found += [
                    (address["ip"], p["port"]) for p in subset.get("ports") or () if p.get("name", "") == port_name
                ]
    return found
