"""Names: what a pod's resolver asks whom, and what the cluster's name server has under a full name.

A resolver is what the kubelet writes into a pod's `/etc/resolv.conf`. It asks its servers in order until one answers,
and tries a name with each of its search domains, before or after the name itself as `ndots` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, NamedTuple

from aiops_gym import caches
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.network import corefile
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

ZONE = corefile.ZONE
CLUSTER_SERVER = "10.96.0.10"
"""The name server that the kubelet tells pods of."""

NODE_SERVER = "172.18.0.1"
NODE_OPTIONS = ("edns0", "trust-ad", "ndots:0")
NODE_SEARCHES = (".",)
OUR_NETWORKS = (ip_network("10.96.0.0/16"), ip_network("10.244.0.0/16"))
"""Addresses of Services and pods."""

EMBEDDED_SERVER = "127.0.0.11"
"""The name server inside a container that belongs to no pod: it knows the neighbours, and asks outside for the rest."""

NEIGHBOURS = "neighbours"
"""Table: uid of a process that belongs to no pod -> names of its network, with their addresses."""

DEPTH = 8
"""How many names in a row the name server follows that only stand for another one."""

MOST_SERVERS, MOST_DOTS = 3, 15

_CUSTOM = caches.slot(f"{__name__}.custom", "reading the DNS policy and configuration of a pod")
_ALIASES = caches.slot(f"{__name__}.aliases", "reading the host aliases of a pod")


class Resolver(NamedTuple):
    """What a pod's `/etc/resolv.conf` says."""

    servers: tuple[str, ...]
    searches: tuple[str, ...]
    options: tuple[str, ...]

    @property
    def dots(self) -> int:
        """A name with so many dots is tried as it is before the search domains are."""
        told = [o.partition(":")[2] for o in self.options if o.startswith("ndots:")]
        return min(MOST_DOTS, int(told[-1])) if told and is_natural(told[-1]) else 1

    @property
    def text(self) -> str:
        """The file, as the container runtime writes it."""
        lines = [f"search {' '.join(self.searches)}"] if self.searches else []
        lines += [f"nameserver {server}" for server in self.servers]
        lines += [f"options {' '.join(self.options)}"] if self.options else []
        return "".join(f"{line}\n" for line in lines)

    def candidates(self, host: str) -> Iterator[str]:
        """The full names that are asked for, in this order."""
        if host.endswith("."):
            yield host.rstrip(".")
            return
        early = host.count(".") >= self.dots
        if early:
            yield host
        for search in self.searches:
            yield f"{host}.{search.rstrip('.')}".rstrip(".")
        if not early:
            yield host


class Record(NamedTuple):
    """What the name server has under a name.

    Attributes:
        name: in full, without a dot at its end.
        service: which it means, None for a pod's own name.
        hostname: of one of the Service's pods, "" for the Service itself.
        ip: of a pod's own name.
        through: names that only stand for the next one, the one that was asked for first.
    """

    name: str
    service: Obj | None
    hostname: str = ""
    ip: str = ""
    through: tuple[str, ...] = ()


def make_usual(namespace: str) -> Resolver:
    """The resolver of a pod that says nothing of names."""
    searches = (f"{namespace}.svc.{ZONE}", f"svc.{ZONE}", ZONE)
    return Resolver((CLUSTER_SERVER,), searches, ("ndots:5",))


def find_custom(world: World, process: Process) -> Resolver | None:
    """The resolver of a process's pod where it is not the usual one."""
    if _find_neighbours(world, process) is not None:
        return Resolver((EMBEDDED_SERVER,), (), ("ndots:0",))
    pod = world.store.by_key("pods", process["pod"]) or Obj()
    found: tuple[Resolver | None] | None = pod.memo.get(_CUSTOM)
    if found is None:
        found = pod.memo[_CUSTOM] = (_read_custom(pod),)
    return found[0]


def _find_neighbours(world: World, process: Process) -> Mapping[str, str] | None:
    """Who is in its network by name; None for a process of a pod."""
    table = world.tables.get(NEIGHBOURS)
    found: Mapping[str, str] | None = table.get(process["uid"]) if table else None
    return found


def find_resolver(world: World, process: Process) -> Resolver:
    """The resolver of a process's pod."""
    return find_custom(world, process) or make_usual(process["pod"].partition("/")[0])


def _read_custom(pod: Obj) -> Resolver | None:
    spec: Mapping[str, Json] = get(pod, "spec", default={})
    policy, told = spec.get("dnsPolicy", "ClusterFirst"), spec.get("dnsConfig") or {}
    cluster = policy == "ClusterFirstWithHostNet" or (policy == "ClusterFirst" and not spec.get("hostNetwork"))
    if cluster and not told:
        return None
    base = Resolver((NODE_SERVER,), NODE_SEARCHES, NODE_OPTIONS)
    if cluster:
        base = make_usual(str(get(pod, "metadata", "namespace", default="")))
    elif policy == "None":
        base = Resolver((), (), ())
    servers = dict.fromkeys((*base.servers, *(told.get("nameservers") or ())))
    searches = dict.fromkeys((*base.searches, *(told.get("searches") or ())))
    return Resolver(
        tuple(servers)[:MOST_SERVERS], tuple(searches), _merge_options(base.options, told.get("options") or ())
    )


def _merge_options(base: Sequence[str], told: Sequence[Mapping[str, Json]]) -> tuple[str, ...]:
    found = {name: value for name, _, value in (option.partition(":") for option in base)}
    found |= {str(option.get("name", "")): str(option.get("value") or "") for option in told}
    return tuple(f"{name}:{value}" if value else name for name, value in found.items())


def find_answer(world: World, resolver: Resolver, works: bool) -> str:
    """Who answers a resolver: `cluster`, somebody `outside` who knows nothing of it, or "" for nobody.

    Args:
        world: where it is asked.
        resolver: whose servers are asked in order.
        works: whether the cluster's name server has anybody behind it.
    """
    for server in resolver.servers:
        if (answer := _find_server(world, server, works)) != "":
            return answer
    return ""


def _find_server(world: World, server: str, works: bool) -> str:
    service = world.store.get("services", "kube-system", "kube-dns")
    known = {CLUSTER_SERVER, get(service or {}, "spec", "clusterIP", default=CLUSTER_SERVER)}
    if server in known | _list_addresses(world, service):
        return "cluster" if works else ""
    for other in world.store.all("services"):
        if get(other, "spec", "clusterIP") == server:
            return "cluster" if works and _list_addresses(world, other) & _list_addresses(world, service) else ""
    if server in (NODE_SERVER, EMBEDDED_SERVER):
        return "outside"
    return "outside" if ip_address(server).is_global and not _is_ours(server) else ""


def _is_ours(server: str) -> bool:
    return any(ip_address(server) in network for network in OUR_NETWORKS)


def _list_addresses(world: World, service: Obj | None) -> set[str]:
    if service is None:
        return set()
    meta = service["metadata"]
    endpoints = world.store.get("endpoints", meta["namespace"], meta["name"]) or Obj()
    return {address["ip"] for subset in endpoints.get("subsets") or () for address in subset.get("addresses") or ()}


def look_up(world: World, resolver: Resolver, host: str) -> Record | None:
    """What the cluster's name server has for one of a resolver's names, None if it has none of them."""
    for name in resolver.candidates(host.lower()):
        if (found := _find_record(world, name)) is not None:
            return _follow(world, found)
    return None


def _follow(world: World, record: Record) -> Record | None:
    """Go on to what a name of a Service with an external name stands for."""
    found: Record | None = record
    through: tuple[str, ...] = ()
    while found is not None and (external := _external(found)):
        through = (*through, found.name)
        found = _find_record(world, external.rstrip(".").lower()) if len(through) < DEPTH else None
    return found._replace(through=through) if found is not None else None


def _external(record: Record) -> str:
    spec: Mapping[str, Json] = get(record.service or Obj(), "spec", default={})
    return str(spec.get("externalName") or "") if spec.get("type", "ExternalName") == "ExternalName" else ""


def read_rules(world: World) -> corefile.Rules:
    """What the name server's settings say beside plain service discovery; nothing for most."""
    table = world.tables.get(corefile.TABLE)
    found: corefile.Rules = table.get("rules", ()) if table else ()
    return found


def _find_record(world: World, name: str) -> Record | None:
    if rules := read_rules(world):
        told = corefile.find(rules, name)
        if told.ip:
            return Record(name, None, ip=told.ip)
        name = told.name
    if not name.endswith(f".{ZONE}"):
        return None
    parts = name.removesuffix(f".{ZONE}").split(".")
    kind = parts.pop()
    if kind == "svc" and len(parts) in (2, 3):
        service = world.store.get("services", parts[-1], parts[-2])
        return Record(name, service, parts[0] if len(parts) == 3 else "") if service is not None else None
    if kind == "pod" and len(parts) == 2:
        ip = parts[0].replace("-", ".")
        known = ip.count(".") == 3 and all(is_natural(part) for part in ip.split("."))
        return Record(name, None, ip=ip) if known and world.store.get("namespaces", "", parts[1]) else None
    return None


def find_service(world: World, namespace: str, host: str) -> Obj | None:
    """The Service that a name means, as seen from a pod in a namespace that says nothing of names."""
    found = look_up(world, make_usual(namespace), host)
    return found.service if found is not None else None


def read_aliases(world: World, process: Process) -> Mapping[str, str]:
    """Names that a pod's `/etc/hosts` has from its `hostAliases`, with their IP; of a name's IPs the first counts.

    A container that belongs to no pod knows its neighbours in the same way.
    """
    if (neighbours := _find_neighbours(world, process)) is not None:
        return neighbours
    pod = world.store.by_key("pods", process["pod"]) or Obj()
    found: dict[str, str] | None = pod.memo.get(_ALIASES)
    if found is None:
        found = pod.memo[_ALIASES] = {}
        for entry in get(pod, "spec", "hostAliases", default=()):
            for name in entry.get("hostnames") or ():
                found.setdefault(name.lower(), entry["ip"])
    return found


def find_hostname(world: World, process: Process) -> str:
    """The name that a process has for itself: on the host network its node's."""
    pod: Mapping[str, Json] = world.store.by_key("pods", process["pod"]) or {}
    if get(pod, "spec", "hostNetwork"):
        return str(process["node"])
    return str(get(pod, "spec", "hostname", default="") or process["pod"].partition("/")[2])
