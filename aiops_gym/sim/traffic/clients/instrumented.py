"""Clients whose calls an OpenTelemetry agent or library traces; the languages differ in what they say.

A gRPC server sends a status and a message, `Internal: no such product`, and each client library tells it in a form of
its own. No call has a deadline of its own, as in the services that these stand for: users go before they do.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.traffic.clients.client import Client, Failed, Words
from aiops_gym.sim.traffic.queueing import PATIENCE

SILENT = ("timeout", "no_answer")
"""Outcomes of which a client hears nothing for long."""

UNKNOWN = "Unimplemented: unknown service {service}"


def say(texts: Mapping[str, str], form: str = "{why}", after: float = 1.0, silence: float = PATIENCE) -> Words:
    """Words for failed connections.

    Args:
        texts: by outcome; `{host}`, `{port}` and `{address}` are filled in, and what is missing is `refused`.
        form: what stands around them.
        after: milliseconds until it says so, where it hears something, and
        silence: where it hears nothing.
    """

    def words(failed: Failed) -> tuple[str, float]:
        told = form.replace("{why}", texts.get(failed.outcome, texts["refused"]))
        for key, value in (("host", failed.host), ("port", failed.port), ("address", failed.address or failed.host)):
            told = told.replace(f"{{{key}}}", str(value))
        return told, silence if failed.outcome in SILENT else after

    return words


def call(name: str, words: Words, wraps: str = "") -> Client:
    """A client of HTTP, or with `wraps` of gRPC."""
    return Client(name, words, side="otel-client", wraps=wraps, unknown=UNKNOWN)


def store(name: str, words: Words, protocol: str, hung_up: str) -> Client:
    """A client of a database, cache or broker."""
    return Client(name, words, side="otel-client", protocol=protocol, hung_up=hung_up)
