"""Whom requests may reach: Services, the endpoints behind them, and all addresses that somebody may dial.

Facts are values that are compared; equal ones have one number, so that comparing them again costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from itertools import count
from typing import Any, NamedTuple

from aiops_gym.sim import firewall
from aiops_gym.sim.objects import Obj, name_of, namespace_of
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.world import World

Json = Any
Fact = tuple[Any, ...]

NAME_SERVER = "kube-dns"
"""The Service that is asked for addresses."""


class Cluster(NamedTuple):
    """What the Services and their endpoints say: the objects, and what follows from them.

    Attributes:
        objects: that were read.
        services: fact of all Services.
        endpoints: fact of each Endpoints object, with the cluster IP of its Service.
        hosts: names outside that Services stand for.
    """

    objects: list[Obj]
    services: Fact
    endpoints: list[tuple[Fact, str]]
    hosts: frozenset[str]


class Reach(NamedTuple):
    """Whom requests may reach.

    Attributes:
        told: what programs remember of the registry, from which it was read.
        each: hosts of each process, from which it was read.
        cluster: from which it was read.
        silent: addresses at which nobody listens, see `_behind`, from which it was read.
        dialled: names and addresses.
        ips: addresses, of endpoints too.
        number: of the fact of Services and the endpoints behind these names.
    """

    told: list[Json]
    each: Sequence[frozenset[str]]
    cluster: Cluster
    silent: frozenset[str]
    dialled: frozenset[str]
    ips: frozenset[str]
    number: int


NOBODY: frozenset[str] = frozenset()
NO_CLUSTER = Cluster([], (), [], NOBODY)
NO_REACH = Reach([], [], NO_CLUSTER, NOBODY, NOBODY, NOBODY, 0)

_numbers: Cache[int] = Cache(20_000, lambda number: 1)
_counter = count(1)


def number(fact: Fact) -> int:
    """A number that stands for a fact; a fact that was forgotten gets a new one, and no number comes twice."""
    return _numbers.get(fact, lambda: next(_counter))


def read(world: World, objects: list[Obj]) -> Cluster:
    """What these objects, all Services and endpoints of a world, say."""
    services = [_memo(service, _service) for service in world.store.all("services")]
    endpoints = [_memo(one, _endpoints) for one in world.store.all("endpoints")]
    ips = {(namespace, name): "" if ip == "None" else ip for namespace, name, ip, _, _ in services}
    return Cluster(
        objects,
        tuple(services),
        [(fact, ips.get(fact[:2], "")) for fact in endpoints],
        frozenset(external for _, _, _, external, _ in services if external),
    )


def _memo(obj: Obj, reader: Callable[[Obj], Fact]) -> Fact:
    """What was read from an object, once."""
    found: Fact | None = obj.memo.get("traffic")
    if found is None:
        found = obj.memo["traffic"] = reader(obj)
    return found


def _service(service: Obj) -> Fact:
    spec = service.get("spec") or {}
    ports = tuple([(p["port"], p.get("name", ""), p.get("protocol", "TCP")) for p in spec.get("ports") or ()])
    names = namespace_of(service), name_of(service)
    return (*names, spec.get("clusterIP") or "", spec.get("externalName") or "", ports)


def _endpoints(endpoints: Obj) -> Fact:
    subsets = [
        (
            tuple([address["ip"] for address in subset.get("addresses") or ()]),
            tuple([(port.get("name", ""), port["port"]) for port in subset.get("ports") or ()]),
        )
        for subset in endpoints.get("subsets") or ()
        if subset.get("addresses")
    ]
    return namespace_of(endpoints), name_of(endpoints), tuple(subsets)


def follow(
    world: World, cluster: Cluster, users: frozenset[str], each: Sequence[frozenset[str]], heard: Set[str], last: Reach
) -> Reach:
    """Whom requests may reach now; the same as the last time if nothing changed.

    Args:
        world: in which it is.
        cluster: see there.
        users: hosts that users ask.
        each: hosts that each process, or who asks it for addresses, may dial.
        heard: addresses at which somebody listens.
        last: what was found the last time.
    """
    told, silent = list(world.tables.get("resolved", {}).values()), _silent(world, heard)
    if last.cluster is cluster and last.silent == silent and last.told == told and last.each == each:
        return last
    remembered = [str(ip) for addresses in told for ip, _ in addresses]
    dialled = users.union(cluster.hosts, remembered, *set(each))
    behind = _behind(cluster, dialled, silent)
    ips = dialled.union(*[addresses for _, _, subsets in behind for addresses, _ in subsets])
    return Reach(told, each, cluster, silent, dialled, ips, number((cluster.services, behind)))


def _silent(world: World, heard: Set[str]) -> frozenset[str]:
    """Addresses that refuse every connection: of pods in which nothing listens, where no policy hides that."""
    if firewall.closing(world):
        return NOBODY
    return frozenset({row["ip"] for row in world.table("processes").values()} - heard)


def _behind(cluster: Cluster, dialled: frozenset[str], silent: frozenset[str]) -> Fact:
    """The endpoints of Services that may be dialled, by name or IP, and of the name server.

    A Service with an IP refuses connections where it leads to `silent` addresses only, just as where it leads nowhere.
    """
    names = {host.partition(".")[0] for host in dialled} | {NAME_SERVER}
    found = [(fact, ip) for fact, ip in cluster.endpoints if fact[1] in names or (ip and ip in dialled)]
    return tuple([(*fact[:2], ()) if ip and _refuses(fact, silent) else fact for fact, ip in found])


def _refuses(endpoints: Fact, silent: frozenset[str]) -> bool:
    """Whether a Service's endpoints are all silent; the name server's count by their number."""
    _, name, subsets = endpoints
    return name != NAME_SERVER and all(silent.issuperset(addresses) for addresses, _ in subsets)
