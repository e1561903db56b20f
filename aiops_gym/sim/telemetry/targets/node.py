"""node-exporter: the machine below a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aiops_gym.sim.telemetry import machines
from aiops_gym.sim.telemetry.courses import PACKET, Floats
from aiops_gym.sim.telemetry.families import Column, Family, Kind, Rows, Scrape, constant, grow, never, steady, wobble
from aiops_gym.sim.telemetry.metrics import USER_SHARE
from aiops_gym.sim.telemetry.processes import describe_go

MODES = ("iowait", "irq", "nice", "softirq", "steal", "system", "user")
SHARES = {"system": (1 - USER_SHARE) * 0.9, "user": USER_SHARE, "softirq": (1 - USER_SHARE) * 0.1}
"""How the busy time of a processor divides; the rest of the modes hardly ever occur."""

UP = 3 * 24 * 3600
"""Seconds for which the machine had run when the cluster was made on it."""

DEVICE = {"device": "/dev/root", "fstype": "ext4", "mountpoint": "/"}
DISK = 263174212 * 1024.0
FILLED = 0.41
"""Share of the disk that is in use."""

COLLECTORS = ("cpu", "diskstats", "filesystem", "loadavg", "meminfo", "netdev", "stat", "time", "uname", "vmstat")
Read = Callable[[Scrape], Floats]


def _seconds(scrape: Scrape) -> Iterator[Column]:
    """Each processor's time by mode: all of them together do what the node does."""
    many = int(machines.read_capacity(scrape, "cpu"))
    busy = machines.count_busy(scrape) / max(1, many)
    passed = (scrape.times - scrape.world.blueprint.start) / 1000.0
    for cpu in range(many):
        used = {mode: np.round(busy * SHARES.get(mode, 0.0), 2) for mode in MODES}
        idle = np.round(np.maximum(0.0, passed - sum(used.values())) + UP, 2)
        for mode, values in ({"idle": idle} | used).items():
            yield {"cpu": str(cpu), "mode": mode}, values


def _load(minutes: int) -> Read:
    def read(scrape: Scrape) -> Floats:
        span = minutes * 60_000
        before = scrape._replace(times=scrape.times - span)
        cores = (machines.count_busy(scrape) - machines.count_busy(before)) / (span / 1000.0)
        return np.round(np.maximum(0.0, cores) * wobble(scrape, f"load {minutes}", 0.3 / minutes), 2)

    return read


def _memory(share: float = 0.0, free: float = 0.0) -> Read:
    """A part of what is in use, and of what is not."""

    def read(scrape: Scrape) -> Floats:
        total, used = machines.read_capacity(scrape, "memory"), machines.measure_memory(scrape)
        return np.floor((used * share + (total - used) * free) / 4096.0) * 4096.0

    return read


def _gauge(name: str, help_: str, read: Read, kind: str = "gauge", **labels: str) -> Family:
    return Family(name, kind, help_, lambda scrape: [(labels, read(scrape))])


def _disk(scrape: Scrape) -> Floats:
    """Bytes that are in use: logs and images make it more, day by day."""
    return np.floor((DISK * FILLED + grow(scrape._replace(life=None), "disk") * 900.0) / 4096.0) * 4096.0


def _free(reserved: float) -> Read:
    return lambda scrape: DISK * (1.0 - reserved) - _disk(scrape)


def _traffic(way: str, divisor: float) -> Read:
    return lambda scrape: np.floor(machines.count_bytes(scrape, way) / divisor)


def _uname(scrape: Scrape) -> list[Column]:
    told = {"domainname": "(none)", "machine": "x86_64", "nodename": scrape.node, "sysname": "Linux"}
    told |= {"release": machines.read_info(scrape, "kernelVersion"), "version": "#82-Ubuntu SMP"}
    return [(told, scrape.constant(1.0))]


def _of_node(read: Callable[[Scrape], Rows]) -> Callable[[Scrape], Iterator[Column]]:
    return lambda scrape: ((labels, scrape.constant(value)) for labels, value in read(scrape))


SDA, ETH = {"device": "sda"}, {"device": "eth0"}
kind = Kind(
    (
        _gauge("node_boot_time_seconds", "When the machine was started, Unix seconds",
               lambda scrape: scrape.constant(scrape.world.blueprint.start // 1000 - UP)),
        steady("node_context_switches_total", "Context switches", 5_100.0),
        Family("node_cpu_seconds_total", "counter", "Seconds that each processor spent in each mode", _seconds),
        steady("node_disk_io_time_seconds_total", "Seconds spent on input and output", 0.011, (SDA, 1.0)),
        steady("node_disk_read_bytes_total", "Bytes read", 4_100.0, (SDA, 1.0)),
        steady("node_disk_reads_completed_total", "Reads completed", 0.12, (SDA, 1.0)),
        steady("node_disk_writes_completed_total", "Writes completed", 14.0, (SDA, 1.0)),
        steady("node_disk_written_bytes_total", "Bytes written", 182_000.0, (SDA, 1.0)),
        constant("node_exporter_build_info", "Version of node-exporter", branch="HEAD", goarch="amd64", goos="linux",
                 goversion="go1.21.4", revision="7333465abf9efba81876303bb57e6fadb946041b", tags="unknown",
                 version="1.7.0"),
        constant("node_filefd_allocated", "File descriptors that are allocated", 4_512.0),
        constant("node_filefd_maximum", "Most file descriptors", 9.223372036854776e18),
        _gauge("node_filesystem_avail_bytes", "Bytes that users may have", _free(0.02), **DEVICE),
        constant("node_filesystem_device_error", "Whether its size could not be read", 0.0, **DEVICE),
        constant("node_filesystem_files", "Files that there may be", 33_177_600.0, **DEVICE),
        constant("node_filesystem_files_free", "Files that there may be still", 32_404_116.0, **DEVICE),
        _gauge("node_filesystem_free_bytes", "Bytes that are free", _free(0.0), **DEVICE),
        constant("node_filesystem_readonly", "Whether it cannot be written", 0.0, **DEVICE),
        constant("node_filesystem_size_bytes", "Bytes in all", DISK, **DEVICE),
        steady("node_forks_total", "Processes that were made", 6.0),
        steady("node_intr_total", "Interrupts", 2_600.0),
        *(_gauge(f"node_load{minutes}", f"Load average of {minutes} min", _load(minutes)) for minutes in (1, 5, 15)),
        _gauge("node_memory_Active_bytes", "Memory used lately", _memory(0.6, 0.1)),
        _gauge("node_memory_Buffers_bytes", "Memory of buffers", _memory(0.02, 0.02)),
        _gauge("node_memory_Cached_bytes", "Memory of the page cache", _memory(0.1, 0.34)),
        _gauge("node_memory_MemAvailable_bytes", "Memory that programs could have", _memory(0.0, 1.0)),
        _gauge("node_memory_MemFree_bytes", "Memory that is used for nothing", _memory(0.0, 0.63)),
        _gauge("node_memory_MemTotal_bytes", "Memory in all",
               lambda scrape: scrape.constant(machines.read_capacity(scrape, "memory"))),
        constant("node_memory_SwapFree_bytes", "Swap that is free", 0.0),
        constant("node_memory_SwapTotal_bytes", "Swap in all", 0.0),
        constant("node_netstat_Tcp_CurrEstab", "TCP connections", 118.0)._replace(kind="untyped"),
        steady("node_netstat_Tcp_RetransSegs", "Segments sent again", 0.02)._replace(kind="untyped"),
        _gauge("node_network_receive_bytes_total", "Bytes received", _traffic("received", 1.0), "counter", **ETH),
        never("node_network_receive_drop_total", "Packets that were dropped at their arrival", **ETH),
        never("node_network_receive_errs_total", "Errors of reception", **ETH),
        _gauge("node_network_receive_packets_total", "Packets in", _traffic("received", PACKET), "counter", **ETH),
        _gauge("node_network_transmit_bytes_total", "Bytes sent", _traffic("sent", 1.0), "counter", **ETH),
        never("node_network_transmit_drop_total", "Packets that were dropped before they left", **ETH),
        never("node_network_transmit_errs_total", "Errors of sending", **ETH),
        _gauge("node_network_transmit_packets_total", "Packets out", _traffic("sent", PACKET), "counter", **ETH),
        constant("node_network_up", "Whether an interface is up", **ETH),
        constant("node_procs_blocked", "Processes that wait for a disk", 0.0),
        _gauge("node_procs_running", "Processes that can run", lambda scrape: np.ceil(_load(1)(scrape)) + 1.0),
        Family("node_scrape_collector_success", "gauge", "Whether a collector succeeded",
               _of_node(lambda scrape: [({"collector": name}, 1.0) for name in COLLECTORS])),
        constant("node_sockstat_TCP_alloc", "TCP sockets", 540.0),
        constant("node_sockstat_TCP_tw", "TCP sockets that wait for their end", 86.0),
        _gauge("node_time_seconds", "Unix seconds", lambda scrape: scrape.seconds),
        constant("node_timex_sync_status", "Whether the clock is synchronized"),
        Family("node_uname_info", "gauge", "What uname says", _uname),
        _gauge("node_vmstat_oom_kill", "Processes killed for want of memory", machines.count_kills, "untyped"),
        steady("node_vmstat_pgmajfault", "Pages read from a disk", 0.03)._replace(kind="untyped"),
        *describe_go("go1.21.4", 8.0),
    ),
    seconds=0.016,
)  # fmt: skip
