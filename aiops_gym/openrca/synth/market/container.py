"""metric_container.csv: what cAdvisor measures of each container. Counters are differences per minute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from aiops_gym.openrca.synth.market import chunks
from aiops_gym.openrca.synth.market.topology import ALL_PODS, STORE, node_of, service_of
from aiops_gym.openrca.synth.model import Block, Day, Kpi, Series
from aiops_gym.openrca.synth.series import Grid, make_grids

SLOT = "container"
MEMORY_LIMIT = 256
"""MB that a container may use."""

CPU = "container_cpu_"
DISK = "./dev/vda"
PARTITION = "./dev/vda1"
FAILURES = "container_memory_failures."


def _steady(name: str, value: float, *, decisive: bool = False) -> Kpi:
    return Kpi(name=name, base=value, spread=0.0, decisive=decisive)


KPIS = (
    Kpi(name=f"{CPU}cfs_periods", base=(70, 140), spread=0.15, daily=0.6, high=620, decimals=3, decisive=True),
    Kpi(
        name=f"{CPU}cfs_throttled_periods",
        base=(0.3, 6),
        spread=0.7,
        daily=0.8,
        high=600,
        decimals=6,
        bursts=0.6,
        burst=14,
        decisive=True,
    ),
    Kpi(
        name=f"{CPU}cfs_throttled_seconds",
        base=(0.2, 6),
        spread=0.8,
        daily=0.8,
        decimals=6,
        bursts=0.6,
        burst=9,
        decisive=True,
    ),
    _steady(f"{CPU}load_average_10s", 0),
    Kpi(name=f"{CPU}system_seconds", base=(0.02, 0.2), daily=0.9, decimals=6),
    Kpi(
        name=f"{CPU}usage_seconds",
        base=(0.06, 0.6),
        spread=0.12,
        daily=0.9,
        decimals=6,
        bursts=0.3,
        burst=4,
        decisive=True,
    ),
    Kpi(name=f"{CPU}user_seconds", base=(0.04, 0.4), spread=0.12, daily=0.9, decimals=6),
    Kpi(name="container_file_descriptors", base=(20, 90), spread=0.03, daily=0.2, decimals=0),
    _steady(f"container_fs_inodes{PARTITION}", 60),
    _steady(f"container_fs_inodes_free{PARTITION}", 0),
    *(
        _steady(f"container_fs_{name}{PARTITION}", 0)
        for name in ("io_current", "io_time_seconds", "io_time_weighted_seconds", "read_seconds", "reads")
    ),
    *(_steady(f"container_fs_{name}{PARTITION}", 0) for name in ("reads_merged", "sector_reads", "sector_writes")),
    *(_steady(f"container_fs_{name}{PARTITION}", 0) for name in ("write_seconds", "writes_merged")),
    _steady(f"container_fs_writes{PARTITION}", 0, decisive=True),
    _steady(f"container_fs_limit_MB{PARTITION}", 103_079),
    Kpi(name=f"container_fs_usage_MB{PARTITION}", base=(0.05, 40), spread=0.001, decimals=6),
    Kpi(
        name=f"container_fs_reads{DISK}",
        base=(0.02, 0.8),
        counts=True,
        spread=1.2,
        decimals=6,
        bursts=1.2,
        burst=25,
        decisive=True,
    ),
    Kpi(
        name=f"container_fs_reads_MB{DISK}",
        base=(0.001, 0.1),
        spread=1.2,
        decimals=6,
        bursts=1.2,
        burst=60,
        decisive=True,
    ),
    Kpi(
        name=f"container_fs_writes{DISK}",
        base=(0.05, 3),
        counts=True,
        spread=0.8,
        decimals=6,
        bursts=0.8,
        burst=15,
        decisive=True,
    ),
    Kpi(
        name=f"container_fs_writes_MB{DISK}",
        base=(0.002, 0.2),
        spread=0.8,
        decimals=6,
        bursts=0.8,
        burst=30,
        decisive=True,
    ),
    Kpi(name="container_last_seen", base=1.0, spread=0.0),
    Kpi(name="container_memory_cache", base=(2e5, 3e7), spread=0.005, memory=0.95, decimals=0),
    Kpi(
        name="container_memory_failcnt",
        base=(0.02, 12),
        counts=True,
        spread=1.0,
        decimals=6,
        bursts=0.3,
        burst=12,
        decisive=True,
    ),
    *(
        Kpi(
            name=f"{FAILURES}{scope}.pgfault",
            base=(600, 5000),
            spread=0.2,
            daily=0.6,
            decimals=3,
            bursts=0.5,
            burst=3,
            decisive=scope == "container",
        )
        for scope in ("container", "hierarchy")
    ),
    *(Kpi(name=f"{FAILURES}{scope}.pgmajfault", base=0.01, counts=True) for scope in ("container", "hierarchy")),
    Kpi(name="container_memory_mapped_file", base=(2e5, 2e7), spread=0.001, memory=0.95, decimals=0),
    Kpi(name="container_memory_max_usage_MB", base=200, spread=0.0, decimals=6),
    Kpi(name="container_memory_rss", base=5e7, spread=0.01, memory=0.95, decimals=0),
    _steady("container_memory_swap", 0),
    Kpi(
        name="container_memory_usage_MB",
        base=60,
        spread=0.012,
        memory=0.97,
        high=MEMORY_LIMIT,
        decimals=6,
        decisive=True,
    ),
    Kpi(name="container_memory_working_set_MB", base=55, spread=0.012, memory=0.97, high=MEMORY_LIMIT, decimals=6),
    *(
        Kpi(
            name=f"container_network_{way}_MB.eth0",
            base=0.5,
            spread=0.09,
            daily=1.0,
            decimals=6,
            bursts=0.2,
            decisive=way == "receive",
        )
        for way in ("receive", "transmit")
    ),
    *(_steady(f"container_network_{way}_errors.eth0", 0) for way in ("receive", "transmit")),
    *(
        Kpi(
            name=f"container_network_{way}_packets.eth0",
            base=1000,
            spread=0.08,
            daily=1.0,
            decimals=3,
            bursts=0.2,
            burst=1.4,
            decisive=True,
        )
        for way in ("receive", "transmit")
    ),
    Kpi(name="container_network_receive_packets_dropped.eth0", base=0.002, counts=True),
    _steady("container_network_transmit_packets_dropped.eth0", 0),
    Kpi(name="container_sockets", base=(8, 60), spread=0.03, decimals=0),
    _steady("container_spec_cpu_period", 100_000),
    _steady("container_spec_cpu_quota", 30_000),
    _steady("container_spec_cpu_shares", 102),
    _steady("container_spec_memory_limit_MB", MEMORY_LIMIT),
    _steady("container_spec_memory_reservation_limit_MB", 0),
    _steady("container_spec_memory_swap_limit_MB", MEMORY_LIMIT),
    Kpi(name="container_start_time_seconds", base=(1.6470e9, 1.6476e9), spread=0.0, decimals=0, decisive=True),
    *(
        _steady(f"container_tasks_state.{state}", 0)
        for state in ("iowaiting", "running", "sleeping", "stopped", "uninterruptible")
    ),
    Kpi(name="container_threads", base=24, spread=0.006, decimals=0, decisive=True),
    _steady("container_threads_max", 0),
    _steady("container_ulimits_soft.max_open_files", 1_048_576),
)
"""All 64. Much of the partition's is constant on the real machines as well."""

TYPICAL = {
    "container_memory_usage_MB": {
        "frontend": 58, "shippingservice": 34, "checkoutservice": 38, "currencyservice": 92, "adservice": 178,
        "emailservice": 76, "cartservice": 112, "productcatalogservice": 33, "recommendationservice": 84,
        "paymentservice": 86, STORE: 14,
    },
    "container_threads": {
        "frontend": 17, "shippingservice": 14, "checkoutservice": 15, "currencyservice": 24, "adservice": 58,
        "emailservice": 31, "cartservice": 36, "productcatalogservice": 16, "recommendationservice": 33,
        "paymentservice": 23, STORE: 6,
    },
    "container_network_transmit_packets.eth0": {
        "frontend": 2900, "shippingservice": 330, "checkoutservice": 420, "currencyservice": 2100, "adservice": 640,
        "emailservice": 130, "cartservice": 1500, "productcatalogservice": 1700, "recommendationservice": 900,
        "paymentservice": 140, STORE: 1900,
    },
}  # fmt: skip
"""Measurement -> service -> usual level, where it follows from the program."""

FOLLOW = {
    "container_memory_working_set_MB": ("container_memory_usage_MB", 0.9),
    "container_memory_rss": ("container_memory_usage_MB", 0.8e6),
    "container_memory_max_usage_MB": ("container_memory_usage_MB", 1.15),
    "container_network_receive_packets.eth0": ("container_network_transmit_packets.eth0", 1.05),
    "container_network_receive_MB.eth0": ("container_network_transmit_packets.eth0", 6e-4),
    "container_network_transmit_MB.eth0": ("container_network_transmit_packets.eth0", 7e-4),
}
"""Measurement -> another one whose level it follows, and the factor."""

STARTED, SEEN = "container_start_time_seconds", "container_last_seen"

UNLIMITED = (f"{CPU}cfs_", "container_spec_cpu_quota", "container_spec_memory_", "container_memory_failcnt")
"""Beginnings of the measurements that the store's containers lack: they have no limits."""

QUIET = tuple(
    f"container_fs_{name}{PARTITION}" for name in ("io_current", "reads_merged", "sector_reads", "writes_merged")
)
QUIET_SERVICES = (
    *("currencyservice", "emailservice", "paymentservice", "productcatalogservice", "recommendationservice"),
    "shippingservice",
)
"""Services whose containers lack `QUIET`: as in the original, not every container has every series."""


def series(cloudbed: str) -> tuple[Series, ...]:
    """The 2,576 curves of a cloudbed."""
    return tuple(
        Series(f"{node_of(cloudbed, pod)}.{pod}", _typical(kpi, service_of(pod)), pod)
        for kpi in KPIS
        for pod in ALL_PODS
        if not _lacks(service_of(pod), kpi.name)
    )


def rows(day: Day) -> Iterator[Block]:
    """The file's rows."""
    made = make_grids(day, chunks.shuffled(day, series(day.cloudbed), SLOT), SLOT)
    for grid in made:
        _clocks(grid)
    yield from chunks.blocks(day, made, SLOT)


def _typical(kpi: Kpi, service: str) -> Kpi:
    name, factor = FOLLOW.get(kpi.name, (kpi.name, 1.0))
    if name not in TYPICAL:
        return kpi
    level = TYPICAL[name][service] * factor
    exact = name == "container_threads" or kpi.name.endswith("max_usage_MB")
    return replace(kpi, base=level if exact else (0.93 * level, 1.07 * level))


def _lacks(service: str, name: str) -> bool:
    if service == STORE:
        return name.startswith(UNLIMITED)
    return name in QUIET and service in QUIET_SERVICES


def _clocks(grid: Grid) -> None:
    """Measurements that are times: the moment itself, and the last start, which an effect only marks."""
    for row, each in enumerate(grid.series):
        if each.kpi.name == SEEN:
            grid.values[row] = grid.times[row]
        elif each.kpi.name == STARTED:
            usual = np.median(grid.values[row])
            marked = grid.values[row] != usual
            restarts = marked & ~np.roll(marked, 1)
            grid.values[row] = np.maximum.accumulate(np.where(restarts, grid.times[row] - 23, usual))
