"""metric_node.csv: what an agent measures of each machine; the one file that is sorted by time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aiops_gym.openrca.domains.market import NODES
from aiops_gym.openrca.synth.market.topology import ALL_PODS, node_of
from aiops_gym.openrca.synth.model import Block, Day, Kpi, Series
from aiops_gym.openrca.synth.series import make_rows as in_order

SLOT = "node"
MEMORY = 34_700
"""MB of each machine."""

DISK = 105_553_760_256
"""Bytes of each machine's disk."""

INODES = 6_553_600
FILES = 3_253_763
BUSY = 3.0
"""How much more the machines that carry the shop have to do."""


def _steady(name: str, value: float, *, step: int = 60) -> Kpi:
    return Kpi(name=f"system.{name}", base=value, spread=0.0, step=step)


def _load(minutes: int) -> Kpi:
    return Kpi(name=f"system.load.{minutes}", base=(0.2, 0.7), spread=1 / (2 + minutes), daily=0.6, decimals=2)


def _counter(name: str, low: float, high: float, spread: float = 0.12) -> Kpi:
    return Kpi(name=f"system.net.{name}", base=(low, high), spread=spread, daily=0.8, decimals=2, bursts=0.2)


KPIS = (
    Kpi(name="ping.can_connect", base=1, spread=0.0, step=300),
    Kpi(name="system.cpu.iowait", base=(0.05, 0.6), spread=0.6, high=100, decimals=2, bursts=1, burst=4),
    Kpi(
        name="system.cpu.pct_usage",
        base=(2.4, 4.2),
        spread=0.12,
        daily=0.6,
        high=100,
        decimals=2,
        bursts=0.8,
        burst=1.8,
        decisive=True,
    ),
    Kpi(name="system.cpu.system", base=(0.6, 1.4), spread=0.14, daily=0.5, high=100, decimals=2),
    Kpi(
        name="system.cpu.user",
        base=(1.2, 2.4),
        spread=0.14,
        daily=0.6,
        high=100,
        decimals=2,
        bursts=0.8,
        burst=2,
        decisive=True,
    ),
    Kpi(name="system.disk.free", base=6e10, spread=0.0004, memory=0.98, decimals=0),
    Kpi(name="system.disk.pct_usage", base=43, spread=0.0004, memory=0.98, high=100, decimals=2, decisive=True),
    _steady("disk.readonly", 0),
    _steady("disk.total", DISK),
    Kpi(name="system.disk.used", base=4e10, spread=0.0004, memory=0.98, high=DISK, decimals=0, decisive=True),
    Kpi(name="system.fs.inodes.free", base=INODES * 0.94, spread=0.0002, memory=0.98, high=INODES, decimals=0),
    Kpi(name="system.fs.inodes.in_use", base=0.06, spread=0.001, decimals=4),
    _steady("fs.inodes.total", INODES),
    Kpi(name="system.fs.inodes.used", base=INODES * 0.06, spread=0.001, memory=0.98, high=INODES, decimals=0),
    Kpi(name="system.io.avg_q_sz", base=(0.02, 0.9), spread=0.6, decimals=2, bursts=1.5, burst=6, decisive=True),
    Kpi(name="system.io.await", base=(0.5, 2.6), spread=0.4, decimals=2, bursts=1.2, burst=4, decisive=True),
    Kpi(name="system.io.r_await", base=(0.2, 2), spread=0.6, decimals=2, bursts=0.8, burst=5),
    Kpi(name="system.io.r_s", base=(0.1, 30), spread=0.7, decimals=2, bursts=2, burst=8, decisive=True),
    Kpi(name="system.io.rkb_s", base=(0.4, 4000), spread=0.8, decimals=2, bursts=2, burst=5, decisive=True),
    Kpi(name="system.io.svctm", base=(0.2, 0.8), spread=0.2, decimals=2),
    Kpi(name="system.io.util", base=(0.8, 9), spread=0.3, high=100, decimals=2, bursts=1, burst=3, decisive=True),
    Kpi(name="system.io.w_await", base=(0.6, 1.4), spread=0.3, decimals=2, bursts=1, burst=5, decisive=True),
    Kpi(name="system.io.w_s", base=(8, 60), spread=0.2, daily=0.4, decimals=2, bursts=0.8, burst=2, decisive=True),
    _load(1),
    _load(15),
    _load(5),
    Kpi(name="system.mem.free", base=(6500, 11_000), spread=0.015, memory=0.97, decimals=2, decisive=True),
    Kpi(name="system.mem.pct_usage", base=(66, 80), spread=0.004, memory=0.97, high=100, decimals=2),
    Kpi(name="system.mem.real.pct_useage", base=42, spread=0.008, memory=0.97, high=100, decimals=2, decisive=True),
    Kpi(name="system.mem.real.used", base=14_600, spread=0.008, memory=0.97, high=MEMORY, decimals=2, decisive=True),
    _steady("mem.total", MEMORY),
    Kpi(name="system.mem.usable", base=(16_000, 21_000), spread=0.008, memory=0.97, high=MEMORY, decimals=2),
    Kpi(
        name="system.mem.used",
        base=(24_000, 27_500),
        spread=0.005,
        memory=0.97,
        high=MEMORY,
        decimals=2,
        decisive=True,
    ),
    _counter("bytes_rcvd", 4e4, 4e5),
    _counter("bytes_sent", 4e4, 4e5),
    _counter("packets_in.count", 200, 2000),
    _steady("net.packets_in.error", 0),
    _counter("packets_out.count", 200, 2000),
    _steady("net.packets_out.error", 0),
    _counter("tcp.in_segs", 200, 1800),
    _counter("tcp.out_segs", 200, 1800),
    _counter("tcp.retrans_segs", 0.05, 1.5, 0.6),
    _counter("udp.in_datagrams", 2, 30, 0.2),
    _steady("net.udp.in_errors", 0),
    _counter("udp.out_datagrams", 2, 30, 0.2),
    _steady("net.udp.rcv_buf_errors", 0),
    _steady("net.udp.snd_buf_errors", 0),
    Kpi(name="system.os.nofile.current", base=(2500, 9000), spread=0.01, memory=0.9, decimals=0),
    _steady("os.nofile.max", FILES, step=300),
    Kpi(name="system.os.nofile.used_pct", base=(0.08, 0.28), spread=0.01, memory=0.9, decimals=4),
    Kpi(name="system.process.zombie.num", base=(0.2, 2), counts=True, decimals=0),
    *(_steady(f"swap.{name}", 0) for name in ("free", "si", "so", "total", "used", "used_pct")),
    Kpi(name="system.tcp.retrans_pct", base=(0.005, 0.08), spread=0.5, decimals=4),
    Kpi(name="system.udp.connect.num", base=(6, 14), spread=0.0, decimals=0),
)
"""All 59. Memory in MB, disks in bytes, shares in %; `pct_useage` is the original's spelling."""

WORKING = ("system.cpu.", "system.load.", "system.net.", "system.io.w_s", "system.os.nofile.")
"""Beginnings of the measurements that are higher where the shop runs."""

MISSING = {("node-1", "system.swap.used_pct"), ("node-2", "system.swap.used_pct"), ("node-3", "system.swap.used_pct")}
"""As in the original, not every machine has every series."""

USED = {
    "node-1": (0.29, 0.34), "node-2": (0.41, 0.38), "node-3": (0.35, 0.44),
    "node-4": (0.47, 0.41), "node-5": (0.52, 0.47), "node-6": (0.58, 0.49),
}  # fmt: skip
"""Machine -> used shares of disk and memory, which several measurements tell."""


def series(cloudbed: str) -> tuple[Series, ...]:
    """The 351 curves of a cloudbed."""
    busy = {node_of(cloudbed, pod) for pod in ALL_PODS}
    return tuple(
        Series(node, _level(kpi, node, node in busy), node)
        for kpi in KPIS
        for node in NODES
        if (node, kpi.name) not in MISSING
    )


def rows(day: Day) -> Iterator[Block]:
    """The file's rows."""
    for part in in_order(day, series(day.cloudbed), SLOT, "sorted"):
        yield part.times, part.ids(), part.kpis(), part.values


def _level(kpi: Kpi, node: str, busy: bool) -> Kpi:
    disk, memory = USED[node]
    exact = {
        "system.disk.free": DISK * (1 - disk),
        "system.disk.used": DISK * disk,
        "system.disk.pct_usage": 100 * disk,
        "system.mem.real.used": MEMORY * memory,
        "system.mem.real.pct_useage": 100 * memory,
    }
    if kpi.name in exact:
        return replace(kpi, base=exact[kpi.name])
    if busy and kpi.name.startswith(WORKING) and isinstance(kpi.base, tuple):
        return replace(kpi, base=(BUSY * kpi.base[0], BUSY * kpi.base[1]))
    return kpi
