"""Whom requests may reach: Services, the endpoints behind them, and all addresses that somebody may dial.

Keys are values that are compared; equal ones have one number, so that comparing them again costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from itertools import count
from typing import Any, NamedTuple, TypeVar

from aiops_gym import caches
from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel.objects import Obj, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.network import corefile, firewall, names
from aiops_gym.types import Json

Key = tuple[Any, ...]
T = TypeVar("T")

NAME_SERVER = "kube-dns"
"""The Service that is asked for addresses."""


class Backends(NamedTuple):
    """What is behind a Service: key of its Endpoints object with the number of it, and all addresses in it."""

    key: Key
    number: int
    addresses: frozenset[str]


class Cluster(NamedTuple):
    """What the Services and their endpoints say: the objects, and what follows from them.

    Attributes:
        objects: that were read.
        services: key of all Services; `number` is that of this.
        backends: what is behind each, with its cluster IP, "" without one.
        hosts: names outside that Services stand for.
    """

    objects: list[Obj]
    services: Key
    number: int
    backends: list[tuple[Backends, str]]
    hosts: frozenset[str]


class Reach(NamedTuple):
    """Whom requests may reach.

    Attributes:
        told: what programs remember of the registry, from which it was read.
        each: hosts of each process, from which it was read.
        cluster: from which it was read.
        silent: addresses at which nobody listens, see `_behind`, from which it was read.
        dialled: names and addresses.
        ips: the same, with the addresses of endpoints; `numeric` are those that are no names.
        behind: keys of the endpoints behind these names.
        number: of the key of Services and `behind`.
    """

    told: list[Json]
    each: Sequence[frozenset[str]]
    cluster: Cluster
    silent: frozenset[str]
    dialled: frozenset[str]
    ips: frozenset[str]
    numeric: frozenset[str]
    behind: Sequence[Key]
    number: int


NOBODY: frozenset[str] = frozenset()
NO_CLUSTER = Cluster([], (), 0, [], NOBODY)
NO_REACH = Reach([], [], NO_CLUSTER, NOBODY, NOBODY, NOBODY, NOBODY, (), 0)

_numbers: Cache[int] = Cache(
    Entry(
        f"{__name__}.numbers",
        "hashing and comparing long keys: equal ones have one number",
        key="all that the number stands for",
        bound=20_000,
    )
)
_READ = caches.slot(f"{__name__}.read", "reading a Service or its endpoints for those who may be reached")
_counter = count(1)


def number_key(key: Key) -> int:
    """A number that stands for a key; one that was forgotten gets a new one, and no number comes twice."""
    return _numbers.get(key, lambda: next(_counter))


def read(world: World, objects: list[Obj]) -> Cluster:
    """What these objects, all Services and endpoints of a world, say."""
    services = tuple([_memo(service, _service) for service in world.store.all("services")])
    ips = {(namespace, name): "" if ip == "None" else ip for namespace, name, ip, _, _ in services}
    backends = [_memo(endpoints, _backends) for endpoints in world.store.all("endpoints")]
    return Cluster(
        objects,
        services,
        number_key(services),
        [(each, ips.get(each.key[:2], "")) for each in backends],
        frozenset([external for _, _, _, external, _ in services if external]),
    )


def _memo(obj: Obj, reader: Callable[[Obj], T]) -> T:
    """What was read from an object, once."""
    found: T | None = obj.memo.get(_READ)
    if found is None:
        found = obj.memo[_READ] = reader(obj)
    return found


def _service(service: Obj) -> Key:
    spec = service.get("spec") or {}
    ports = tuple([(p["port"], p.get("name", ""), p.get("protocol", "TCP")) for p in spec.get("ports") or ()])
    names = namespace_of(service), name_of(service)
    return (*names, spec.get("clusterIP") or "", spec.get("externalName") or "", ports)


def _backends(endpoints: Obj) -> Backends:
    subsets = [
        (
            tuple([address["ip"] for address in subset.get("addresses") or ()]),
            tuple([(port.get("name", ""), port["port"]) for port in subset.get("ports") or ()]),
        )
        for subset in endpoints.get("subsets") or ()
        if subset.get("addresses")
    ]
    key = (namespace_of(endpoints), name_of(endpoints), tuple(subsets))
    return Backends(key, number_key(key), NOBODY.union(*[addresses for addresses, _ in subsets]))


def follow(
    world: World, cluster: Cluster, users: frozenset[str], each: Sequence[frozenset[str]], silent: Set[str], last: Reach
) -> Reach:
    """Whom requests may reach now; the same as the last time if nothing changed.

    Args:
        world: in which it is.
        cluster: see there.
        users: hosts that users ask.
        each: hosts that each process, or who asks it for addresses, may dial.
        silent: addresses of pods in which nothing listens.
        last: what was found the last time.
    """
    told = list(world.tables.get("resolved", {}).values())
    if rules := names.read_rules(world):
        told.append([[target, 0] for target in corefile.list_targets(rules)])
    if firewall.find_closing(world):
        silent = NOBODY  # a policy may hide that they refuse every connection
    if last.cluster is cluster and last.silent == silent and last.told == told and last.each == each:
        return last
    if last.told == told and last.each == each and last.cluster.hosts == cluster.hosts:
        dialled = last.dialled
    else:
        remembered = [str(ip) for addresses in told for ip, _ in addresses]
        dialled = users.union(cluster.hosts, remembered, *set(each))
    behind, numbers = _behind(cluster, dialled, silent)
    ips = dialled.union(*[addresses for _, _, subsets in behind for addresses, _ in subsets])
    numeric = frozenset([host for host in ips if host[:1].isdigit()])
    total = number_key((cluster.number, *numbers))
    return Reach(told, each, cluster, frozenset(silent), dialled, ips, numeric, behind, total)


def _behind(cluster: Cluster, dialled: frozenset[str], silent: Set[str]) -> tuple[list[Key], list[int]]:
    """The endpoints of Services that may be dialled, by name or IP, and of the name server: keys and their numbers.

    A Service with an IP refuses connections where it leads to `silent` addresses only, just as where it leads nowhere.
    """
    known = {host.partition(".")[0] for host in dialled} | {NAME_SERVER}
    keys, numbers = list[Key](), list[int]()
    for (key, own, addresses), ip in cluster.backends:
        name = key[1]
        if name in known or (ip and ip in dialled):
            refuses = ip and name != NAME_SERVER and addresses <= silent  # the name server's count by their number
            keys.append((*key[:2], ()) if refuses else key)
            numbers.append(number_key(keys[-1]) if refuses else own)
    return keys, numbers
