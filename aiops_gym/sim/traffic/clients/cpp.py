"""Libraries of the C++ services: Apache Thrift behind a pool of clients, libmongoc, libmemcached, redis-plus-plus."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.client import Client, Failed, Line

SELECTION = 300
"""Milliseconds for which libmongoc looks for a server, as the benchmark sets it."""

POLL, CONNECT = 5_000.0, 4_000.0
"""Milliseconds that libmemcached waits for an answer and for a connection."""

SYN = 127_000.0
"""Milliseconds until Linux gives up a connection to an address that says nothing."""

RESOLVE = 10_000.0
"""Milliseconds until the resolver of the C library gives up: two questions of five seconds."""

NOBODY, SILENCE = "Name or service not known", "Temporary failure in name resolution"

THRIFT = {
    "refused": ("connect() failed: Connection refused", 0.2),
    "timeout": ("connect() failed: Connection timed out", SYN),
    "no_host": ("Could not resolve host for client socket.", 5.0),
    "no_answer": ("Could not resolve host for client socket.", RESOLVE),
    "closed": ("No more data to read.", 0.5),
}
SOCKET = {"refused": "Connection refused", "timeout": "Connection timed out"}
REDIS = {
    **SOCKET,
    "no_host": NOBODY,
    "no_answer": SILENCE,
    "closed": "Server closed the connection",
}
MONGO = {
    "refused": "connection refused",
    "timeout": "connection timeout",
    "closed": "connection closed",
}
MEMCACHED = {
    "refused": ("CONNECTION FAILURE", 0.5),
    "timeout": ("A TIMEOUT OCCURRED", CONNECT),
    "no_host": ("getaddrinfo() or getnameinfo() HOSTNAME LOOKUP FAILURE", 5.0),
    "no_answer": ("getaddrinfo() or getnameinfo() HOSTNAME LOOKUP FAILURE", RESOLVE),
    "closed": ("SERVER HAS FAILED AND IS DISABLED UNTIL TIMED RETRY", 0.5),
}


def _thrift(failed: Failed) -> tuple[str, float]:
    if failed.outcome == "starved":
        return f"Failed to connect to {failed.host}", failed.wait
    return THRIFT[failed.outcome]


def _sockets(failed: Failed) -> list[Line]:
    """What Thrift's socket tells the standard error, and then the pool that has wanted the connection."""
    if failed.outcome == "starved":
        return [["ClientPool.h:93:Pop", "ClientPool pop timeout", "warning"], ["ClientPool.h:94:Pop", "0 0", "info"]]
    info = f"<Host: {failed.host} Port: {failed.port}>"
    told = f"TSocket::open() connect() {info}: {SOCKET.get(failed.outcome)}"
    if failed.outcome in ("no_host", "no_answer"):
        told = f"TSocket::open() getaddrinfo() {info}{NOBODY if failed.outcome == 'no_host' else SILENCE}"
    return [["", told, "thrift"], ["ClientPool.h:114:Pop", f"Failed to connect {failed.label}", "error"]]


def _mongoc(failed: Failed) -> tuple[str, float]:
    why = f"{MONGO.get(failed.outcome)} calling ismaster on '{failed.host}:{failed.port}'"
    if failed.outcome in ("no_host", "no_answer"):
        why = f"Failed to resolve '{failed.host}'"
    after = RESOLVE if failed.outcome == "no_answer" else float(SELECTION)
    return f"No suitable servers found: `serverSelectionTimeoutMS` expired: [{why}]", after


def _memcached(failed: Failed) -> tuple[str, float]:
    return MEMCACHED[failed.outcome]


def _redis(failed: Failed) -> tuple[str, float]:
    slow = {"timeout": SYN, "no_answer": RESOLVE}
    return f"Failed to connect to Redis: {REDIS[failed.outcome]}", slow.get(failed.outcome, 0.5)


CLIENTS = {
    "thrift": Client(
        "thrift",
        _thrift,
        protocol="thrift",
        hung_up="No more data to read.",
        unknown="Invalid method name: '{name}'",
        complaints=_sockets,
        own_words=True,
    ),
    "mongo": Client("mongoc", _mongoc, protocol="mongo", hung_up="Failed to read 4 bytes: socket error or timeout"),
    "memcached": Client(
        "libmemcached",
        _memcached,
        protocol="memcached",
        timeout=POLL,
        late="A TIMEOUT OCCURRED",
        hung_up="SERVER HAS FAILED AND IS DISABLED UNTIL TIMED RETRY",
    ),
    "redis": Client("redis-plus-plus", _redis, protocol="redis", hung_up="Server closed the connection"),
}
