"""How patient a gRPC client is, as its environment says: without these variables it makes one attempt and waits.

`GRPC_CLIENT_RETRIES` further attempts of a call that failed, each of which may take `GRPC_CLIENT_TIMEOUT` (a duration
of Go's), `GRPC_RETRY_BACKOFF` later; `GRPC_RETRY_BUDGET` is how many of them it may make for each call on average.
A connection that it has not within `GRPC_CONNECT_TIMEOUT` is given up, and made anew for the next call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aiops_gym.sim.traffic.queueing import PATIENCE
from aiops_gym.types import Json

UNITS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "m": 60_000.0}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s|m)", re.ASCII)
HANDSHAKE, RECONNECT = 12.0, 5_000.0
"""What a connection costs the one who accepts it, in calls, and ms until all callers have asked for theirs."""

MOST = 100
"""Attempts that a client makes at most."""


def read_retry(env: Mapping[str, str]) -> dict[str, Json] | None:
    """The `retry` of `sim.traffic.configuration`; None where the environment says nothing that can be read.

    >>> read_retry({"GRPC_CLIENT_RETRIES": "4", "GRPC_CLIENT_TIMEOUT": "0.3s", "GRPC_RETRY_BUDGET": "0.1"})
    {'attempts': 5, 'timeout': 300.0, 'backoff': 0.0, 'budget': 0.1}
    >>> read_retry({"PATH": "/bin"})
    """
    retries, timeout = _number(env.get("GRPC_CLIENT_RETRIES")), _duration(env.get("GRPC_CLIENT_TIMEOUT"))
    if retries is None and timeout is None:
        return None
    return {
        "attempts": 1 + min(MOST, int(retries or 0)),
        "timeout": min(PATIENCE, timeout) if timeout else PATIENCE,
        "backoff": _duration(env.get("GRPC_RETRY_BACKOFF")) or 0.0,
        "budget": _number(env.get("GRPC_RETRY_BUDGET")),
    }


def read_connect(env: Mapping[str, str]) -> dict[str, Json] | None:
    """The `connect` of `sim.traffic.configuration`; None where it waits as long as users do.

    >>> read_connect({"GRPC_CONNECT_TIMEOUT": "1s"})
    {'each': 12.0, 'within': 1000.0, 'tau': 5000.0}
    """
    within = _duration(env.get("GRPC_CONNECT_TIMEOUT"))
    return {"each": HANDSHAKE, "within": within, "tau": RECONNECT} if within and within < PATIENCE else None


def _number(text: str | None) -> float | None:
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text or "", re.ASCII) and text else None


def _duration(text: str | None) -> float | None:
    """Milliseconds.

    >>> _duration("1m30s"), _duration("soon")
    (90000.0, None)
    """
    parts = DURATION.findall(text or "")
    if not parts or "".join(map("".join, parts)) != text:
        return None
    return sum(float(amount) * UNITS[unit] for amount, unit in parts)
