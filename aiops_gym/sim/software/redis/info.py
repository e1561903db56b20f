"""What a server tells about itself: INFO and CLIENT LIST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.software.redis import clients
from aiops_gym.sim.software.redis.keys import Keys
from aiops_gym.sim.software.redis.settings import parse_size
from aiops_gym.sim.telemetry import usage as telemetry
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container


BASE = 873_456
"""Bytes that an empty server uses."""

FIRST_CLIENT = 4
COMPATIBLE = "7.2.4"
"""The version of Redis that Valkey says to be."""


def read_brand(c: Container) -> tuple[str, str]:
    """The name of the server in a container's image, and its version."""
    image = c.image()
    known = [each.params for each in image.binaries.values() if each.program == "redis"] if image is not None else []
    params = known[0] if known else c.params
    return str(params.get("brand", "Redis")), str(params.get("version", "6.2.4"))


def measure_used(c: Container) -> int:
    """Bytes that it uses, by its own account."""
    return BASE + len(Keys(c).names()) * 212


def text(c: Container, section: str) -> str:
    """INFO, whole or one section of it; empty for a section that there is not."""
    found = _sections(c)
    chosen = (
        found if section in ("", "all", "default", "everything") else {k: v for k, v in found.items() if k == section}
    )
    return "\r\n".join(
        "\r\n".join([f"# {name.capitalize()}", *(f"{key}:{value}" for key, value in rows.items()), ""])
        for name, rows in chosen.items()
    )


def format_clients(c: Container) -> str:
    """One line for each connection, that of whoever asks at the end."""
    found = [*clients.list_connections(c), (c.now, "127.0.0.1:48212", "client|list")]
    return "".join(
        f"{_client(c, number, address, (c.now - since) // 1000, command)}\n"
        for number, (since, address, command) in enumerate(found, FIRST_CLIENT)
    )


def number(value: float) -> str:
    """A score as Redis prints it.

    >>> number(3.0), number(2.5)
    ('3', '2.5')
    """
    return str(int(value)) if value == int(value) else repr(value)


def _describe(brand: str, version: str) -> dict[str, Json]:
    """What it says to be; Valkey names the Redis that it can stand in for, too."""
    if brand == "Redis":
        return {"redis_version": version, "redis_mode": "standalone"}
    name = brand.lower()
    own = {"server_name": name, f"{name}_version": version, f"{name}_release_stage": "ga"}
    return {"redis_version": COMPATIBLE, **own, "server_mode": "standalone"}


def _client(c: Container, identity: int, address: str, age: int, command: str) -> str:
    local = f"{c.process['ip']}:{c.state.get('port', 6379)}"
    return (
        f"id={identity} addr={address} laddr={local} fd={identity + 1} name= age={age} idle=0 flags=N db=0 sub=0 "
        "psub=0 multi=-1 qbuf=26 qbuf-free=45024 argv-mem=10 obl=0 oll=0 omem=0 tot-mem=61466 events=r "
        f"cmd={command} user=default"
    )


def _sections(c: Container) -> dict[str, dict[str, Json]]:
    started, keys = int(c.process["started"]), len(Keys(c).names())
    seconds = max(0, (c.now - started) // 1000)
    rps, _ = telemetry.measure_demand(c.world, c.key, started, max(c.now, started + 1))
    served, used = int(rps * seconds), measure_used(c)
    settings, (brand, version) = c.state.get("settings", {}), read_brand(c)
    limit = parse_size(settings.get("maxmemory", "0"))
    run = draws.hexes(40, c.world.seed, "redis/run", str(c.process["id"]))
    found: dict[str, dict[str, Json]] = {
        "server": {
            **_describe(brand, version),
            "os": "Linux 6.8.0-48-generic x86_64",
            "arch_bits": 64,
            "process_id": 1,
            "run_id": run,
            "tcp_port": c.state.get("port", 6379),
            "uptime_in_seconds": seconds,
            "uptime_in_days": seconds // 86_400,
            "hz": settings.get("hz", "10"),
            "executable": f"/data/{brand.lower()}-server",
            "config_file": c.state.get("file", ""),
        },
        "clients": {
            "connected_clients": 1 + len(clients.list_connections(c)),
            "maxclients": settings.get("maxclients", "10000"),
            "blocked_clients": 0,
        },
        "memory": {
            "used_memory": used,
            "used_memory_human": f"{used / 1024:.2f}K",
            "used_memory_rss": int(used * 8.4) // 4096 * 4096,
            "used_memory_peak": used + 61_464,
            "maxmemory": limit,
            "maxmemory_human": f"{limit}B",
            "maxmemory_policy": settings.get("maxmemory-policy", "noeviction"),
            "mem_fragmentation_ratio": 8.4,
        },
        "persistence": {
            "loading": 0,
            "rdb_changes_since_last_save": served,
            "rdb_bgsave_in_progress": 0,
            "rdb_last_save_time": started // 1000,
            "rdb_last_bgsave_status": "ok",
            "aof_enabled": int(settings.get("appendonly") == "yes"),
        },
        "stats": {
            "total_connections_received": 1 + served // 90,
            "total_commands_processed": served,
            "instantaneous_ops_per_sec": round(rps),
            "rejected_connections": 0,
            "expired_keys": 0,
            "evicted_keys": 0,
            "keyspace_hits": served // 2,
            "keyspace_misses": 0,
        },
        "replication": {"role": "master", "connected_slaves": 0},
        "cluster": {"cluster_enabled": 0},
    }
    return {**found, "keyspace": {"db0": f"keys={keys},expires=0,avg_ttl=0"} if keys else {}}
