"""Who would answer whom at this moment: the calls of all operations, followed through the world as it is.

Nothing is assumed about the application. A call goes where the network leads, and meets the handlers of the process
that really listens there; a wrong program at an address simply lacks the handler. The result is plain data, with nodes
(one handler in one process) in such an order that callees come before their callers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.sim import network
from aiops_gym.sim.mongo.server import refusal
from aiops_gym.sim.objects import get
from aiops_gym.sim.traffic import quotas
from aiops_gym.sim.traffic.queueing import PATIENCE
from aiops_gym.sim.world import World

Json = Any

SPEAKS = {"memcached": "memcached", "mongo": "mongod"}
"""The program that understands a protocol; gRPC and HTTP are understood where there is a handler."""

TIMEOUTS = {"memcached": 2_000.0, "mongo": 10_000.0}
"""Milliseconds that a client library waits: memcached 2 s as the benchmark sets it, mgo 10 s; gRPC waits for ever."""

NODE_CORES = 8.0
"""Cores of a process without a limit on a node that does not say how many it has."""

SAMPLE_RATIO = 0.01
"""Share of traces that the services' tracing library keeps where the environment does not say."""

REMEMBERED = 300
"""Answers of the registry kept before those of dead processes are dropped."""

Target = list[Json]
"""[node (-1: none), share, delay ms, loss, error]"""


class Survey:
    """Collects the nodes that can be reached from the operations of a world.

    Attributes:
        told: what the registry said, by process and service.
        recalled: what processes remember of it that cannot reach it, by process and service.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.table = world.table("processes")
        self.network = network.Network(world)
        self.processes: dict[str, int] = {}
        self.nodes: list[Json] = []
        self.known: dict[tuple[str, str], int] = {}
        self.routes: dict[tuple[str, str, int], network.Route] = {}
        self.instances: dict[str, list[list[Json]]] = {}
        self.told: dict[tuple[str, str], list[list[Json]]] = {}
        self.recalled: dict[tuple[str, str], list[list[Json]]] = {}

    def entry(self, operation: Any) -> Json:
        """The call that a user makes for an operation."""
        route = self.dial("", operation.service, operation.port)
        call = {"kind": "http", "handler": operation.handler}
        return self._call("", call, route, operation.service, operation.port)

    def dial(self, source: str, host: str, port: int) -> network.Route:
        """The way from a process ("" for a user outside) to an address; asked once."""
        key = (source, host, port)
        if key not in self.routes:
            process = self.table.get(source)
            namespace = process["pod"].split("/")[0] if process else self.world.blueprint.namespace
            self.routes[key] = self.network.dial(source or None, namespace, host, port)
        return self.routes[key]

    def index(self, process: str) -> int:
        """The number of a process in this survey."""
        return self.processes.setdefault(process, len(self.processes))

    def _node(self, process: str, call: Mapping[str, Json]) -> int | None:
        """The node that serves a call in a process; None when the calls run in a circle."""
        name = str(call.get("handler") or call.get("span") or call["kind"])
        key = (process, f"{call['kind']} {name}")
        if key in self.known:
            return self.known[key] if self.known[key] >= 0 else None
        self.known[key] = -1
        node = {
            "process": self.index(process),
            "name": name,
            "ms": float(call.get("ms", 0.05)),
            "error": "",
            "calls": [],
        }
        if call["kind"] in SPEAKS:
            if self.table[process]["program"] != SPEAKS[call["kind"]]:
                node["error"] = "EOF"
        else:
            self._handler(process, name, node)
        self.nodes.append(node)
        self.known[key] = len(self.nodes) - 1
        return self.known[key]

    def _handler(self, process: str, name: str, node: dict[str, Json]) -> None:
        handler = (self.table[process]["params"].get("handlers") or {}).get(name)
        if handler is None:
            service = name.strip("/").split("/")[0]
            node["error"] = f"rpc error: code = Unimplemented desc = unknown service {service}"
            return
        node["ms"] = float(handler.get("ms", 0.5))
        node["calls"] = [
            [self.call(process, inner) for inner in call]
            if isinstance(call, list | tuple)
            else self.call(process, call)
            for call in handler.get("calls", ())
        ]

    def call(self, source: str, call: Mapping[str, Json]) -> Json:
        """A call of a process, with the places where it would be served."""
        if call["kind"] == "grpc" and "service" in call:
            return self._discovered(source, call)
        host, port = str(call["host"]), int(call["port"])
        return self._call(source, call, self.dial(source, host, port), host, port)

    def _call(self, source: str, call: Mapping[str, Json], route: network.Route, host: str, port: int) -> Json:
        if route.outcome != "ok":
            return _compiled(call, [], *_unreachable(str(call["kind"]), route, host, port))
        targets = [self._target(source, call, *target) for target in route.targets]
        refused = _unreachable(str(call["kind"]), route._replace(outcome="refused"), host, port)[0]
        targets += [[-1, 1.0, 0.0, 0.0, refused]] * route.dead
        return _compiled(call, _shared([targets]), "", 1.0)

    def _discovered(self, source: str, call: Mapping[str, Json]) -> Json:
        """A gRPC call through the registry: round robin over the registered addresses that are connected."""
        service = str(call["service"])
        addresses = self._addresses(source, service)
        error, groups = "rpc error: code = Unavailable desc = last resolver error: produced zero addresses", []
        for ip, port in addresses:
            route = self.dial(source, ip, port)
            if route.outcome == "ok":
                groups.append([self._target(source, call, *target) for target in route.targets])
            else:
                error = _unreachable("grpc", route, ip, port)[0]
        return _compiled(call, _shared(groups), "" if groups else error, 1.0)

    def _addresses(self, source: str, service: str) -> list[list[Json]]:
        """What the registry says; while it cannot be reached, what it said last to this process."""
        process, key = self.table[source], (source, service)
        host, port = address(process, "registry", "consul")
        if not host or self.dial(source, host, port).outcome != "ok":
            self.recalled[key] = recall(self.world, *key)
            return self.recalled[key]
        if service not in self.instances:
            found = dict.fromkeys(network.discover(self.world, service))
            self.instances[service] = [list(pair) for pair in found]
        self.told[key] = self.instances[service]
        return self.instances[service]

    def _target(self, source: str, call: Mapping[str, Json], process: str, delay: float, loss: float) -> Target:
        node = self._node(process, call)
        if node is None:
            return [-1, 1.0, 0.0, 0.0, "rpc error: code = ResourceExhausted desc = calls run in a circle"]
        return [node, 1.0, float(delay), float(loss), self._refusal(process, source, call)]

    def _refusal(self, process: str, source: str, call: Mapping[str, Json]) -> str:
        """Why the server behind an open connection says no; "" when it does not."""
        if call["kind"] != "mongo" or self.table[process]["program"] != SPEAKS["mongo"]:
            return ""
        credentials = call.get("credentials") or _login(self.table.get(source), str(call["host"]))
        return refusal(self.world, process, credentials, str(call.get("database", "test")))

    def tracer(self, process: str) -> int:
        """The process that takes the spans of `process`; -1 where there is none."""
        host, port = address(self.table[process], "tracer", "jaeger")
        if not host:
            return -1
        route = self.dial(process, host, port)
        return self.index(route.targets[0][0]) if route.outcome == "ok" else -1


def recall(world: World, process: str, service: str) -> list[list[Json]]:
    """What the registry said last to a process about a service."""
    return list(world.table("resolved").get(_memory(world, process, service), ()))


def remember(world: World, told: Mapping[tuple[str, str], list[list[Json]]]) -> None:
    """Keep what the registry said, for when it cannot be reached."""
    if not told:
        return
    seen = world.table("resolved")
    for (process, service), found in told.items():
        key = _memory(world, process, service)
        if found != seen.get(key):
            seen[key] = found
            if len(seen) > REMEMBERED:
                living = {row["id"] for row in world.table("processes").values() if row["running"]}
                for old in [old for old in seen if old.partition(" ")[0] not in living]:
                    del seen[old]


def _memory(world: World, process: str, service: str) -> str:
    """The row of table `resolved` that holds what a process knows about a service."""
    return f"{world.table('processes')[process]['id']} {service}"


def survey(world: World) -> Json:
    """The call graph of the world's operations as it is now.

    Returns:
        `processes` (keys), `nodes` (callees first), `entry` (operation -> call), and per process `services` (the name
        in traces), `cores`, `tracers`, `samples` and `losses`; `told` and `recalled` as in `Survey`.
    """
    found = Survey(world)
    entry = {operation.name: found.entry(operation) for operation in world.blueprint.operations}
    traced = list(found.processes)
    tracers = [found.tracer(process) for process in traced]
    keys = list(found.processes)
    return {
        "processes": keys,
        "nodes": found.nodes,
        "entry": entry,
        "services": [str(found.table[key]["params"].get("name", "")) for key in keys],
        "cores": [cores(world, key) for key in keys],
        "tracers": tracers + [-1] * (len(keys) - len(traced)),
        "samples": [float(found.table[key]["env"].get("JAEGER_SAMPLE_RATIO") or SAMPLE_RATIO) for key in keys],
        "losses": [found.network.impairment(found.table[key])[1] for key in keys],
        "told": found.told,
        "recalled": found.recalled,
    }


def cores(world: World, key: str) -> float:
    """CPU that a process may use: its container's limit, else its node."""
    row = world.table("quotas").get(key)
    quota: float | None = row[0] if row is not None else quotas.of(world, key).cpu
    if quota is not None:
        return quota
    node = world.store.get("nodes", "", str(world.table("processes")[key]["node"]))
    allocatable = get(node or {}, "status", "allocatable", "cpu")
    return quotas.amount(str(allocatable)) if allocatable else NODE_CORES


def address(process: Mapping[str, Json], *names: str) -> tuple[str, int]:
    """The address of the registry or tracer that a program was built with, by any of its names; ("", 0) without one."""
    params = process["params"]
    places = (params, params.get("config") or {}, *params.get("startup", ()))
    text = next((place[name] for place in places for name in names if place.get(name)), "")
    host, _, port = str(text).rpartition(":")
    return (host, int(port)) if port.isdigit() else ("", 0)


def _login(process: Mapping[str, Json] | None, host: str) -> Mapping[str, str] | None:
    """The credentials with which a program dialled a database when it started."""
    for step in (process or {"params": {}})["params"].get("startup", ()):
        mongo = step.get("mongo") or {}
        if str(mongo.get("address", "")).rpartition(":")[0] == host:
            found: Mapping[str, str] | None = mongo.get("credentials")
            return found
    return None


def _compiled(call: Mapping[str, Json], targets: list[Target], error: str, after: float) -> Json:
    """A call as the solver and the sampler want it."""
    return {
        "kind": call["kind"],
        "span": str(call.get("handler") or call.get("span") or call["kind"]),
        "p": float(call.get("p", 1.0)),
        "to": targets,
        "error": error,
        "after": after,
        "timeout": TIMEOUTS.get(str(call["kind"]), PATIENCE),
        "on_error": str(call.get("on_error", "fail")),
        "log": list(call["log"]) if call.get("log") else None,
    }


def _shared(groups: Sequence[Sequence[Target]]) -> list[Target]:
    """Targets with their share: equal for each address, and within it for each process behind it."""
    found = []
    for group in groups:
        for target in group:
            found.append([target[0], 1.0 / (len(groups) * len(group)), *target[2:]])
    return found


def _unreachable(kind: str, route: network.Route, host: str, port: int) -> tuple[str, float]:
    """What a client says when it cannot connect, and after how many ms."""
    if kind == "mongo":
        return "no reachable servers", TIMEOUTS["mongo"]
    reason = {"refused": "connect: connection refused", "timeout": "connect: no route to host"}.get(route.outcome)
    text = f"dial tcp {route.address or host}:{port}: {reason}" if reason else f"dial tcp: lookup {host}: no such host"
    if kind == "memcached":
        if route.outcome == "timeout":
            return f"memcache: connect timeout to {route.address}:{port}", TIMEOUTS["memcached"]
        return text, 1.0
    if kind == "grpc":
        return (
            f'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: {text}"',
            1.0,
        )
    return text, PATIENCE if route.outcome == "timeout" else 1.0
