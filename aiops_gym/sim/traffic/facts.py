"""All that requests depend on at a moment, by value: worlds with equal facts have equal outcomes.

`graph.survey` and what it calls may read nothing of a world that is not in here, except what a process remembers of the
registry (see `graph.recall`). Names that differ between two episodes without any influence (uids, pods, container ids)
are left out: processes appear by their position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from aiops_gym.sim import firewall, network
from aiops_gym.sim.blueprint import Blueprint
from aiops_gym.sim.mongo.server import Server
from aiops_gym.sim.objects import Obj
from aiops_gym.sim.traffic import graph, reach
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.wiring import address, wired
from aiops_gym.sim.world import World

Json = Any
Row = Mapping[str, Json]

REGISTRY = "consul"
"""The program that is asked for addresses."""

Sources = tuple[Row, Obj | None, Obj | None, Json, Json]


class Facts(NamedTuple):
    """What requests depend on.

    Attributes:
        key: hashable; equal for equal facts.
        processes: keys of the processes that the positions in `key` stand for.
    """

    key: reach.Fact
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


class Memory(NamedTuple):
    """What was read of a world before, as long as its objects are the same."""

    volumes: list[Obj]
    processes: dict[str, Process]
    cluster: reach.Cluster
    reached: reach.Reach


NO_MEMORY = Memory([], {}, reach.NO_CLUSTER, reach.NO_REACH)

_values: Cache[Value] = Cache(2_000, lambda value: 1)


def gather(world: World, rate: float) -> Facts:
    """The facts of a world under a load of so many requests per second."""
    memory: Memory = world.memo.get("facts", NO_MEMORY)
    volumes = _objects(world, "persistentvolumeclaims", "persistentvolumes")
    processes = _processes(world, memory.processes if volumes == memory.volumes else {})
    objects = _objects(world, "services", "endpoints")
    cluster = memory.cluster if memory.cluster.objects == objects else reach.read(world, objects)
    users, each = _blueprint(world.blueprint).hosts, [process.hosts for process in processes.values()]
    heard = {process.sources[0]["ip"] for process in processes.values() if process.sources[0]["ports"]}
    reached = reach.follow(world, cluster, users, each, heard, memory.reached)
    world.memo["facts"] = Memory(volumes, processes, cluster, reached)
    return _facts(world, rate, reached, processes)


def _objects(world: World, *resources: str) -> list[Obj]:
    return [obj for resource in resources for obj in world.table(f"objects/{resource}").values()]


def _facts(world: World, rate: float, reached: reach.Reach, processes: Mapping[str, Process]) -> Facts:
    start, dialled, ips = _blueprint(world.blueprint), reached.dialled, reached.ips
    processes = {key: process for key, process in processes.items() if _concerned(process.sources[0], ips)}
    rows, pods = [process.sources[0] for process in processes.values()], dict[str, int]()
    impaired = bool(world.table("effects"))
    key = (
        start.text,
        rate,
        reached.number,
        tuple([process.fact for process in processes.values()]),
        tuple([pods.setdefault(row["uid"], i) for i, row in enumerate(rows)]),
        tuple([(i, p.hostname) for i, p in enumerate(processes.values()) if p.hostname in dialled]),
        _inhabited(world, ips),
        tuple([network.impairment(world, row) for row in rows]) if impaired else (),
        firewall.fact(world, ips),
    )
    return Facts(key, tuple(processes))


def _concerned(process: Row, ips: frozenset[str]) -> bool:
    """Whether requests may reach a process: at one of these addresses, or as a registry, which is just found."""
    return process["ip"] in ips or process["program"] == REGISTRY


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
    registered: tuple[reach.Fact, ...] = ()
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
    return Process(sources, place, reach.number(fact), network.hostname(world, row), hosts)


def _inhabited(world: World, hosts: frozenset[str]) -> reach.Fact:
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
