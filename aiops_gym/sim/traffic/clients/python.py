"""Libraries of Python services: grpcio, the OpenAI client over httpx, psycopg2."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.client import Failed
from aiops_gym.sim.traffic.clients.instrumented import call, say, store

CHANNEL = {
    "refused": "ipv4:{address}:{port}: Failed to connect to remote host: connect: Connection refused (111)",
    "timeout": "ipv4:{address}:{port}: Failed to connect to remote host: Timeout occurred: FD Shutdown",
    "no_host": "DNS resolution failed for {host}:{port}: C-ares status is not ARES_SUCCESS qtype=A name={host}",
    "no_answer": "DNS resolution failed for {host}:{port}: C-ares status is not ARES_SUCCESS qtype=A name={host}",
}
STATUS = '<_InactiveRpcError of RPC that terminated with: status = StatusCode.{upper} details = "{message}">'
DATABASE = {
    "refused": 'connection to server at "{host}" ({address}), port {port} failed: Connection refused',
    "timeout": 'connection to server at "{host}" ({address}), port {port} failed: Connection timed out',
    "no_host": 'could not translate host name "{host}" to address: Name or service not known',
    "no_answer": 'could not translate host name "{host}" to address: Temporary failure in name resolution',
}
AT_THE_DOOR = ("remaining connection slots", "password authentication", "no pg_hba.conf")
"""Beginnings of what PostgreSQL says to those whom it does not let in; all else is about a statement."""


def _denied(told: str, failed: Failed) -> str:
    words = told.removeprefix("pq: ")
    if not words.startswith(AT_THE_DOOR):
        return words
    where = f'connection to server at "{failed.host}" ({failed.address or failed.host}), port {failed.port}'
    return f"{where} failed: FATAL:  {words}"


UNREACHED = STATUS.replace("{upper}", "UNAVAILABLE").replace("{message}", "{why}")

CLIENTS = {
    "grpc": call("grpcio", say(CHANNEL, UNREACHED), STATUS),
    "http": call("httpx", say({"refused": "Connection error."})),
    "postgres": store("psycopg2", say(DATABASE), "postgres", "server closed the connection unexpectedly")._replace(
        denied=_denied
    ),
}
