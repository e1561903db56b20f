"""Who would answer whom at this moment: the calls of all operations, followed through the world as it is.

Nothing is assumed about the application. A call goes where the network leads, and meets the handlers of the process
that really listens there; a wrong program at an address simply lacks the handler. The result is plain data, with nodes
(one handler in one process) in such an order that callees come before their callers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.program import Program, program_of
from aiops_gym.sim.network import routes
from aiops_gym.sim.network.names import find_resolver
from aiops_gym.sim.traffic import clients, compiled, quotas, strain
from aiops_gym.sim.traffic.clients.client import Client, Failed
from aiops_gym.sim.traffic.compiled import Target
from aiops_gym.sim.traffic.configuration import (
    NOTHING,
    configured,
    find_endpoint,
    measure_starvation,
    read_address,
    read_sample_ratio,
)
from aiops_gym.sim.traffic.flags import told_flags
from aiops_gym.types import Json

USER = "go"
"""Language whose libraries users have; nothing is said of what they hear."""

NODE_CORES = 8.0
"""Cores of a process without a limit on a node that does not say how many it has."""

MOST_PASSED = 3
"""Processes that may pass spans on before they reach the one that keeps them."""

REMEMBERED = 300
"""Answers of the registry kept before those of dead processes are dropped."""


class Survey:
    """Collects the nodes that can be reached from the operations of a world.

    Attributes:
        told: what the registry said, by process and service.
        recalled: what processes remember of it that cannot reach it, by process and service.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.table = world.table("processes")
        self.network = routes.find_network(world)
        self.processes: dict[str, int] = {}
        self.nodes: list[Json] = []
        self.known: dict[tuple[str, str], int] = {}
        self.routes: dict[tuple[str, str, int], routes.Route] = {}
        self.instances: dict[str, list[list[Json]]] = {}
        self.told: dict[tuple[str, str], list[list[Json]]] = {}
        self.recalled: dict[tuple[str, str], list[list[Json]]] = {}
        self.clients: dict[tuple[str, str], Client] = {}
        self.asked = ""

    def entry(self, operation: Any) -> Json:
        """The call that a user makes for an operation."""
        route = self.dial("", operation.service, operation.port)
        self.asked = f"{route.address}:{operation.port}"
        call = {"kind": "http", "handler": operation.handler}
        return self._call("", call, route, operation.service, operation.port)

    def served(self, process: str, handler: str) -> Json:
        """A user's call of a handler that has reached a process."""
        call, client = {"kind": "http", "handler": handler}, self.client("", "http")
        return compiled.compile_call(call, client, [self._target("", call, client, process, 0.0, 0.0)], "", 1.0)

    def dial(self, source: str, host: str, port: int) -> routes.Route:
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

    def client(self, source: str, kind: str) -> Client:
        """The library with which a process ("" for a user) makes calls of a kind."""
        found = self.clients.get((source, kind))
        if found is None:
            language = USER
            if source:
                language = str(self.table[source]["params"].get("language") or self.program(source).language)
            found = self.clients[source, kind] = clients.find(language, kind)
        return found

    def program(self, process: str) -> Program:
        """What a process runs."""
        return program_of(self.world, self.table[process])

    def _node(self, process: str, call: Mapping[str, Json], client: Client) -> int | None:
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
        if client.protocol and self.program(process).protocol != client.protocol:
            node["error"] = client.hung_up
        elif client.handled:
            self._handler(process, name, node, client)
        elif call.get("topic"):
            node |= {"span": "", "calls": self._deliveries(process, str(call["topic"]))}
        elif call.get("adds"):
            node["adds"] = True
        self.nodes.append(node)
        self.known[key] = len(self.nodes) - 1
        return self.known[key]

    def _handler(self, process: str, name: str, node: dict[str, Json], client: Client) -> None:
        row = self.table[process]
        handler, told = (row["params"].get("handlers") or {}).get(name), configured(row).get("paths")
        if handler is None or (told is not None and name.rpartition(" ")[2] not in told):
            parts = name.strip("/").split("/")
            node["error"] = client.unknown.format(service=parts[0], name=parts[-1])
            return
        program, flags = self.program(process), told_flags(row)
        node["ms"] = flags.work(float(handler.get("ms", 0.5)), handler)
        if program.traced:
            node |= {"traced": program.traced, "span": str(handler.get("span") or "")}
        if says := flags.sayings(handler):
            node["says"] = says
        about, calls = program.about(row, name, self.asked), flags.choose(handler.get("calls", ()))
        node["calls"] = [
            [self.call(process, inner, about) for inner in call]
            if isinstance(call, list | tuple)
            else self.call(process, call, about)
            for call in calls
        ]
        strain.mark_cold(self.world, calls, node["calls"], self.nodes)

    def _deliveries(self, broker: str, topic: str) -> list[Json]:
        """What a broker hands on to those who wait for messages of a topic; nobody waits for what they do with it."""
        made = []
        for key, row in self.table.items():
            told = configured(row).get("consumes") if row["running"] else None
            if not told or told["topic"] != topic or told.get("idle") or told.get("left"):
                continue
            route = self.dial(key, str(told["host"]), int(told["port"]))
            if any(target.process == broker for target in route.targets):
                call, client = {"kind": "deliver", "handler": told["handler"]}, self.client(broker, "deliver")
                target = self._target(broker, call, client, key, 0.0, 0.0)
                made.append(compiled.compile_call({**call, "apart": True}, client, [target], "", 1.0))
        return made

    def call(self, source: str, call: Mapping[str, Json], about: str = "") -> Json:
        """A call of a process, with the places where it would be served; `about` is added to what it logs of it."""
        if call["kind"] == "grpc" and "service" in call:
            return self._discovered(source, call)
        if "fails" in call:
            client = self.client(source, str(call["kind"]))
            made = compiled.compile_call(call, client, [], str(call["fails"]), float(call.get("after", 0.1)))
            return made | compiled.compile_failure(call, client, Failed("ok", "", 0), about)
        host, port = find_endpoint(self.table[source], call)
        return self._call(source, call, self.dial(source, host, port), host, port, about)

    def _call(
        self, source: str, call: Mapping[str, Json], route: routes.Route, host: str, port: int, about: str = ""
    ) -> Json:
        client = self.client(source, str(call["kind"]))
        failed = Failed(route.outcome, host, port, route.address, str(call.get("client", "")))
        closed = [self._closed(source, call, target.process) for target in route.targets]
        if closed and all(closed):
            failed = failed._replace(outcome="closed")
        wait = measure_starvation(self.table[source], call) if source and call["kind"] == "thrift" else 0.0
        if wait:
            failed = failed._replace(outcome="starved", wait=wait)
        if failed.outcome != "ok":
            made = compiled.compile_call(call, client, [], *client.unreachable(failed))
            if failed.outcome == "no_host" and source:
                made["lookups"] = self._count_lookups(source, host)
        else:
            targets = [self._target(source, call, client, *target) for target in route.targets]
            failed = Failed("refused", *failed[1:])
            if route.dead:
                targets += [[-1, 1.0, 0.0, 0.0, client.unreachable(failed)[0]]] * route.dead
            denied = []
            for place, row in zip(route.targets, targets, strict=False):
                if source and _auth(row[4]):
                    denied.append([self.index(place.process), client.denied(row[4], failed), row[4]])
                    row[4] = denied[-1][1]
            made = compiled.compile_call(call, client, compiled.share_targets([targets]), "", 1.0)
            if denied:
                made |= {"denied": denied, "remote": self.table[source]["ip"]}
        if source and client.side in compiled.OWN_SPANS:
            made |= compiled.compile_failure(call, client, failed, about)
            turned = [self.index(t.process) for t, shut in zip(route.targets, closed, strict=True) if shut]
            if turned:
                made |= {"turned_away": turned, "remote": self.table[source]["ip"]}
        return made

    def _closed(self, source: str, call: Mapping[str, Json], process: str) -> bool:
        """Whether a server hangs up on whoever speaks as this client does, TLS or not."""
        program = self.program(process)
        if program.protocol != call["kind"]:
            return False
        secure = bool(configured(self.table[source]).get("tls")) if source else False
        return not program.understands(self.table[process], secure)

    def _discovered(self, source: str, call: Mapping[str, Json]) -> Json:
        """A gRPC call through the registry: round robin over the registered addresses that are connected."""
        service, client = str(call["service"]), self.client(source, "grpc")
        addresses = self._addresses(source, service)
        error, groups = "rpc error: code = Unavailable desc = last resolver error: produced zero addresses", []
        for ip, port in addresses:
            route = self.dial(source, ip, port)
            if route.outcome == "ok":
                groups.append([self._target(source, call, client, *target) for target in route.targets])
            else:
                error = client.unreachable(Failed(route.outcome, ip, port, route.address))[0]
        made = compiled.compile_call(call, client, compiled.share_targets(groups), "" if groups else error, 1.0)
        holders = {self.nodes[target[0]]["process"] for group in groups for target in group if target[0] >= 0}
        return made | strain.mark_caller(self.table[source], service, list(holders))

    def _count_lookups(self, source: str, host: str) -> int:
        """Questions for both kinds of address that the cluster's name server says no to, for one call."""
        resolver = find_resolver(self.world, self.table[source])
        if self.network.answer(resolver) != "cluster":
            return 0
        return 2 * sum(1 for _ in resolver.candidates(host))

    def _addresses(self, source: str, service: str) -> list[list[Json]]:
        """What the registry says; while it cannot be reached, what it said last to this process."""
        process, key = self.table[source], (source, service)
        host, port = read_address(process, "registry")
        if not host or self.dial(source, host, port).outcome != "ok":
            self.recalled[key] = recall(self.world, *key)
            return self.recalled[key]
        if service not in self.instances:
            self.instances[service] = list_registered(self.world, service)
        self.told[key] = self.instances[service]
        return self.instances[service]

    def _target(
        self, source: str, call: Mapping[str, Json], client: Client, process: str, delay: float, loss: float
    ) -> Target:
        node = self._node(process, call, client)
        if node is None:
            return [-1, 1.0, 0.0, 0.0, "rpc error: code = ResourceExhausted desc = calls run in a circle"]
        return [
            node,
            1.0,
            float(delay) + float(call.get("delay", 0.0)),
            float(loss),
            self._refusal(process, source, call),
        ]

    def _refusal(self, process: str, source: str, call: Mapping[str, Json]) -> str:
        """Why the server behind an open connection says no; "" when it does not."""
        program = self.program(process)
        if program.protocol != call["kind"]:
            return ""
        if self._closed(source, call, process):
            return self.client(source, str(call["kind"])).hung_up
        told, to = configured(self.table[source]) if source else NOTHING, str(call.get("to"))
        if full := told.get("unseated", NOTHING).get(to):
            return str(full)
        credentials = call.get("credentials") or told.get("logins", NOTHING).get(to)
        credentials = credentials or _login(self.table.get(source), str(call.get("host", "")))
        return program.refuses(self.world, process, call, credentials)

    def tracer(self, process: str) -> int:
        """The process that takes the spans of `process`, passed on or not; -1 where there is none."""
        for _ in range(MOST_PASSED):
            host, port = read_address(self.table[process], "tracer")
            route = self.dial(process, host, port) if host else None
            if route is None or route.outcome != "ok":
                return -1
            process = route.targets[0][0]
            if self.program(process).collector or not read_address(self.table[process], "tracer")[0]:
                return self.index(process)
        return -1


def _auth(error: str) -> bool:
    """Whether a database refuses for want of a right, or of a connection, and says so itself."""
    return error.endswith("requires authentication") or error.startswith(("not authorized on ", "pq: "))


def list_registered(world: World, service: str) -> list[list[Json]]:
    """[IP, port] of all that is registered under a name in the running registry, oldest first, each once."""
    for process in world.table("processes").values():
        if process["running"] and (program := program_of(world, process)).registry:
            found = [(address, port) for name, address, port in program.registrations(process) if name == service]
            return [list(pair) for pair in dict.fromkeys(found)]
    return []


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
    rows = [found.table[key] for key in keys]
    return {
        "processes": keys,
        "nodes": found.nodes,
        "entry": entry,
        "services": [str(configured(row).get("name") or row["params"].get("name", "")) for row in rows],
        "cores": [count_cores(world, key) for key in keys],
        "tracers": tracers + [-1] * (len(keys) - len(traced)),
        "samples": [read_sample_ratio(row) for row in rows],
        "losses": [found.network.impairment(row)[1] for row in rows],
        "told": found.told,
        "recalled": found.recalled,
    }


def count_cores(world: World, key: str) -> float:
    """CPU that a process may use: its container's limit, else its node."""
    row = world.table("quotas").get(key)
    quota: float | None = row[0] if row is not None else quotas.find_quota(world, key).cpu
    if quota is not None:
        return quota
    node = world.store.get("nodes", "", str(world.table("processes")[key]["node"]))
    allocatable = get(node or {}, "status", "allocatable", "cpu")
    return quotas.parse_amount(str(allocatable)) if allocatable else NODE_CORES


def _login(process: Process | None, host: str) -> Mapping[str, str] | None:
    """The credentials with which a program dialled a database when it started."""
    for step in (process or {"params": {}})["params"].get("startup", ()):
        mongo = step.get("mongo") or {}
        if str(mongo.get("address", "")).rpartition(":")[0] == host:
            found: Mapping[str, str] | None = mongo.get("credentials")
            return found
    return None
