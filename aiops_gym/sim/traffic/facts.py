"""All that requests depend on at a moment, by value: worlds with equal facts have equal outcomes.

`graph.survey` and what it calls may read nothing of a world that is not in here, except what a process remembers of the
registry (see `graph.recall`). Names that differ between two episodes without any influence (uids, pods, container ids)
are left out: processes appear by their position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import orjson

from aiops_gym.sim import network
from aiops_gym.sim.blueprint import Blueprint
from aiops_gym.sim.mongo.server import Server
from aiops_gym.sim.objects import Obj, name_of, namespace_of
from aiops_gym.sim.traffic import graph
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.world import World

Json = Any
Row = Mapping[str, Json]
Fact = tuple[Any, ...]


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
    """A process that takes part in requests: what its row and its pod say."""

    row: Row
    pod: Obj | None
    fact: Fact
    hostname: str
    hosts: frozenset[str]


class Cluster(NamedTuple):
    """What the Services and their endpoints say."""

    objects: list[Obj]
    fact: Fact
    hosts: frozenset[str]
    headless: frozenset[str]


class Memory:
    """What was read of a world before, as long as its objects are the same."""

    def __init__(self) -> None:
        self.processes: dict[str, Process] = {}
        self.cluster = Cluster([], (), frozenset(), frozenset())


_memories: WeakKeyDictionary[World, Memory] = WeakKeyDictionary()
_values: Cache[Value] = Cache(2_000, lambda value: 1)


def gather(world: World, rate: float) -> Facts:
    """The facts of a world under a load of so many requests per second."""
    memory = _memories.get(world)
    if memory is None:
        memory = _memories[world] = Memory()
    memory.processes = processes = dict(_processes(world, memory.processes))
    if memory.cluster.objects != (objects := [*world.store.all("services"), *world.store.all("endpoints")]):
        memory.cluster = _cluster(world, objects)
    cluster, start = memory.cluster, _blueprint(world.blueprint)
    dialled = start.hosts.union(cluster.hosts, *(process.hosts for process in processes.values()))
    key = (
        start.text,
        rate,
        cluster.fact,
        _inhabited(world, dialled | cluster.headless),
        tuple(process.fact for process in processes.values()),
        tuple(_circumstances(world, processes, dialled)),
    )
    return Facts(key, tuple(processes))


def _processes(world: World, known: Mapping[str, Process]) -> Iterator[tuple[str, Process]]:
    """The running processes that can be asked something, in the order of their table."""
    pods = world.table("objects/pods")
    for key, row in world.table("processes").items():
        if row["running"] and (row["ports"] or row["program"] == "consul"):
            found, pod = known.get(key), pods.get(row["pod"])
            if found is None or found.row is not row or found.pod is not pod:
                found = _process(world, row, pod)
            yield key, found


def _process(world: World, row: Row, pod: Obj | None) -> Process:
    params, state = _value(row["params"]), row["state"]
    registered: tuple[Fact, ...] = ()
    if row["program"] == "consul":
        services = state.get("services", {}).values()
        registered = tuple((s["name"], s["address"], s["port"]) for s in services)
    fact = (
        row["pod"].partition("/")[0],
        row["program"],
        row["ip"],
        tuple(row["ports"]),
        params.text,
        row["env"].get("JAEGER_SAMPLE_RATIO"),
        bool(state.get("auth")),
        registered,
    )
    hosts = params.hosts.union(str(address) for _, address, _ in registered)
    return Process(row, pod, fact, network.hostname(world, row), hosts)


def _circumstances(world: World, processes: Mapping[str, Process], dialled: frozenset[str]) -> Iterator[Fact]:
    """What each process has around it: pod, own name (if anybody uses it), processor, network, users."""
    pods: dict[str, int] = {}
    effects = world.table("effects")
    for i, (key, (row, _, _, hostname, _)) in enumerate(processes.items()):
        yield (
            pods.setdefault(row["uid"], i),
            hostname if hostname in dialled else "",
            graph.cores(world, key),
            network.impairment(world, row) if effects else (0.0, 0.0),
            _users(world, key) if row["program"] == "mongod" else b"",
        )


def _users(world: World, key: str) -> bytes:
    """The users of a database server, with roles and secrets."""
    users = Server(world, key).data.users()
    return _value(users).text if users else b""


def _cluster(world: World, objects: list[Obj]) -> Cluster:
    services = [_service(service) for service in world.store.all("services")]
    endpoints = [_endpoints(one) for one in world.store.all("endpoints")]
    headless = {(namespace, name) for namespace, name, ip, _, _ in services if ip in ("", "None")}
    return Cluster(
        objects,
        (tuple(services), tuple(endpoints)),
        frozenset(external for _, _, _, external, _ in services if external),
        frozenset(ip for ns, name, subsets in endpoints if (ns, name) in headless for ips, _ in subsets for ip in ips),
    )


def _service(service: Obj) -> Fact:
    spec = service.get("spec") or {}
    ports = tuple((p["port"], p.get("name", ""), p.get("protocol", "TCP")) for p in spec.get("ports") or ())
    names = namespace_of(service), name_of(service)
    return (*names, spec.get("clusterIP") or "", spec.get("externalName") or "", ports)


def _endpoints(endpoints: Obj) -> Fact:
    subsets = tuple(
        (
            tuple(address["ip"] for address in subset.get("addresses") or ()),
            tuple((port.get("name", ""), port["port"]) for port in subset.get("ports") or ()),
        )
        for subset in endpoints.get("subsets") or ()
    )
    return namespace_of(endpoints), name_of(endpoints), subsets


def _inhabited(world: World, hosts: frozenset[str]) -> Fact:
    """Those of the addresses that belong to a pod, whatever runs in it."""
    found = hosts.intersection(row["ip"] for row in world.table("processes").values())
    if any(network.ADDRESS.fullmatch(host) for host in hosts - found):
        found |= hosts & network.Network(world).ips
    return tuple(sorted(found))


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
    """Hosts that a program with such parameters may dial."""
    if not isinstance(params, Mapping):
        return
    handlers: Iterable[Row] = (params.get("handlers") or {}).values()
    for handler in handlers:
        for item in handler.get("calls", ()):
            for call in item if isinstance(item, list | tuple) else [item]:
                yield str(call.get("host", ""))
    for names in (("registry", "consul"), ("tracer", "jaeger")):
        yield graph.address({"params": params}, *names)[0]
