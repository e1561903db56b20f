"""Measurements of the operator: containers, hosts, Oracle databases, Redis, and the bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from aiops_gym.openrca.synth.families import decisive, family, of
from aiops_gym.openrca.synth.model import Day, Kpi, Series

ASSETS = {"node": 1, "service": 2, "container": 4, "middleware": 5}
"""Number of each kind in the operator's inventory."""

_DOCKERS = tuple(f"docker_{number:03d}" for number in range(1, 9))
_HOSTS = tuple(f"os_{number:03d}" for number in range(1, 23))
_DATABASES = tuple(f"db_{number:03d}" for number in range(1, 14))
_CACHES = tuple(f"redis_{number:03d}" for number in range(1, 13))

_CONTAINER = decisive(
    (
        *family("container_", "cpu_used 6..14", spread=0.25, daily=0.4, high=100, missing=0.02, bursts=3, burst=2),
        *family("container_", "mem_used 45..75", spread=0.01, memory=0.95, high=100, decimals=6, missing=0.02),
        *family(
            "container_", "thread_total 200..320, thread_idle 150..200, session_used 12..40", decimals=0, missing=0.02
        ),
        *family("container_", "thread_running 4..12, thread_used_pct 2..6", spread=0.3, daily=0.5, decimals=0),
        *family("container_", "fgc 0.02", counts=True, decimals=0),
        *family("container_", "fgct 0.01", decimals=6),
    ),
    "cpu_used",
)
_NODE = (
    *decisive(
        (
            *family("", "Sent_queue 2.5..34", spread=0.5, missing=0.02, bursts=2, burst=2.5, decimals=0),
            *family("", "Received_queue 3..300", spread=0.5, missing=0.02, bursts=2, burst=2.5, decimals=0),
            *family("", "ICMP_ping 1", spread=0, high=1, missing=0.02),
            *family("", "Memory_used_pct 35..80", spread=0.01, memory=0.95, high=100, missing=0.02),
            *family("", "Disk_io_util 1..9", spread=0.5, high=100, missing=0.02, bursts=3, burst=5),
            *family("", "CPU_util_pct 4..18", spread=0.25, daily=0.4, high=100, missing=0.02, bursts=2, burst=2),
        ),
        *("Sent_queue", "Received_queue", "ICMP_ping", "Memory_used_pct", "Disk_io_util", "CPU_util_pct"),
    ),
    *family("CPU_", "idle_pct 80..95, user_time 2..12, system_time 1..5, iowait_time 0.02..0.5", high=100, step=300),
    *family("CPU_", "frequency 2400, kernel_number 8, number 2, pused 4..18", spread=0.01, step=300),
    *family("", "Cpu_num 16, Zombie_Process 0, Agent_ping 1", spread=0, decimals=0, step=300),
    *family("Processor_load_", "1_min 0.4..3, 5_min 0.4..3, 15_min 0.4..3", spread=0.3, daily=0.4, step=300),
    *family("System_", "block_queue_length 0.2, wait_queue_length 2", counts=True, decimals=0, step=300),
    *family("Num_of_", "processes 300..600, running_processes 2..9", decimals=0, step=300),
    *family("Memory_", "available 2e4, available_pct 20..60, free 9000, total 64000, used 4e4", spread=0.01, step=300),
    *family("", "Shared_memory 900, Buffers_used 300, Cache_used 9000, Swap_used_pct 2", spread=0.02, step=300),
    *family("Page_", "pi 3, po 12", spread=0.6, step=300),
    *family(
        "Disk_", "avgqu_sz 0.2, await 2, rd_ios 5, rd_kbs 90, svctm 0.6, wr_ios 30, wr_kbs 400", spread=0.5, step=300
    ),
    *family("", "Incoming_network_traffic 9e5, Outgoing_network_traffic 8e5", daily=0.6, step=300),
    *family("Received_", "packets 2000, errors_packets 0", daily=0.6, step=300),
    *family("Sent_", "packets 1900, errors_packets 0", daily=0.6, step=300),
    *family("", "Recv_total 9e5, Send_total 8e5, ss_total 300", daily=0.6, step=300),
)
_MOUNTS = (
    *family("FS_", "max_avail 9e4, max_util 20..70, total_space 2e5, used_pct 20..70, used_space 6e4", step=300),
    *family("", "Free_disk_space 1e5, Total_disk_space 2e5, Used_disk_space 6e4", spread=0.001, step=300),
    *family("", "Used_disk_space_pct 20..70", spread=0.001, step=300, high=100),
    *family("", "Free_inodes 9e6, Total_inodes 1e7, Used_inodes 1e6, Used_inodes_pct 1..10", spread=0.001, step=300),
)
"""A curve for each mount."""

_ORACLE = (
    *decisive(
        (
            *family("", "Proc_User_Used_Pct 1.2..2.2, Proc_Used_Pct 8..20", spread=0.05, missing=0.02, bursts=1),
            *family("", "Sess_Connect 120..420", spread=0.04, decimals=0, missing=0.02, bursts=1, burst=1.3),
            *family("", "On_Off_State 1", spread=0, decimals=0, missing=0.02),
            *family("", "tnsping_result_time 3..5", spread=0.3, missing=0.02, bursts=2, burst=8),
            *family("", "Login_Per_Sec 1..2, Session_pct 0.12..0.25", spread=0.25, missing=0.02, bursts=1),
            *family("", "Call_Per_Sec 110..170", spread=0.15, daily=0.5, missing=0.02, bursts=1),
        ),
        *("Proc_User_Used_Pct", "Proc_Used_Pct", "Sess_Connect", "On_Off_State", "tnsping_result_time"),
        *("Login_Per_Sec", "Session_pct", "Call_Per_Sec"),
    ),
    *family(
        "", "CPU_free_pct 80..95, CPU_Used_Pct 5..20, MEM_real_util 40..80, MEM_Used_Pct 40..80", high=100, step=300
    ),
    *family(
        "", "MEM_Total 381.902264, MEM_Used 150..300, PGA_Used_Pct 10..40, PGA_used_total 2..9", spread=0.02, step=300
    ),
    *family(
        "", "Physical_Read_Per_Sec 400, Logic_Read_Per_Sec 90000, SctRead_Per_Sec 12", daily=0.5, step=300, spread=0.4
    ),
    *family("", "SeqRead_Per_Sec 60, Redo_Per_Sec 3e5, DFParaWrite_Per_Sec 9", daily=0.5, step=300, spread=0.4),
    *family("", "LFParaWrite_Per_Sec 30, LFSync_Per_Sec 26, Exec_Per_Sec 900, TPS_Per_Sec 40", daily=0.5, step=300),
    *family("", "Sess_Active 4..20, Sess_Used_Temp 2, Sess_Used_Undo 3, ACS 1, AIOS 1, AWS 1", counts=True, step=300),
    *family("", "DbTime 20, DbFile_Used_Pct 20..60, User_Commit 40, SEQ_Used_Pct 5", spread=0.05, step=300),
    *family("", "Row_Lock 0.1, Hang 0", counts=True, decimals=0, step=300),
    *family("", "TempTbs_Pct 2..20, UndoTbs_Pct 5..30, Asm_Free_Tb 1..6", spread=0.02, step=300),
    *family("", "Total_Tbs_Size 3000, Used_Tbs_Size 1800", spread=0.001, step=300),
)
_TABLE_SPACES = (
    *family("", "Tbs_Free_Gb 20..200, New_Tbs_Free_Gb 20..200", spread=0.002, step=300, low=-1e3),
    *family("", "Tbs_Used_Pct 30..80, New_Tbs_Used_Pct 30..80", spread=0.002, step=300, high=100),
)
"""A curve for each table space."""

_REDIS = (
    *family("", "connected_clients 20..40", step=300, decimals=0, decisive=True),
    *family("", "blocked_clients 0, used_cpu_sys 0.4, used_cpu_user 0.5", step=300, decimals=2),
    *family(
        "",
        "instantaneous_ops_per_sec 300..800, keyspace_hits 9e5, keyspace_misses 9e3",
        step=300,
        daily=0.5,
        decimals=0,
    ),
    *family("", "used_memory 3e8, used_memory_rss 4e8, used_memory_peak 5e8", step=300, spread=0.01, decimals=0),
    *family("", "mem_fragmentation_ratio 1.2", step=300, spread=0.01),
    *family("", "expired_keys 30, evicted_keys 0, rejected_connections 0", step=300, decimals=0, spread=0.2),
)


def business() -> list[Series]:
    """metric_app.csv: the bus."""
    kpis = (
        Kpi(
            name="avg_time", base=0.75, spread=0.25, memory=0.4, low=0.05, decimals=4, bursts=6, burst=2, decisive=True
        ),
        Kpi(name="num", base=24, spread=0.1, daily=1, counts=True, low=1, decimals=0, decisive=True),
        Kpi(name="rate", base=0.9995, spread=0.0005, high=1, decimals=4, decisive=True),
    )
    return list(of(("osb_001",), *kpis))


def _shifted(kpis: Iterable[Kpi], first: int) -> tuple[Kpi, ...]:
    """The platform takes each measurement at a second of its own."""
    return tuple(
        replace(each, phase=first + 7 * number % 16, decimals=each.decimals and 6) for number, each in enumerate(kpis)
    )


def _items(components: Iterable[str], kpis: tuple[Kpi, ...], items: Iterable[str]) -> Iterator[Series]:
    for item in items:
        for each in of(components, *kpis):
            yield replace(each, item=item)


def _hosts(day: Day) -> list[Series]:
    kpis = _shifted((*_NODE, *_MOUNTS), 283)
    plain, mounts = kpis[: len(_NODE)], kpis[len(_NODE) :]
    return [*of(_HOSTS, *plain), *_items(_HOSTS, mounts, ("/", "/home", "/opt"))]


def _databases(day: Day) -> list[Series]:
    kpis = _shifted((*_ORACLE, *_TABLE_SPACES), 294)
    plain, spaces = kpis[: len(_ORACLE)], kpis[len(_ORACLE) :]
    return [*of(_DATABASES, *plain), *_items(_DATABASES, spaces, (f"TBS{number}" for number in range(6)))]


MEASUREMENTS: dict[str, Callable[[Day], list[Series]]] = {
    "container": lambda day: list(of(_DOCKERS, *_shifted(_CONTAINER, 23))),
    "middleware": lambda day: list(of(_CACHES, *_shifted(_REDIS, 272))),
    "node": _hosts,
    "service": _databases,
}
"""By table, what it holds."""
