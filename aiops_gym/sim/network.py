"""The cluster's network: names, Services, endpoints, listening ports, and what delays or loses packets on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from aiops_gym.sim.objects import Obj, get, namespace_of

if TYPE_CHECKING:
    from aiops_gym.sim.world import World

Json = Any

DOMAIN = ".cluster.local"
ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")


class Target(NamedTuple):
    """A process that would answer, the milliseconds that the way there and back adds, and the share of packets lost."""

    process: str
    delay_ms: float
    loss: float


class Route(NamedTuple):
    """Where connections to an address end.

    Attributes:
        outcome: `ok`, `refused` (nobody listens), `timeout` (packets vanish), `no_host` (no such name).
        targets: the processes among which connections are spread evenly; empty unless `ok`.
        delay_ms: mean of the targets' delays.
        loss: mean of the targets' losses, 0 to 1.
        dead: how many further backends refuse the connections that are sent to them.
        address: the first IP that the name stands for, "" if it has none.
    """

    outcome: str
    targets: list[Target]
    delay_ms: float = 0.0
    loss: float = 0.0
    dead: int = 0
    address: str = ""


def dial(world: World, source: str | None, namespace: str, host: str, port: int) -> Route:
    """Follow a connection from a process (None: from outside) in a namespace to `host:port`.

    `host` is a Service name (bare, `name.namespace`, up to the full domain), a cluster, pod or node IP, the caller's
    own host name, or `localhost`.
    """
    own = world.table("processes").get(source) if source else None
    if host in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):
        return _to_ips(world, source, [own["ip"]] if own else [], port, local=True)
    if ADDRESS.fullmatch(host):
        service = _by_cluster_ip(world, host)
        return _to_service(world, source, service, port) if service else _to_ips(world, source, [host], port)
    if own and host == _hostname(world, own):
        return _to_ips(world, source, [own["ip"]], port, local=True)
    if own and not dns_works(world):
        return Route("no_host", [])
    service = find_service(world, namespace, host)
    if service is None:
        return Route("no_host", [])
    if external := get(service, "spec", "externalName"):
        return dial(world, source, namespace, external, port) if external != host else Route("no_host", [])
    return _to_service(world, source, service, port)


def resolve(world: World, source: str | None, namespace: str, host: str) -> list[str]:
    """The IPs that a name stands for; empty where it stands for none."""
    if host == "localhost":
        return ["127.0.0.1"]
    if ADDRESS.fullmatch(host):
        return [host]
    own = world.table("processes").get(source) if source else None
    if own and host == _hostname(world, own):
        return [own["ip"]]
    service = find_service(world, namespace, host) if own is None or dns_works(world) else None
    if service is None:
        return []
    ip = get(service, "spec", "clusterIP", default="")
    return [address for address, _ in _backends(world, service, None)] if ip in ("", "None") else [ip]


def find_service(world: World, namespace: str, host: str) -> Obj | None:
    """The Service that a DNS name means, as seen from a namespace."""
    parts = host.rstrip(".").removesuffix(DOMAIN).removesuffix(".svc").split(".")
    if len(parts) > 2:
        return None
    return world.store.get("services", parts[1] if len(parts) == 2 else namespace, parts[0])


def dns_works(world: World) -> bool:
    """Whether the cluster's name server answers; a world without one is taken to have one outside."""
    if world.store.get("services", "kube-system", "kube-dns") is None:
        return True
    endpoints = world.store.get("endpoints", "kube-system", "kube-dns") or Obj()
    return any(subset.get("addresses") for subset in endpoints.get("subsets") or ())


def discover(world: World, name: str) -> list[tuple[str, int]]:
    """(IP, port) of all instances registered under a name in the running Consul, oldest first; empty without one."""
    for process in world.table("processes").values():
        if process["running"] and process["program"] == "consul":
            services = process["state"].get("services", {})
            return [(s["address"], s["port"]) for s in services.values() if s["name"] == name]
    return []


def listener(world: World, ip: str, port: int) -> str:
    """Key of the running process that listens on a port of an IP, "" if nobody does."""
    for key, process in world.table("processes").items():
        if process["ip"] == ip and process["running"] and port in process["ports"]:
            return str(key)
    return ""


def impairment(world: World, process: Mapping[str, Json]) -> tuple[float, float]:
    """(milliseconds, loss 0 to 1) that effects put on everything a pod sends."""
    delay, kept = 0.0, 1.0
    for effect in world.table("effects").values():
        if effect.get("pod") == process["uid"]:
            params = effect.get("params") or {}
            if effect["kind"] == "network_delay":
                delay += float(params.get("ms", 0.0))
            elif effect["kind"] == "network_loss":
                kept *= 1.0 - float(params.get("percent", 0.0)) / 100.0
    return delay, 1.0 - kept


def _hostname(world: World, process: Mapping[str, Json]) -> str:
    pod = world.store.by_key("pods", process["pod"])
    return str(get(pod or {}, "spec", "hostname", default="") or process["pod"].partition("/")[2])


def _by_cluster_ip(world: World, ip: str) -> Obj | None:
    for service in world.store.all("services"):
        if get(service, "spec", "clusterIP") == ip:
            return service
    return None


def _to_service(world: World, source: str | None, service: Obj, port: int) -> Route:
    ip = get(service, "spec", "clusterIP", default="")
    if ip in ("", "None"):
        ips = [address for address, _ in _backends(world, service, None)]
        return _to_ips(world, source, ips, port) if ips else Route("no_host", [])
    entry = next(
        (p for p in get(service, "spec", "ports", default=()) if p["port"] == port and _is_tcp_or_udp(p)), None
    )
    if entry is None:
        return Route("timeout", [], address=ip)
    backends = _backends(world, service, entry.get("name", ""))
    return _route(world, source, backends, ip)


def _is_tcp_or_udp(port: Mapping[str, Json]) -> bool:
    return port.get("protocol", "TCP") in ("TCP", "UDP")


def _backends(world: World, service: Obj, port_name: str | None) -> list[tuple[str, int]]:
    """(IP, port) of the ready endpoints; with no port name every address once, with port 0."""
    endpoints = world.store.get("endpoints", namespace_of(service), service["metadata"]["name"]) or Obj()
    found = []
    for subset in endpoints.get("subsets") or ():
        for address in subset.get("addresses") or ():
            if port_name is None:
                found.append((address["ip"], 0))
            else:
                found += [
                    (address["ip"], p["port"]) for p in subset.get("ports") or () if p.get("name", "") == port_name
                ]
    return found


def _to_ips(world: World, source: str | None, ips: list[str], port: int, local: bool = False) -> Route:
    known = [(ip, port) for ip in ips if local or _somebody(world, ip)]
    if not known:
        return Route("timeout" if ips else "no_host", [], address=ips[0] if ips else "")
    return _route(world, source, known, ips[0])


def _somebody(world: World, ip: str) -> bool:
    """Whether an IP belongs to a pod, whatever runs in it; packets to any other vanish."""
    if any(p["ip"] == ip for p in world.table("processes").values()):
        return True
    return any(get(pod, "status", "podIP") == ip for pod in world.store.all("pods"))


def _route(world: World, source: str | None, backends: list[tuple[str, int]], address: str) -> Route:
    processes = world.table("processes")
    own = processes.get(source) if source else None
    found = [key for ip, port in backends if (key := listener(world, ip, port))]
    if not found:
        return Route("refused", [], address=address)
    targets = []
    for key in found:
        target = processes[key]
        if own is not None and own["uid"] == target["uid"]:
            targets.append(Target(key, 0.0, 0.0))
            continue
        delay, loss = impairment(world, target)
        if own is not None:
            more, lost = impairment(world, own)
            delay, loss = delay + more, 1.0 - (1.0 - loss) * (1.0 - lost)
        targets.append(Target(key, delay, loss))
    n = len(targets)
    mean_delay, mean_loss = sum(t.delay_ms for t in targets) / n, sum(t.loss for t in targets) / n
    return Route("ok", targets, mean_delay, mean_loss, len(backends) - n, address)
