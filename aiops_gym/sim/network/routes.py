"""The cluster's network: names, Services, endpoints, listening ports, and what delays or loses packets on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.network.firewall import Firewall
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

_ASKS_CLUSTER = caches.slot(f"{__name__}.asks_cluster", "reading the DNS policy of a pod")
_ALIASES = caches.slot(f"{__name__}.aliases", "reading the host aliases of a pod")
_BACKENDS = caches.slot(
    f"{__name__}.backends", "listing the ready endpoints of a port", key="the stored object, name of the port"
)


DOMAIN = ".cluster.local"
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
    external: str = ""
    backends: Sequence[tuple[str, int]] = ()


class Network:
    """The network at this moment, with indexes that are made when first needed. Drop it when the world changes.

    Args:
        world: where it is.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.processes = world.table("processes")
        self.effects: dict[str, tuple[float, float]] = {}
        self.names: dict[str, str] = {}
        self.asking: dict[str, bool] = {}
        self.told: dict[str, Mapping[str, str]] = {}
        self.known: dict[tuple[bool, str, str, int], Ends] = {}
        self.plain: dict[tuple[bool, str, str, int], Route] = {}
        self.impaired = bool(world.table("effects"))

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
        if own is not None and not numeric:
            told = self.hosts(own).get(host.lower())
            if told is None and not self.asks_cluster(own):
                return Route("no_host", [])
            if told:
                host, numeric = told, is_address(told)
        key = (own is not None, namespace, host, port)
        ends = self.known.get(key)
        if ends is None:
            ends = self.known[key] = self._ends(*key)
        if ends.external:
            return self.dial(source, namespace, ends.external, port)
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

    def _ends(self, inside: bool, namespace: str, host: str, port: int) -> Ends:
        if is_address(host):
            service = self.cluster_ips.get(host)
            return self._of_service(service, port) if service else self._at_ips([host], port)
        service = find_service(self.world, namespace, host) if not inside or self.dns_works else None
        if service is None:
            return Ends("no_host")
        if external := _spec(service).get("externalName"):
            return Ends("no_host", external="" if external == host else external)
        return self._of_service(service, port)

    def asks_cluster(self, process: Process) -> bool:
        """Whether a process asks the cluster's name server, see `asks_cluster`; looked up once for each pod."""
        uid = process["uid"]
        found = self.asking.get(uid)
        if found is None:
            found = self.asking[uid] = asks_cluster(self.world, process)
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


def dial(world: World, source: str | None, namespace: str, host: str, port: int) -> Route:
    """Follow a connection from a process (None: from outside) in a namespace to `host:port`.

    `host` is a Service name (bare, `name.namespace`, up to the full domain), a cluster, pod or node IP, the caller's
    own host name, or `localhost`.
    """
    return Network(world).dial(source, namespace, host, port)


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
    if own and host == find_hostname(world, own):
        return [own["ip"]]
    if own and not served and (told := read_aliases(world, own).get(host.lower())):
        return [told]
    asking = own is None or (asks_cluster(world, own) and dns_works(world, own))
    service = find_service(world, namespace, host) if asking else None
    if service is None:
        return []
    ip = get(service, "spec", "clusterIP", default="")
    return [address for address, _ in _backends(world, service, None)] if ip in ("", "None") else [ip]


def find_service(world: World, namespace: str, host: str) -> Obj | None:
    """The Service that a DNS name means, as seen from a namespace."""
    parts = host.rstrip(".").removesuffix(DOMAIN).removesuffix(".svc").split(".")
    if len(parts) > 2:
        return None
    return world.store.get("services", parts[1] if len(parts) == 2 else namespace, parts[0])


def dns_works(world: World, process: Process | None = None) -> bool:
    """Whether the cluster's name server answers (a process, if one is given); without one, one outside is assumed."""
    return Network(world).dns_works and (process is None or Firewall(world).resolves(process["ip"]))


def asks_cluster(world: World, process: Process) -> bool:
    """Whether a pod's names are looked up in the cluster: not where its policy is the node's, or its network is."""
    pod = world.store.by_key("pods", process["pod"]) or Obj()
    found: bool | None = pod.memo.get(_ASKS_CLUSTER)
    if found is None:
        spec = get(pod, "spec", default={})
        policy = spec.get("dnsPolicy", "ClusterFirst")
        found = policy == "ClusterFirstWithHostNet" or (policy == "ClusterFirst" and not spec.get("hostNetwork"))
        pod.memo[_ASKS_CLUSTER] = found
    return found


def read_aliases(world: World, process: Process) -> Mapping[str, str]:
    """Names that a pod's `/etc/hosts` has from its `hostAliases`, with their IP; of a name's IPs the first counts."""
    pod = world.store.by_key("pods", process["pod"]) or Obj()
    found: dict[str, str] | None = pod.memo.get(_ALIASES)
    if found is None:
        found = pod.memo[_ALIASES] = {}
        for entry in get(pod, "spec", "hostAliases", default=()):
            for name in entry.get("hostnames") or ():
                found.setdefault(name.lower(), entry["ip"])
    return found


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


def find_hostname(world: World, process: Process) -> str:
    """The name that a process has for itself."""
    pod = world.store.by_key("pods", process["pod"])
    return str(get(pod or {}, "spec", "hostname", default="") or process["pod"].partition("/")[2])


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
