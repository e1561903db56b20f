"""Libraries of .NET services: StackExchange.Redis, Npgsql."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.client import Failed
from aiops_gym.sim.traffic.clients.instrumented import say, store

REDIS = (
    "StackExchange.Redis.RedisConnectionException: The message timed out in the backlog attempting to send because no "
    "connection became available (5000ms) - Last Connection Exception: {why}"
)
LINK = {
    "refused": "It was not possible to connect to the redis server(s) {host}:{port}/Interactive. ConnectionRefused",
    "timeout": "It was not possible to connect to the redis server(s) {host}:{port}/Interactive. ConnectTimeout",
    "no_host": "It was not possible to connect to the redis server(s). UnableToConnect on {host}:{port}/Interactive",
}
NPGSQL = {
    "refused": "Npgsql.NpgsqlException (0x80004005): Failed to connect to {address}:{port}",
    "no_host": "System.Net.Sockets.SocketException (00000001, 11): Name or service not known",
    "no_answer": "System.Net.Sockets.SocketException (00000001, 11): Resource temporarily unavailable",
}
CLOSED = "Npgsql.NpgsqlException (0x80004005): Exception while reading from stream"
STATES = {
    "remaining connection slots": "53300",
    "password authentication": "28P01",
    "no pg_hba.conf entry": "28000",
    "cannot execute": "25006",
    "canceling statement": "57014",
}
"""The SQLSTATE of what PostgreSQL says, by how that begins (its src/backend/utils/errcodes.txt)."""


def _denied(told: str, failed: Failed) -> str:
    words = told.removeprefix("pq: ")
    state = next((state for begin, state in STATES.items() if words.startswith(begin)), "XX000")
    return f"Npgsql.PostgresException (0x80004005): {state}: {words}"


CLIENTS = {
    "redis": store("stackexchange", say(LINK, REDIS, 5_000.0, 5_000.0), "redis", "SocketClosed on Interactive"),
    "postgres": store("npgsql", say(NPGSQL), "postgres", CLOSED)._replace(denied=_denied),
}
