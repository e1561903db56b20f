"""Libraries of scripts in nginx: Thrift over the server's own sockets, lua-resty-memcached, lua-resty-mongol.

A failed connection ends the script, and nginx itself says why; its client gets nginx's page of a failure.
"""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.client import Client, Failed, Line
from aiops_gym.sim.traffic.queueing import PATIENCE

THREAD = "lua entry thread aborted: runtime error: unknown reason"
READ = "lua tcp socket read timed out"
CLOSED = "Default (unknown)"


def _told(failed: Failed) -> str:
    where = f"{failed.address or failed.host}:{failed.port}"
    return {
        "refused": "connect() failed (111: Connection refused)",
        "timeout": f"lua tcp socket connect timed out, when connecting to {where}",
        "no_host": f"{failed.host} could not be resolved (3: Host not found)",
        "no_answer": f"{failed.host} could not be resolved (110: Operation timed out)",
    }.get(failed.outcome, "lua tcp socket read: connection reset by peer")


def _connect(failed: Failed) -> tuple[str, float]:
    """The words of a socket's `connect`; an outcome of nginx's own, not of the script."""
    return _told(failed), PATIENCE if failed.outcome in ("timeout", "no_answer") else 1.0


def _aborted(failed: Failed) -> list[Line]:
    told = [] if failed.outcome in ("no_host", "no_answer") else [["", _told(failed), "error"]]
    return [*told, ["", THREAD, "error"]]


CLIENTS = {
    "thrift": Client(
        "lua-thrift",
        _connect,
        protocol="thrift",
        late=READ,
        hung_up=CLOSED,
        unknown="Invalid method name: '{name}'",
        complaints=_aborted,
        own_words=True,
    ),
    "memcached": Client(
        "lua-resty-memcached",
        _connect,
        protocol="memcached",
        late="timeout",
        hung_up="closed",
    ),
    "mongo": Client("lua-resty-mongol", _connect, protocol="mongo", late="timeout", hung_up="closed"),
}
