"""What a server tells about itself: INFO and CLIENT LIST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.software.redis.keys import Keys
from aiops_gym.sim.software.redis.settings import parse_size
from aiops_gym.sim.telemetry import usage as telemetry
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container


BASE = 873_456
"""Bytes that an empty server uses."""

POOL = 3
"""Connections that a service keeps open to it under a light load."""


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
    """One line for each connection."""
    rps, _ = telemetry.measure_demand(c.world, c.key, max(int(c.process["started"]), c.now - 15_000), c.now)
    lines = [_client(c, 7, "127.0.0.1:48212", 0, "client|list")]
    if rps:
        age = (c.now - int(c.process["started"])) // 1000
        lines += [_client(c, 8 + i, f"{c.process['ip']}:{36_000 + i * 14}", age, "zadd") for i in range(POOL)]
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """A score as Redis prints it.

    >>> number(3.0), number(2.5)
    ('3', '2.5')
    """
    return str(int(value)) if value == int(value) else repr(value)


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
    served, used = int(rps * seconds), BASE + keys * 212
    settings, version = c.state.get("settings", {}), str(c.params.get("version", "6.2.4"))
    limit = parse_size(settings.get("maxmemory", "0"))
    run = draws.hexes(40, c.world.seed, "redis/run", str(c.process["id"]))
    found: dict[str, dict[str, Json]] = {
        "server": {
            "redis_version": version,
            "redis_mode": "standalone",
            "os": "Linux 6.8.0-48-generic x86_64",
            "arch_bits": 64,
            "process_id": 1,
            "run_id": run,
            "tcp_port": c.state.get("port", 6379),
            "uptime_in_seconds": seconds,
            "uptime_in_days": seconds // 86_400,
            "hz": settings.get("hz", "10"),
            "executable": "/data/redis-server",
            "config_file": c.state.get("file", ""),
        },
        "clients": {"connected_clients": 1 + (POOL if rps else 0), "maxclients": 10000, "blocked_clients": 0},
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
