"""The inputs of the solver: all that requests depend on at a moment, by value. Equal inputs have equal outcomes.

`graph.survey` and what it calls may read nothing of a world that is not in here, except what a process remembers of the
registry (see `graph.recall`). Names that differ between two episodes without any influence (uids, pods, container ids)
are left out: processes appear by their position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

import orjson

from aiops_gym import caches
from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel import tables
from aiops_gym.sim.kernel.blueprint import Blueprint
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.network import firewall, names, routes
from aiops_gym.sim.traffic import graph, load, reach, strain
from aiops_gym.sim.traffic.configuration import configured, read_address
from aiops_gym.types import Json

Sources = tuple[tables.Process, Obj | None, Obj | None, Json, Json]


class Inputs(NamedTuple):
    """What requests depend on.

    Attributes:
        key: hashable; equal for equal inputs.
        processes: keys of the processes that the positions in `key` stand for.
        members: those processes.
        reached: whom requests may reach.
        inhabited: addresses among those that belong to a pod, whatever runs in it.
        start: what users ask, and whom.
    """

    key: reach.Key
    processes: tuple[str, ...]
    members: tuple[Process, ...]
    reached: reach.Reach
    inhabited: frozenset[str]
    start: Value


class Value(NamedTuple):
    """The text of data, the hosts that a program with such parameters may dial, and addresses in it."""

    text: bytes
    hosts: frozenset[str]
    mentions: frozenset[str]


class Process(NamedTuple):
    """A process that takes part in requests.

    Attributes:
        sources: what it was read from: row, pod, node, quota, users of a database.
        users: row of table `volumes` with the users of a database, "" where it is none.
        registry: whether others ask it for addresses.
        key: number of all that follows from `sources`.
        hostname: its own.
        hosts: that it, or who asks it for addresses, may dial.
        plain: the same without the attributes below and its own address.
        cores: CPU that it may use.
        aliases: names that only it knows, with their address.
        registered: service, address and port of all that it would name to who asks for addresses.
        peers: addresses that it names in its log without having been told, see `Program.peers`.
        mentions: addresses in its data.
    """

    sources: Sources
    users: str
    registry: bool
    key: int
    hostname: str
    hosts: frozenset[str]
    plain: int
    cores: float
    aliases: tuple[tuple[str, str], ...]
    registered: tuple[tuple[str, str, int], ...]
    peers: tuple[str, ...]
    mentions: frozenset[str]


class Memory(NamedTuple):
    """What was read of a world before, as long as its objects are the same."""

    volumes: list[Obj]
    processes: dict[str, Process]
    cluster: reach.Cluster
    reached: reach.Reach


NO_MEMORY = Memory([], {}, reach.NO_CLUSTER, reach.NO_REACH)

_values: Cache[Value] = Cache(
    Entry(
        f"{__name__}.values",
        "finding hosts and addresses in parameters and settings",
        key="their JSON text",
        bound=2_000,
    )
)

_ANYWHERE = re.compile(rb"(?=(\d+\.\d+\.\d+\.\d+))")

_MEMO = caches.slot(
    f"{__name__}.inputs",
    "reading each process, Service and endpoint again",
    key="the world",
    ends="another object or row in the place of one that was read, which is held and compared with `is`",
)


def gather(world: World, rate: float) -> Inputs:
    """The inputs of a world under a load of so many requests per second."""
    memory: Memory = world.memo.get(_MEMO, NO_MEMORY)
    volumes = _objects(world, "persistentvolumeclaims", "persistentvolumes")
    processes = _processes(world, memory.processes if volumes == memory.volumes else {})
    objects = _objects(world, "services", "endpoints")
    cluster = memory.cluster if memory.cluster.objects == objects else reach.read(world, objects)
    users, each = _blueprint(world.blueprint).hosts, [process.hosts for process in processes.values()]
    heard = {process.sources[0]["ip"] for process in processes.values() if process.sources[0]["ports"]}
    taken = {row["ip"] for row in world.table("processes").values()}
    reached = reach.follow(world, cluster, users, each, taken - heard, memory.reached)
    world.memo[_MEMO] = Memory(volumes, processes, cluster, reached)
    return _inputs(world, rate, reached, processes, taken)


def _objects(world: World, *resources: str) -> list[Obj]:
    return [obj for resource in resources for obj in world.table(f"objects/{resource}").values()]


def _inputs(
    world: World, rate: float, reached: reach.Reach, processes: Mapping[str, Process], taken: Set[str]
) -> Inputs:
    start, dialled, ips = _blueprint(world.blueprint), reached.dialled, reached.ips
    processes = {key: process for key, process in processes.items() if _concerned(process, ips)}
    rows, pods = [process.sources[0] for process in processes.values()], dict[str, int]()
    impaired, inhabited = bool(world.table("effects")), _inhabited(world, reached.numeric, taken)
    key = (
        start.text,
        rate,
        reached.number,
        tuple([process.key for process in processes.values()]),
        tuple([pods.setdefault(row["uid"], i) for i, row in enumerate(rows)]),
        tuple([(i, p.hostname) for i, p in enumerate(processes.values()) if p.hostname in dialled]),
        inhabited,
        tuple([routes.find_impairment(world, row) for row in rows]) if impaired else (),
        firewall.make_key(world, ips),
        strain.list_caches(world),
        strain.read_levels(world),
    )
    rules = names.read_rules(world)
    told = (orjson.dumps(rules),) if rules else ()
    asked = (orjson.dumps(extra),) if (extra := load.list_extra(world)) else ()
    return Inputs((*key, *told, *asked), tuple(processes), tuple(processes.values()), reached, inhabited, start)


def _concerned(process: Process, ips: frozenset[str]) -> bool:
    """Whether requests may reach a process: at one of these addresses, or as a registry, which is just found."""
    return process.registry or process.sources[0]["ip"] in ips


def _processes(world: World, known: Mapping[str, Process]) -> dict[str, Process]:
    """The running processes that can be asked something, in the order of their table."""
    pods, nodes = world.table("objects/pods"), world.table("objects/nodes")
    limits, volumes = world.table("quotas"), world.table("volumes")
    found: dict[str, Process] = {}
    for key, row in world.table("processes").items():
        if row["running"] and (row["ports"] or program_of(world, row).registry or configured(row).get("consumes")):
            pod, node, limit = pods.get(row["pod"]), nodes.get(f"/{row['node']}"), limits.get(key)
            process = known.get(key)
            if process is not None:
                old = process.sources
                same = old[0] is row and old[1] is pod and old[2] is node and old[3] is limit
                if same and old[4] is volumes.get(process.users):
                    found[key] = process
                    continue
            place = program_of(world, row).accounts(world, key)
            found[key] = _process(world, key, place, (row, pod, node, limit, volumes.get(place)))
    return found


def _process(world: World, key: str, place: str, sources: Sources) -> Process:
    row, users = sources[0], sources[4]
    params, state, settings = _value(row["params"]), row["state"], _value(configured(row))
    program = program_of(world, row)
    registered = tuple(program.registrations(row))
    aliases, known = tuple(names.read_aliases(world, row).items()), _value(users) if users else None
    cores, custom = graph.count_cores(world, key), names.find_custom(world, row)
    plain = (
        row["pod"].partition("/")[0],
        row["program"],
        tuple(row["ports"]),
        params.text,
        row["env"].get("JAEGER_SAMPLE_RATIO"),
        custom,
        bool(state.get("auth")),
        known.text if known else b"",
        settings.text,
    )
    waiting = {str(row["ip"])} if configured(row).get("consumes") else set()
    return Process(
        sources,
        place,
        program.registry,
        reach.number_key((row["ip"], cores, aliases, registered, *plain)),
        names.find_hostname(world, row),
        params.hosts | settings.hosts | {str(ip) for _, ip, _ in registered} | {ip for _, ip in aliases} | waiting,
        reach.number_key(plain),
        cores,
        aliases,
        registered,
        tuple(program.peers(row)),
        params.mentions
        | settings.mentions
        | (known.mentions if known else frozenset())
        | (frozenset(custom.servers) if custom else frozenset()),
    )


def _inhabited(world: World, addresses: frozenset[str], taken: Set[str]) -> frozenset[str]:
    """Those of the addresses that belong to a pod, whatever runs in it; processes run at those `taken`."""
    found = addresses & taken
    if len(found) < len(addresses):
        pods = world.table("objects/pods").values()
        found |= addresses.intersection([pod["status"].get("podIP") for pod in pods if pod.get("status")])
    return found


def _blueprint(blueprint: Blueprint) -> Value:
    """What users ask, and whom."""
    asked = [[o.name, o.weight, o.service, o.port, o.handler] for o in blueprint.operations]
    text = orjson.dumps([blueprint.namespace, *asked])
    return _values.get(text, lambda: Value(text, frozenset(o.service for o in blueprint.operations), mentions(text)))


def _value(data: Json) -> Value:
    """Data by value."""
    text = orjson.dumps(data)
    return _values.get(text, lambda: Value(text, frozenset(_hosts(data)), mentions(text)))


def mentions(text: bytes) -> frozenset[str]:
    """All addresses that can be read in a text, from any letter to any other: `110.244.1.34` has 10.244.1.3 in it.

    >>> sorted(mentions(b"v1.2.3.45"))
    ['1.2.3.4', '1.2.3.45']
    """
    found = [match[1].decode() for match in _ANYWHERE.finditer(text)]
    shorter = [each[:-n] for each in found for n in range(1, len(each) - each.rindex("."))]
    return frozenset(each for each in (*found, *shorter) if each[-1] != ".")


def _hosts(params: Json) -> Iterator[str]:
    """Hosts that a program with such parameters, or with such settings, may dial."""
    if not isinstance(params, Mapping):
        return
    for host, _ in (params.get("addresses") or {}).values():
        yield str(host)
    handlers: Iterable[Mapping[str, Json]] = (params.get("handlers") or {}).values()
    for handler in handlers:
        for item in handler.get("calls", ()):
            for call in item if isinstance(item, list | tuple) else [item]:
                yield str(call.get("host", ""))
    for name in ("registry", "tracer"):
        yield read_address({"params": params, "state": {}}, name)[0]
