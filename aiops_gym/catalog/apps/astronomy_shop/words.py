"""How the services' files say things: variables, calls, lines. Spans are named as OpenTelemetry's libraries do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiops_gym.catalog.apps.astronomy_shop.database import PRODUCTS
from aiops_gym.types import Json

MIB = 1 << 20
RPC = "oteldemo"
FLAGD = (("FLAGD_HOST", "flagd"), ("FLAGD_PORT", "8013"))
GRPC = (("OTEL_EXPORTER_OTLP_ENDPOINT", "http://$(OTEL_COLLECTOR_NAME):4317"),)
HTTP = (("OTEL_EXPORTER_OTLP_ENDPOINT", "http://$(OTEL_COLLECTOR_NAME):4318"),)
CONSUMED = "orders"
"""The topic of placed orders."""

QUANTITIES = (1, 2, 3, 4, 5, 10)
"""How many of a product the load generator puts into a cart."""

TRUNCATED = (
    "While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either "
    "that the input has been truncated or that an embedded message misreported its own length."
)
"""What the libraries of Protocol Buffers say of a message that is too short."""


def one_of(*words: object) -> str:
    """A place in a line for one of several words, which each request draws."""
    return f"{{one of:{'|'.join(map(str, words))}}}"


def rpc(service: str, method: str) -> str:
    """The name of a handler of gRPC."""
    return f"/{RPC}.{service}/{method}"


def serve(service: str, method: str, ms: float, *calls: Json, **more: Any) -> dict[str, Json]:
    """A handler of gRPC with its span."""
    return {rpc(service, method): {"span": f"{RPC}.{service}/{method}", "ms": ms, "calls": list(calls), **more}}


def answer(handler: str, ms: float, *calls: Json, **more: Any) -> dict[str, Json]:
    """A handler of HTTP, `GET /api/cart`, with its span."""
    return {handler: {"span": handler, "ms": ms, "calls": list(calls), **more}}


def ask(to: str, service: str, method: str, **more: Any) -> Json:
    """A call by gRPC."""
    span = f"{RPC}.{service}/{method}".partition("#")[0]
    return {"kind": "grpc", "to": to, "handler": rpc(service, method), "span": span, **more}


def post(to: str, path: str, **more: Any) -> Json:
    """A POST by HTTP."""
    return {"kind": "http", "to": to, "handler": f"POST {path}", "span": "POST", **more}


def query(to: str, span: str, ms: float, **more: Any) -> Json:
    """A statement for PostgreSQL."""
    return {"kind": "postgres", "to": to, "span": span, "ms": ms, **more}


def redis(span: str, ms: float = 0.2, **more: Any) -> Json:
    """A command for a cache."""
    return {"kind": "redis", "to": "valkey-cart", "span": span, "ms": ms, **more}


def fail(text: str, when: str, p: Json = 1.0, **more: Any) -> Json:
    """Trouble of a handler's own while a flag is on, in a share of its requests."""
    return {"kind": "own", "fails": text, "when": {when: True}, "p": p, **more}


PRODUCT, QUANTITY = one_of(*PRODUCTS), one_of(*QUANTITIES)
"""What the load generator asks for."""


def dotnet(category: str, message: str, level: str = "info") -> Sequence[Sequence[str]]:
    """A line of .NET's console logger, which is two."""
    return [["", f"{level}: {category}[0]", "info"], ["", f"      {message}", "info"]]
