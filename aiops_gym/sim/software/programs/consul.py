"""Consul in development mode: a registry of services in memory, over HTTP. A restart forgets all registrations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import iso_micro
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, Program, Tool
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World


PORTS = (8300, 8301, 8302, 8500, 8502, 8503, 8600)
"""Consul's defaults: servers, gossip in the LAN and WAN, HTTP, gRPC, gRPC with TLS, DNS."""

VERSION = "1.19.2"
OPENING = (
    (
        "INFO",
        "agent.server.raft: initial configuration: index=1 "
        'servers="[{Suffrage:Voter ID:%(id)s Address:127.0.0.1:8300}]"',
    ),
    (
        "INFO",
        'agent.server.raft: entering follower state: follower="Node at 127.0.0.1:8300 [Follower]" '
        "leader-address= leader-id=",
    ),
    ("INFO", "agent.server.serf.wan: serf: EventMemberJoin: %(host)s.dc1 127.0.0.1"),
    ("INFO", "agent.server.serf.lan: serf: EventMemberJoin: %(host)s 127.0.0.1"),
    ("INFO", 'agent.server: Adding LAN server: server="%(host)s (Addr: tcp/127.0.0.1:8300) (DC: dc1)"'),
    ("INFO", "agent: Started DNS server: address=0.0.0.0:8600 network=udp"),
    ("INFO", "agent: Starting server: address=[::]:8500 network=tcp protocol=http"),
    ("INFO", "agent: Started gRPC listeners: port_name=grpc address=[::]:8502 network=tcp"),
    ("INFO", "agent: started state syncer"),
    ("INFO", "agent: Consul agent running!"),
    ("WARN", "agent.server.raft: heartbeat timeout reached, starting election: last-leader-addr= last-leader-id="),
    ("INFO", "agent.server.raft: election won: term=2 tally=1"),
    ("INFO", "agent.server: cluster leadership acquired"),
    ("INFO", "agent.server: New leader elected: payload=%(host)s"),
    ("INFO", "agent: Synced node info"),
)


class Consul(Program):
    """Ready within a second or two."""

    term_code = 1
    registry = True

    def registrations(self, process: Process) -> Sequence[tuple[str, str, int]]:
        """Its catalogue."""
        services = process["state"].get("services", {}).values()
        return [(s["name"], s["address"], s["port"]) for s in services]

    def start(self, c: Container) -> None:
        """The first lines, and no registration."""
        identity = draws.uuid(c.world.seed, "consul", str(c.process["id"]))
        c.remember(services={}, node=identity)
        c.log(
            "==> Starting Consul agent...",
            f"               Version: '{VERSION}'",
            f"               Node ID: '{identity}'",
        )
        c.log(f"             Node name: '{c.hostname}'", "            Datacenter: 'dc1' (Segment: '<all>')")
        c.log("                Server: true (Bootstrap: false)", "==> Log data will now stream in as it occurs:", "")
        c.after(int(c.between(300, 900, "open")), "open")

    def event(self, c: Container, name: str, *arguments: object) -> None:
        """Open all ports."""
        names = {"id": c.state["node"], "host": c.hostname}
        c.log(*(self.format(c.now, level, "", text % names) for level, text in OPENING))
        for port in PORTS:
            c.listen(port)

    def format(self, ms: int, level: str, source: str, message: str) -> str:
        """hclog's format."""
        return (
            f"{iso_micro(ms)[:-4]}Z [{level.upper()}]  {message}"
            if len(level) < 5
            else f"{iso_micro(ms)[:-4]}Z [{level.upper()}] {message}"
        )

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """An agent that gossips with nobody."""
        return super().usage(process, 0.0, cpu_seconds_per_s) | {
            "cpu": 0.008 + cpu_seconds_per_s,
            "memory": float(process["params"].get("memory", 44 * MIB)),
            "threads": 14.0,
        }

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """Its command line."""
        return {"consul": _command}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """The reading part of its HTTP API."""
        path = path.partition("?")[0].rstrip("/")
        services = process["state"].get("services", {})
        answer = _answer(process, services, path)
        return (404, "") if answer is None else (200, json.dumps(answer, indent=4) + "\n")


def _command(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`consul members | catalog services | catalog nodes | info | version`, asked of the agent at localhost."""
    words = [word for word in argv[1:] if not word.startswith("-")]
    if words[:1] == ["version"] or "-v" in argv or "--version" in argv:
        return Output(f"Consul v{VERSION}\nBuild Date 2024-08-27T16:06:44Z\n")
    if c.process["program"] != "consul" or 8500 not in c.process["ports"]:
        what = "agent/members" if words[:1] == ["members"] else "catalog/services"
        where = f'Get "http://127.0.0.1:8500/v1/{what}": dial tcp 127.0.0.1:8500'
        return Output("", f"Error retrieving {what[what.index('/') + 1 :]}: {where}: connect: connection refused\n", 1)
    names = sorted({s["name"] for s in c.state.get("services", {}).values()})
    if words[:1] == ["members"]:
        head = "Node     Address         Status  Type    Build   Protocol  DC   Partition  Segment"
        name = c.hostname
        wide = max(len(name), 4)
        return Output(
            f"{'Node':<{wide}}  {head[9:]}\n{name:<{wide}}  127.0.0.1:8301  alive   server  {VERSION}  2         dc1  "
            "default    <all>\n"
        )
    if words[:2] == ["catalog", "services"]:
        return Output("".join(f"{name}\n" for name in ["consul", *names]))
    if words[:2] == ["catalog", "nodes"]:
        name, short = c.hostname, str(c.state["node"])[:8]
        return Output(f"{'Node':<{len(name)}}  ID        Address    DC\n{name}  {short}  127.0.0.1  dc1\n")
    if words[:1] == ["info"]:
        return Output(f"agent:\n\tcheck_monitors = 0\n\tchecks = 0\n\tservices = {len(c.state.get('services', {}))}\n")
    return Output(USAGE, "", 127) if words else Output("", USAGE, 127)


USAGE = """Usage: consul [--version] [--help] <command> [<args>]

Available commands are:
    agent          Runs a Consul agent
    catalog        Interact with the catalog
    info           Provides debugging information for operators.
    kv             Interact with the key-value store
    members        Lists the members of a Consul cluster
    monitor        Stream logs from a Consul agent
    services       Interact with services
    version        Prints the Consul version

"""


def _answer(process: Process, services: Json, path: str) -> Json:
    if path == "/v1/catalog/services":
        return {"consul": [], **{name: [] for name in sorted({s["name"] for s in services.values()})}}
    if path in ("/v1/agent/services", "/v1/agent/checks"):
        return {i: _service(s) for i, s in services.items()} if path.endswith("services") else {}
    if path == "/v1/status/leader":
        return "127.0.0.1:8300"
    if path == "/v1/catalog/nodes":
        return [_node(process)]
    for prefix in ("/v1/health/service/", "/v1/catalog/service/"):
        if path.startswith(prefix):
            found = [s for s in services.values() if s["name"] == path.removeprefix(prefix)]
            if "health" in prefix:
                return [{"Node": _node(process), "Service": _service(s), "Checks": [_serf(process)]} for s in found]
            return [{**_node(process), **{f"Service{k}": v for k, v in _service(s).items()}} for s in found]
    return None


def _node(process: Process) -> Json:
    return {
        "ID": process["state"]["node"],
        "Node": process["pod"].partition("/")[2],
        "Address": "127.0.0.1",
        "Datacenter": "dc1",
    }


def _service(row: Json) -> Json:
    empty: Json = {"Tags": [], "Meta": {}}
    return {
        "ID": row["id"],
        "Service": row["name"],
        **empty,
        "Port": row["port"],
        "Address": row["address"],
        "EnableTagOverride": False,
    }


def _serf(process: Process) -> Json:
    name = process["pod"].partition("/")[2]
    return {
        "Node": name,
        "CheckID": "serfHealth",
        "Name": "Serf Health Status",
        "Status": "passing",
        "Output": "Agent alive and reachable",
    }


program = Consul()
