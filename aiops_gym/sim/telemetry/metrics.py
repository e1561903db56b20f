"""What Prometheus has of the containers: cAdvisor's counters and gauges, scraped once a minute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat

import numpy as np

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry.courses import PACKET, Floats
from aiops_gym.sim.telemetry.scrapes import Scraped, collect_scrapes
from aiops_gym.types import Sample

STEP = 15_000
"""Milliseconds between two points of an answer; each repeats the last scrape."""

USER_SHARE = 0.72
"""Part of the CPU time that is spent outside the kernel."""

WARM_UP = 20_000.0
"""Milliseconds in which a new process' memory approaches its level."""

PAGE = 4_096.0
"""Bytes in which memory is counted."""

MIB = 2.0**20

Measure = Callable[[Scraped], Floats]


def _counter(column: str, factor: float = 1.0) -> Measure:
    return lambda scraped: scraped.used(column) * factor


def _whole(column: str) -> Measure:
    return lambda scraped: np.floor(scraped.used(column))


def _packets(column: str) -> Measure:
    return lambda scraped: np.floor(scraped.used(column) / PACKET * 2.0)


def _memory(factor: float, base: float = 0.0) -> Measure:
    def measure(scraped: Scraped) -> Floats:
        grown = 1.0 - 0.4 * np.exp(-(scraped.times - scraped.started) / WARM_UP)
        level: Floats = np.floor((scraped.memory * factor * grown + base) / PAGE) * PAGE
        found: Floats = np.floor(level * scraped.wobble() / PAGE) * PAGE
        return found

    return measure


def _constant(value: float) -> Measure:
    return lambda scraped: np.full(len(scraped.times), value)


MEASURES: Mapping[str, Measure] = {
    "container_cpu_usage_seconds_total": _counter("cpu"),
    "container_cpu_user_seconds_total": _counter("cpu", USER_SHARE),
    "container_cpu_system_seconds_total": _counter("cpu", 1.0 - USER_SHARE),
    "container_cpu_cfs_throttled_seconds_total": _counter("throttled", 0.06),
    "container_cpu_cfs_throttled_periods_total": _whole("throttled"),
    "container_cpu_cfs_periods_total": _whole("periods"),
    "container_cpu_load_average_10s": _constant(0.0),  # cAdvisor's load reader is off by default
    "container_memory_cache": _memory(0.18, 0.5 * MIB),
    "container_memory_usage_bytes": _memory(1.06, 0.5 * MIB),
    "container_memory_working_set_bytes": _memory(1.0),
    "container_memory_rss": _memory(0.86),
    "container_memory_mapped_file": _memory(0.07),
    "container_spec_cpu_period": _constant(100_000.0),
    "container_spec_cpu_quota": lambda scraped: scraped.quotas[:, 0] * 100_000.0,
    "container_spec_cpu_shares": lambda scraped: np.maximum(2.0, np.trunc(scraped.quotas[:, 1] * 1024)),
    "container_spec_memory_limit_bytes": lambda scraped: scraped.quotas[:, 2],
    "container_threads": lambda scraped: np.floor(scraped.threads),
    "container_threads_max": _constant(0.0),  # no limit
    "container_network_receive_errors_total": _constant(0.0),
    "container_network_receive_packets_dropped_total": _constant(0.0),
    "container_network_receive_packets_total": _packets("received"),
    "container_network_receive_bytes_total": _whole("received"),
    "container_network_transmit_bytes_total": _whole("sent"),
    "container_network_transmit_errors_total": _constant(0.0),
    "container_network_transmit_packets_dropped_total": _whole("dropped"),
    "container_network_transmit_packets_total": _packets("sent"),
}

NAMES: tuple[str, ...] = tuple(MEASURES)
"""All metrics that AIOpsLab asks for, in its order."""


def query_range(world: World, name: str, namespace: str, start_ms: int, end_ms: int, step: int = STEP) -> list[Sample]:
    """One metric of all pods of a namespace, as a range query answers.

    Args:
        world: where.
        name: one of `NAMES`; anything else has no samples.
        namespace: of the pods.
        start_ms, end_ms: Unix milliseconds, both included; what lies in the future is left out.
        step: milliseconds between two points.

    Returns:
        Samples sorted by time, then series; counters start anew with each process (those of the network with each pod).
    """
    found = collect_scrapes(world, namespace, start_ms, min(end_ms, world.now), step) if name in MEASURES else None
    if found is None:
        return []
    network = "_network_" in name
    # cAdvisor has no such series of what has no limit.
    points = found.limited if "_cfs_" in name or name == "container_spec_cpu_quota" else found.points
    values = MEASURES[name](found.pods if network else found.own)[points.rows].tolist()
    label = "eth0" if network else ""
    return list(map(_sample, zip(points.times, points.series, repeat(label), values, strict=False)))


_sample = Sample._make
