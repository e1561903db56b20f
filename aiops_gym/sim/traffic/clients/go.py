"""Libraries of the Go services: grpc-go, mgo, gomemcache; and whatever a user sends HTTP requests with."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.client import Client, Failed
from aiops_gym.sim.traffic.queueing import PATIENCE

CACHE_TIMEOUT, DIAL_TIMEOUT = 2_000.0, 10_000.0
"""Milliseconds: memcached as the benchmark sets it, mgo's own."""

EOF = "rpc error: code = Unavailable desc = error reading from server: EOF"
CANCELED = "rpc error: code = Canceled desc = context canceled"
UNKNOWN = "rpc error: code = Unimplemented desc = unknown service {service}"
LATE = "read tcp: i/o timeout"


def _dialled(failed: Failed) -> str:
    reason = {"refused": "connect: connection refused", "timeout": "connect: no route to host"}.get(failed.outcome)
    if failed.outcome == "no_answer":
        return f"dial tcp: lookup {failed.host}: i/o timeout"
    if reason is None:
        return f"dial tcp: lookup {failed.host}: no such host"
    return f"dial tcp {failed.address or failed.host}:{failed.port}: {reason}"


def _grpc(failed: Failed) -> tuple[str, float]:
    error = f'connection error: desc = "transport: Error while dialing: {_dialled(failed)}"'
    return f"rpc error: code = Unavailable desc = {error}", 1.0


def _http(failed: Failed) -> tuple[str, float]:
    return _dialled(failed), PATIENCE if failed.outcome in ("timeout", "no_answer") else 1.0


def _mgo(failed: Failed) -> tuple[str, float]:
    return "no reachable servers", DIAL_TIMEOUT


def _memcache(failed: Failed) -> tuple[str, float]:
    if failed.outcome == "timeout":
        return f"memcache: connect timeout to {failed.address}:{failed.port}", CACHE_TIMEOUT
    return _dialled(failed), DIAL_TIMEOUT if failed.outcome == "no_answer" else 1.0


CLIENTS = {
    "grpc": Client("grpc", _grpc, side="client", inner=EOF, gone=CANCELED, unknown=UNKNOWN),
    "http": Client("http", _http, side="store", inner="EOF", gone=CANCELED, unknown=UNKNOWN),
    "mongo": Client(
        "mongo",
        _mgo,
        protocol="mongo",
        side="store",
        timeout=DIAL_TIMEOUT,
        late=LATE,
        hung_up="EOF",
        inner="EOF",
        gone=CANCELED,
    ),
    "memcached": Client(
        "memcached",
        _memcache,
        protocol="memcached",
        side="store",
        timeout=CACHE_TIMEOUT,
        late=LATE,
        hung_up="EOF",
        inner="EOF",
        gone=CANCELED,
    ),
}
