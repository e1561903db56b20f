"""All that requests depend on at a moment, by value: worlds with equal facts have equal outcomes.

`graph.survey` and what it calls may read nothing of a world that is not in here, except what a process remembers of the
registry (see `graph.recall`). Names that differ between two episodes without any influence (uids, pods, container ids)
are left out: processes appear by their position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import orjson

from aiops_gym.sim import firewall, network
from aiops_gym.sim.blueprint import Blueprint
from aiops_gym.sim.mongo.server import Server
from aiops_gym.sim.objects import Obj, name_of, namespace_of
from aiops_gym.sim.traffic import graph
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.wiring import address, wired
from aiops_gym.sim.world import World

Json = Any
Row = Mapping[str, Json]
Fact = tuple[Any, ...]

REGISTRY, NAME_SERVER = "consul", "kube-dns"
"""The program and the Service that are asked for addresses."""

Sources = tuple[Row, Obj | None, Obj | None, Json, Json]


class Facts(NamedTuple):
    """What requests depend on.

    Attributes:
        key: hashable; equal for equal facts.
        processes: keys of the processes that the positions in `key` stand for.
    """

    key: Fact
    processes: tuple[str, ...]


class Value(NamedTuple):
    """Immutable data with its text, and the hosts that a program with such parameters may dial."""

    data: Json
    text: bytes
    hosts: frozenset[str]


class Process(NamedTuple):
    """A process that takes part in requests.

    Attributes:
        sources: what it was read from: row, pod, node, quota, users of a database.
        users: row of table `volumes` with the users of a database, "" where it is none.
        fact: number of its fact.
        hostname: its own.
        hosts: that it, or who asks it for addresses, may dial.
    """

    sources: Sources
    users: str
    fact: int
    hostname: str
    hosts: frozenset[str]


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


class Memory:
    """What was read of a world before, as long as its objects are the same."""

    def __init__(self) -> None:
        self.processes: dict[str, Process] = {}
        self.volumes: list[Obj] = []
        self.cluster = Cluster([], (), [], frozenset())


_memories: WeakKeyDictionary[World, Memory] = WeakKeyDictionary()
_values: Cache[Value] = Cache(2_000, lambda value: 1)
_numbers: Cache[int] = Cache(20_000, lambda number: 1)
_counter = count(1)


def gather(world: World, rate: float) -> Facts:
    """The facts of a world under a load of so many requests per second."""
    memory = _memories.get(world)
    if memory is None:
        memory = _memories[world] = Memory()
    volumes = _objects(world, "persistentvolumeclaims", "persistentvolumes")
    known = memory.processes if volumes == memory.volumes else {}
    memory.volumes, memory.processes = volumes, _processes(world, known)
    objects = _objects(world, "services", "endpoints")
    if memory.cluster.objects != objects:
        memory.cluster = _cluster(world, objects)
    return _facts(world, rate, memory.cluster, memory.processes)


def _objects(world: World, *resources: str) -> list[Obj]:
    return [obj for resource in resources for obj in world.table(f"objects/{resource}").values()]


def _facts(world: World, rate: float, cluster: Cluster, processes: Mapping[str, Process]) -> Facts:
    start = _blueprint(world.blueprint)
    remembered = [str(ip) for told in world.tables.get("resolved", {}).values() for ip, _ in told]
    dialled = start.hosts.union(cluster.hosts, remembered, *{process.hosts for process in processes.values()})
    behind = _behind(cluster, dialled)
    ips = dialled.union(*[addresses for _, _, subsets in behind for addresses, _ in subsets])
    processes = {key: process for key, process in processes.items() if _concerned(process.sources[0], ips)}
    rows, pods = [process.sources[0] for process in processes.values()], dict[str, int]()
    impaired = bool(world.table("effects"))
    key = (
        start.text,
        rate,
        _number((cluster.services, behind)),
        tuple([process.fact for process in processes.values()]),
        tuple([pods.setdefault(row["uid"], i) for i, row in enumerate(rows)]),
        tuple([(i, p.hostname) for i, p in enumerate(processes.values()) if p.hostname in dialled]),
        _inhabited(world, ips),
        tuple([network.impairment(world, row) for row in rows]) if impaired else (),
        firewall.fact(world, ips),
    )
    return Facts(key, tuple(processes))


def _behind(cluster: Cluster, dialled: frozenset[str]) -> Fact:
    """The endpoints of Services that may be dialled, by name or IP, and of the name server."""
    names = {host.partition(".")[0] for host in dialled} | {NAME_SERVER}
    return tuple([fact for fact, ip in cluster.endpoints if fact[1] in names or (ip and ip in dialled)])


def _concerned(process: Row, ips: frozenset[str]) -> bool:
    """Whether requests may reach a process: at one of these addresses, or as a registry, which is just found."""
    return process["ip"] in ips or process["program"] == REGISTRY


def _number(fact: Fact) -> int:
    """A number that stands for a fact; a fact that was forgotten gets a new one, and no number comes twice."""
    return _numbers.get(fact, lambda: next(_counter))


def _processes(world: World, known: Mapping[str, Process]) -> dict[str, Process]:
    """The running processes that can be asked something, in the order of their table."""
    pods, nodes = world.table("objects/pods"), world.table("objects/nodes")
    limits, volumes = world.table("quotas"), world.table("volumes")
    found: dict[str, Process] = {}
    for key, row in world.table("processes").items():
        if row["running"] and (row["ports"] or row["program"] == REGISTRY):
            pod, node, limit = pods.get(row["pod"]), nodes.get(f"/{row['node']}"), limits.get(key)
            process = known.get(key)
            if process is not None:
                old = process.sources
                same = old[0] is row and old[1] is pod and old[2] is node and old[3] is limit
                if same and old[4] is volumes.get(process.users):
                    found[key] = process
                    continue
            place = Server(world, key).data.disk.prefix + "users" if row["program"] == "mongod" else ""
            found[key] = _process(world, key, place, (row, pod, node, limit, volumes.get(place)))
    return found


def _process(world: World, key: str, place: str, sources: Sources) -> Process:
    row, users = sources[0], sources[4]
    params, state, wiring = _value(row["params"]), row["state"], _value(wired(row))
    registered: tuple[Fact, ...] = ()
    if row["program"] == REGISTRY:
        services = state.get("services", {}).values()
        registered = tuple([(s["name"], s["address"], s["port"]) for s in services])
    aliases = network.aliases(world, row)
    fact = (
        row["pod"].partition("/")[0],
        row["program"],
        row["ip"],
        tuple(row["ports"]),
        params.text,
        row["env"].get("JAEGER_SAMPLE_RATIO"),
        graph.cores(world, key),
        network.asks_cluster(world, row),
        tuple(aliases.items()),
        bool(state.get("auth")),
        _value(users).text if users else b"",
        registered,
        wiring.text,
    )
    hosts = params.hosts | wiring.hosts | {str(ip) for _, ip, _ in registered} | frozenset(aliases.values())
    return Process(sources, place, _number(fact), network.hostname(world, row), hosts)


def _cluster(world: World, objects: list[Obj]) -> Cluster:
    services = [_memo(service, _service) for service in world.store.all("services")]
    endpoints = [_memo(one, _endpoints) for one in world.store.all("endpoints")]
    ips = {(namespace, name): "" if ip == "None" else ip for namespace, name, ip, _, _ in services}
    return Cluster(
        objects,
        tuple(services),
        [(fact, ips.get(fact[:2], "")) for fact in endpoints],
        frozenset(external for _, _, _, external, _ in services if external),
    )


def _memo(obj: Obj, read: Callable[[Obj], Fact]) -> Fact:
    """What was read from an object, once."""
    found: Fact | None = obj.memo.get("traffic")
    if found is None:
        found = obj.memo["traffic"] = read(obj)
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
    ]
    return namespace_of(endpoints), name_of(endpoints), tuple(subsets)


def _inhabited(world: World, hosts: frozenset[str]) -> Fact:
    """Those of the addresses that belong to a pod, whatever runs in it."""
    found = set(hosts.intersection([row["ip"] for row in world.table("processes").values()]))
    missing = {host for host in hosts - found if host[:1].isdigit()}
    if missing:
        found.update(missing.intersection([_pod_ip(pod) for pod in world.table("objects/pods").values()]))
    return tuple(sorted(found))


def _pod_ip(pod: Obj) -> str:
    return str((pod.get("status") or {}).get("podIP", ""))


def _blueprint(blueprint: Blueprint) -> Value:
    """What users ask, and whom."""
    return _values.get(id(blueprint), lambda: _start(blueprint))


def _start(blueprint: Blueprint) -> Value:
    asked = [[o.name, o.weight, o.service, o.port, o.handler] for o in blueprint.operations]
    return Value(
        blueprint, orjson.dumps([blueprint.namespace, *asked]), frozenset(o.service for o in blueprint.operations)
    )


def _value(data: Json) -> Value:
    """Immutable data by value; written once, and kept alive here, so that its id stays its own."""
    return _values.get(id(data), lambda: Value(data, orjson.dumps(data), frozenset(_hosts(data))))


def _hosts(params: Json) -> Iterator[str]:
    """Hosts that a program with such parameters, or with such wiring, may dial."""
    if not isinstance(params, Mapping):
        return
    for host, _ in (params.get("addresses") or {}).values():
        yield str(host)
    handlers: Iterable[Row] = (params.get("handlers") or {}).values()
    for handler in handlers:
        for item in handler.get("calls", ()):
            for call in item if isinstance(item, list | tuple) else [item]:
                yield str(call.get("host", ""))
    for names in (("registry", "consul"), ("tracer", "jaeger")):
        yield address({"params": params, "state": {}}, *names)[0]
