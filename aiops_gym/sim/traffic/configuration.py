"""What a running program has read of its configuration that requests depend on.

A program keeps it as `configured` in its state, in which it is never changed, only replaced: `addresses` ([host, port]
of whom it calls, by the names that its calls have in `to`), `starved` (milliseconds that it waits in vain for a
connection to those of them for which its pool holds none), `tracer` (`host:port`), `sample` (share of the traces that
it keeps), `name` (its own in traces), `tls` (a mode of a server, or whether a client speaks it), `paths` (those of HTTP
handlers that it serves; without this all of them), `local` (ports that only its own pod reaches), `auth` (whether it
asks its clients for a password), `retry` (how it tries again: `attempts` of each call at most, `timeout` and `backoff`
in ms, `budget`: further attempts for each call that it may spend, None for any number), `connect` (for how long it
waits for a connection, as `cold` of `sim.traffic.strain`), `flags` (values of feature flags, see `flags.py`), `logins`
({user, password} by the names in `to`), `leak` (see `leaks.py`), `consumes` ({host, port, topic, group, handler}:
messages that a broker hands on to it, unless it is `idle` beside another one of its group, or has `left`),
`offers` (flags that it tells whoever asks, of the `variants`), `unready` (whether health checks fail).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.types import Json

SAMPLE_RATIO = 0.01
"""Share of traces that the services' tracing library keeps where the environment does not say."""

_NUMBER = re.compile(r"\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

NOTHING: Mapping[str, Json] = {}


def configured(process: Mapping[str, Json]) -> Mapping[str, Json]:
    """What a process has read of its configuration; empty for programs that have it compiled in."""
    found: Mapping[str, Json] = process["state"].get("configured") or NOTHING
    return found


def read_sample_ratio(process: Mapping[str, Json]) -> float:
    """Share of its traces that a program keeps, by its configuration or its environment.

    In the latter what is no number counts as none, as the services have it (`tracing/tracing.go`).
    """
    share = configured(process).get("sample")
    if share is not None:
        return float(share)
    text = process["env"].get("JAEGER_SAMPLE_RATIO")
    return SAMPLE_RATIO if text is None else min(1.0, float(text)) if _NUMBER.fullmatch(text) else 0.0


def find_endpoint(process: Mapping[str, Json], call: Mapping[str, Json]) -> tuple[str, int]:
    """Host and port that a call goes to: its own, or those that the program's configuration has for its `to`."""
    if "to" not in call:
        return str(call["host"]), int(call["port"])
    host, port = configured(process).get("addresses", {}).get(call["to"], ("", 0))
    return str(host), int(port)


def measure_starvation(process: Mapping[str, Json], call: Mapping[str, Json]) -> float:
    """Milliseconds that a call waits in vain for a connection of its pool; 0 where the pool may hold some."""
    return float(configured(process).get("starved", {}).get(call.get("to"), 0.0))


def read_address(process: Mapping[str, Json], name: str) -> tuple[str, int]:
    """The address of the registry or tracer that a program was given, `registry` or `tracer`; ("", 0) without one."""
    params = process["params"]
    for place in (configured(process), params, params.get("config") or {}, *params.get("startup", ())):
        text = (
            str(place.get(name) or "") if isinstance(place, dict | Mapping) else ""
        )  # the check of a dict costs nothing
        if text:
            host, _, port = text.rpartition(":")
            return (host, int(port)) if is_natural(port) else ("", 0)
    return "", 0
