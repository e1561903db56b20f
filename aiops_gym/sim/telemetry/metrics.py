"""What Prometheus has of the containers: cAdvisor's counters and gauges, scraped once a minute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim import draws
from aiops_gym.sim.telemetry.lives import PACKET, Course, Life, course, lives, whole_pod
from aiops_gym.sim.traffic import quotas
from aiops_gym.sim.world import World
from aiops_gym.types import Sample

Json = Any
Floats = NDArray[np.float64]

SCRAPE = 60_000
"""Milliseconds between two scrapes of a node."""

STEP = 15_000
"""Milliseconds between two points of an answer; each repeats the last scrape."""

USER_SHARE = 0.72
"""Part of the CPU time that is spent outside the kernel."""

WARM_UP = 20_000.0
"""Milliseconds in which a new process' memory approaches its level."""

Measure = Callable[[Life, Course, Floats], Floats]


def _counter(column: str, factor: float = 1.0) -> Measure:
    return lambda life, course, times: course.total(column, times) * factor


def _memory(factor: float, base: float = 0.0) -> Measure:
    def measure(life: Life, course: Course, times: Floats) -> Floats:
        grown = 1.0 - 0.4 * np.exp(-(times - life.started) / WARM_UP)
        found: Floats = np.floor((course.level("memory", times) * factor * grown + base) / 4096.0) * 4096.0
        return found

    return measure


def _constant(value: float) -> Measure:
    return lambda life, course, times: np.full(len(times), value)


def _packets(column: str) -> Measure:
    return lambda life, course, times: np.floor(course.total(column, times) / PACKET * 2.0)


MIB = 2.0**20

MEASURES: Mapping[str, Measure] = {
    "container_cpu_usage_seconds_total": _counter("cpu"),
    "container_cpu_user_seconds_total": _counter("cpu", USER_SHARE),
    "container_cpu_system_seconds_total": _counter("cpu", 1.0 - USER_SHARE),
    "container_cpu_cfs_throttled_seconds_total": _counter("throttled", 0.06),
    "container_cpu_cfs_throttled_periods_total": lambda life, course, times: np.floor(course.total("throttled", times)),
    "container_cpu_cfs_periods_total": lambda life, course, times: np.floor(course.total("periods", times)),
    "container_cpu_load_average_10s": _constant(0.0),  # cAdvisor's load reader is off by default
    "container_memory_cache": _memory(0.18, 0.5 * MIB),
    "container_memory_usage_bytes": _memory(1.06, 0.5 * MIB),
    "container_memory_working_set_bytes": _memory(1.0),
    "container_memory_rss": _memory(0.86),
    "container_memory_mapped_file": _memory(0.07),
    "container_spec_cpu_period": _constant(100_000.0),
    "container_spec_cpu_quota": _constant(0.0),  # these three are the container's own, see `_values`
    "container_spec_cpu_shares": _constant(0.0),
    "container_spec_memory_limit_bytes": _constant(0.0),
    "container_threads": lambda life, course, times: np.floor(course.level("threads", times)),
    "container_threads_max": _constant(0.0),  # no limit
    "container_network_receive_errors_total": _constant(0.0),
    "container_network_receive_packets_dropped_total": _constant(0.0),
    "container_network_receive_packets_total": _packets("received"),
    "container_network_receive_bytes_total": lambda life, course, times: np.floor(course.total("received", times)),
    "container_network_transmit_bytes_total": lambda life, course, times: np.floor(course.total("sent", times)),
    "container_network_transmit_errors_total": _constant(0.0),
    "container_network_transmit_packets_dropped_total": lambda life, course, times: np.floor(
        course.total("dropped", times)
    ),
    "container_network_transmit_packets_total": _packets("sent"),
}

NAMES: tuple[str, ...] = tuple(MEASURES)
"""All metrics that AIOpsLab asks for, in its order."""


def series(world: World, name: str, namespace: str, start_ms: int, end_ms: int, step: int = STEP) -> list[Sample]:
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
    if name not in MEASURES:
        return []
    end_ms = min(end_ms, world.now)
    points = np.arange(start_ms, end_ms + 1, step, dtype=np.int64)
    found: list[Sample] = []
    network = "_network_" in name
    everyone = lives(world, namespace)
    for life in everyone:
        offset = draws.pick(SCRAPE, world.seed, "scrape", life.node)
        scrapes = (points - offset) // SCRAPE * SCRAPE + offset
        alive = (scrapes >= life.started) & ((scrapes < life.ended) if life.ended else True)
        if not alive.any():
            continue
        measured = whole_pod(world, life, everyone) if network else life
        values = _values(world, name, measured, scrapes[alive].astype(np.float64), end_ms)
        if values is not None:
            label = "eth0" if network else ""
            title = f"{life.node}.{life.pod}"
            times = (points[alive] // 1000).tolist()
            found += [Sample(t, title, label, v) for t, v in zip(times, values.tolist(), strict=True)]
    found.sort(key=lambda sample: sample[:2])
    return found


def _values(world: World, name: str, life: Life, times: Floats, end: int) -> Floats | None:
    """The metric of one process at the times of its scrapes; None where cAdvisor has no such series."""
    quota = quotas.of(world, life.key)
    if quota.cpu is None and ("_cfs_" in name or name == "container_spec_cpu_quota"):
        return None
    if name.startswith("container_spec_"):
        spec = {
            "container_spec_cpu_period": 100_000.0,
            "container_spec_cpu_quota": (quota.cpu or 0.0) * 100_000.0,
            "container_spec_cpu_shares": max(2.0, float(int(quota.request * 1024))),
            "container_spec_memory_limit_bytes": quota.memory,
        }
        return np.full(len(times), spec[name])
    values = MEASURES[name](life, course(world, life, end), times)
    if name.startswith("container_memory_"):
        numbers = ((times - life.started) // SCRAPE).astype(np.int64).tolist()
        wobble = [draws.between(0.99, 1.01, world.seed, "memory", life.id, n) for n in numbers]
        values = np.floor(values * np.array(wobble) / 4096.0) * 4096.0
    return values
