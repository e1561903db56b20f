"""The load balancer in front of the cluster: what users asked for and how it ended, a backend an operation.

It is HAProxy with its own exporter, as the container `kind-external-load-balancer` of kind; names as in its
https://docs.haproxy.org/2.6/management.html, "PROMEX".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import Column, Family, Kind, Scrape, constant
from aiops_gym.sim.traffic import timeline

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


def _expect(scrape: Scrape, ticks: NDArray[np.int64]) -> dict[str, tuple[Floats, ...]]:
    """By operation, for each minute: requests that end well, those that do not, and ms of those that do, together."""
    intervals = timeline.list_intervals(scrape.world, int(ticks[0]) - MINUTE, int(ticks[-1]))
    starts, ends = np.array([each[:2] for each in intervals], np.int64).reshape(-1, 2).T
    firsts = np.searchsorted(ticks, starts)
    many = np.searchsorted(ticks, ends + MINUTE) - firsts  # minutes that an interval meets
    which = np.repeat(np.arange(len(intervals)), many)
    at = np.arange(len(which)) + np.repeat(firsts - np.cumsum(many) + many, many)
    seconds = (np.minimum(ticks[at], ends[which]) - np.maximum(ticks[at] - MINUTE, starts[which])) / 1000.0
    found = {}
    for operation in scrape.world.blueprint.operations:
        held = np.array([_describe(each, operation.name) for each in intervals]).reshape(-1, 3)
        rate, success, latency = held[which].T
        good, bad = seconds * rate * success, seconds * rate * (1.0 - success)
        parts = (good, bad, good * latency)
        found[operation.name] = tuple(np.asarray(np.bincount(at, part, len(ticks)), np.float64) for part in parts)
    return found


def _describe(interval: timeline.Interval, name: str) -> tuple[float, float, float]:
    """How often an operation is asked for in a second, the share that ends well, and the ms that those take."""
    outcome = interval.outcome
    rate = outcome["rate"] * outcome["weights"].get(name, 0.0)
    return rate, outcome["success"][name], outcome["latency"].get(name, 0.0)


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
    keys = np.array([draws.bits(seed, f"haproxy/{purpose}", counter=part) for part in range(3)], np.uint64)
    shares = 2.0 * draws.grid(keys, ticks // MINUTE).sum(axis=0) - 3.0
    found = np.floor(expected + shares * np.sqrt(expected) + 0.5)
    return np.where(expected > 0, np.maximum(found, 0.0), 0.0)


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
