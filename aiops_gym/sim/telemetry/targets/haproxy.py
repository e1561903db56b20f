"""The load balancer in front of the cluster: what users asked for and how it ended, a backend an operation.

It is HAProxy with its own exporter, as the container `kind-external-load-balancer` of kind; names as in its
https://docs.haproxy.org/2.6/management.html, "PROMEX".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import Column, Family, Kind, Scrape, constant
from aiops_gym.sim.traffic import timeline

_drawn: Cache[Floats] = Cache(
    Entry(
        f"{__name__}.drawn",
        "counting a backend's answers again for each metric of it and each rule",
        key="seed, backend and class of answers, the first minute, and what was to be expected in each",
        bound=200,
    )
)

CODES = ("1xx", "2xx", "3xx", "4xx", "5xx", "other")
GOOD, BAD = CODES.index("2xx"), CODES.index("5xx")


class Traffic(NamedTuple):
    """What went through a backend until each scrape.

    Attributes:
        proxy: name of the backend.
        ended: answers by class of code, a column each.
        denied: those of them that the load balancer gave itself, to clients that ask too often.
        seconds: mean time of an answer in the minute before.
    """

    proxy: str
    ended: Floats
    denied: Floats
    seconds: Floats


def measure(scrape: Scrape) -> list[Traffic]:
    """All backends. Counts are drawn minute by minute around what was to be expected, whatever is asked for."""
    world = scrape.world
    if not len(scrape.times):
        return []
    last = int(scrape.times[-1])
    first = last - (last - world.blueprint.start) // MINUTE * MINUTE
    ticks = np.arange(first, last + 1, MINUTE, dtype=np.int64)
    rows = np.searchsorted(ticks, scrape.times, side="right") - 1
    expected = _expect(scrape, ticks)
    found = []
    for name, (good, bad, ms) in expected.items():
        denied = (good + bad) * _greed(world.table("clients").get(name), ticks)
        found.append(_traffic(scrape, name, ticks, rows, good, bad, denied, ms))
    return found


def _greed(client: Mapping[str, float] | None, ticks: NDArray[np.int64]) -> Floats:
    """How many requests of a client are refused for each one that is let through, in the minute before each tick."""
    if client is None:
        return np.zeros(len(ticks))
    asks = (ticks - int(client["phase"])) % int(client["every"]) < client["lasts"]
    return np.where(asks, client["share"] / (1.0 - client["share"]), 0.0)


def _expect(scrape: Scrape, ticks: NDArray[np.int64]) -> dict[str, tuple[Floats, Floats, Floats]]:
    """By operation, for each minute: requests that end well, those that do not, and ms of those that do, together."""
    world, many = scrape.world, len(ticks)
    names = [operation.name for operation in world.blueprint.operations]
    found = {name: (np.zeros(many), np.zeros(many), np.zeros(many)) for name in names}
    for interval in timeline.list_intervals(world, int(ticks[0]) - MINUTE, int(ticks[-1])):
        low, high = np.maximum(ticks - MINUTE, interval.start), np.minimum(ticks, interval.end)
        seconds = np.maximum(high - low, 0) / 1000.0
        outcome = interval.outcome
        for name in names:
            asked = seconds * outcome["rate"] * outcome["weights"].get(name, 0.0)
            good = asked * outcome["success"][name]
            found[name][0][:] += good
            found[name][1][:] += asked - good
            found[name][2][:] += good * outcome["latency"].get(name, 0.0)
    return found


def _traffic(
    scrape: Scrape,
    name: str,
    ticks: NDArray[np.int64],
    rows: NDArray[np.intp],
    good: Floats,
    bad: Floats,
    denied: Floats,
    ms: Floats,
) -> Traffic:
    world, ended = scrape.world, np.zeros((len(ticks), len(CODES)))
    for code, expected in ((GOOD, good), (BAD, bad)):
        ended[:, code] = np.cumsum(_draw(world.seed, f"{name}/{CODES[code]}", ticks, expected))
    refused = np.cumsum(_draw(world.seed, f"{name}/denied", ticks, denied))
    ended[:, BAD] += refused
    seconds = np.divide(ms, good, out=np.zeros(len(ticks)), where=good > 0) / 1000.0
    proxy = f"{world.blueprint.namespace}_{name.replace(' ', '-')}"
    return Traffic(proxy, ended[rows], refused[rows], np.round(seconds[rows], 3))


def _draw(seed: int, purpose: str, ticks: NDArray[np.int64], expected: Floats) -> Floats:
    """Whole numbers around what is expected, as wide as counts of independent events are; what cannot be stays 0."""
    key = (seed, purpose, int(ticks[0]), expected.tobytes())
    return _drawn.get(key, lambda: _draw_anew(seed, purpose, ticks, expected))


def _draw_anew(seed: int, purpose: str, ticks: NDArray[np.int64], expected: Floats) -> Floats:
    found = np.zeros(len(ticks))
    for at in np.flatnonzero(expected > 0).tolist():
        mean, tick = float(expected[at]), int(ticks[at]) // MINUTE
        share = sum(draws.between(-1.0, 1.0, seed, f"haproxy/{purpose}", str(tick), part) for part in range(3))
        found[at] = max(0.0, float(np.floor(mean + share * mean**0.5 + 0.5)))
    return found


def _responses(scrape: Scrape) -> Iterable[Column]:
    for traffic in measure(scrape):
        for column, code in enumerate(CODES):
            yield {"proxy": traffic.proxy, "code": code}, traffic.ended[:, column]


def _requests(scrape: Scrape) -> Iterable[Column]:
    for traffic in measure(scrape):
        yield {"proxy": traffic.proxy}, traffic.ended.sum(axis=1)


def _denied(scrape: Scrape) -> Iterable[Column]:
    for traffic in measure(scrape):
        yield {"proxy": traffic.proxy}, traffic.denied


def _seconds(scrape: Scrape) -> Iterable[Column]:
    for traffic in measure(scrape):
        yield {"proxy": traffic.proxy}, traffic.seconds


def _each(value: float) -> Family:
    return Family(
        "haproxy_backend_active_servers",
        "gauge",
        "Servers of the backend that are used",
        lambda scrape: [({"proxy": traffic.proxy}, scrape.constant(value)) for traffic in measure(scrape)],
    )


kind = Kind(
    (
        _each(1.0),
        Family("haproxy_backend_http_requests_total", "counter", "Requests", _requests),
        Family("haproxy_backend_http_responses_total", "counter", "Answers by class of their code", _responses),
        Family("haproxy_backend_requests_denied_total", "counter", "Requests refused, as of clients that ask too often",
               _denied),
        Family("haproxy_backend_response_time_average_seconds", "gauge", "Mean time of an answer", _seconds),
        constant("haproxy_process_build_info", "Version of HAProxy", version="2.6.14"),
        Family("haproxy_process_start_time_seconds", "gauge", "When it began",
               lambda scrape: [({}, scrape.constant(scrape.started // 1000))]),
    ),
    seconds=0.002,
)  # fmt: skip
