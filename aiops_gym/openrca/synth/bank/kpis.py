"""Measurements of the bank: operating systems, JVMs, Tomcats, databases, caches, docker containers and transactions."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.openrca.synth import ids
from aiops_gym.openrca.synth.bank.databases import MYSQL, redis
from aiops_gym.openrca.synth.families import decisive, family, of
from aiops_gym.openrca.synth.model import Day, Kpi, Series

SERVICES = tuple(f"ServiceTest{number}" for number in range(1, 12))

_TOMCATS = tuple(f"Tomcat{number:02d}" for number in range(1, 5))
_GATEWAYS = {"IG01": 7778, "IG02": 7778, "MG01": 7779, "MG02": 7779}
_HOSTS = ("apache01", "apache02", *_TOMCATS, *_GATEWAYS, "Mysql01", "Mysql02", "Redis01", "Redis02")
_OS = "OSLinux-OSLinux_"

_MOUNTS = {
    "Tomcat": ("tomcat", "app"),
    "apache": ("apache",),
    "Mysql": ("mysql", "mysqldata", "mysqlbak"),
    "IG": ("app",),
}
"""Of applications, by the beginning of the hosts' names; `MG` has none of its own."""

_CPU = decisive(
    (
        *family("OSLinux-CPU_CPU_", "CPUCpuUtil 16..30", daily=0.5, high=100, missing=0.35, bursts=0.4, burst=1.6),
        *family("OSLinux-CPU_CPU_", "CPUUserTime 12..24", daily=0.5, high=100, missing=0.2, bursts=0.4, burst=1.7),
        *family("OSLinux-CPU_CPU_", "CPUSysTime 2..5", daily=0.3, high=100, missing=0.2),
        *family("OSLinux-CPU_CPU_", "CPUWio 0.1..0.8", spread=0.6, high=100, missing=0.2, bursts=0.8, burst=8),
        *family("OSLinux-CPU_CPU_", "CPUidleutil 70..82", spread=0.02, daily=-0.1, high=100, missing=0.2),
        *family("OSLinux-CPU_CPU_", "CPULoad 0.4..1.6", spread=0.3, daily=0.6, missing=0.2, bursts=0.5, burst=2),
    ),
    "CPUCpuUtil",
    "CPUUserTime",
)
_CORES = tuple(
    decisive(
        (
            *family(f"OSLinux-CPU_CPU-{core}_", "SingleCpuUtil 9..20", daily=0.4, high=100, missing=0.2, bursts=0.5),
            *family(f"OSLinux-CPU_CPU-{core}_", "SingleCpuidle 78..90", spread=0.03, high=100, missing=0.2),
        ),
        *("CPU-0_SingleCpuUtil", "CPU-2_SingleCpuUtil", "CPU-3_SingleCpuUtil"),
    )
    for core in range(4)
)
_MEMORY = decisive(
    (
        *family(f"{_OS}MEMORY_MEMORY_", "MEMUsedMemPerc 88..97", spread=0.005, high=100, missing=0.2),
        *family(f"{_OS}MEMORY_MEMORY_", "NoCacheMemPerc 25..48", spread=0.03, memory=0.95, high=100, missing=0.2),
        *family(
            f"{_OS}MEMORY_MEMORY_", "MEMFreeMem 250..420, CacheMem 2200..3400", spread=0.05, memory=0.95, missing=0.2
        ),
        *family(
            f"{_OS}MEMORY_MEMORY_",
            "UserMem 5200..7000, MEMTotalMem 7821",
            spread=0.002,
            decimals=0,
            step=120,
            missing=0.2,
        ),
    ),
    *("MEMUsedMemPerc", "NoCacheMemPerc", "MEMFreeMem", "CacheMem"),
)
_SWAP = (
    *family(f"{_OS}SWAP_SWAP_", "SWPTotSwapUsedPercent 1..6, SWPTotSwapSize 4095", spread=0.001, step=120, missing=0.2),
    *family(f"{_OS}SWAP_SWAP_", "Si 0, So 0", step=120, missing=0.2),
)
_NETWORK = decisive(
    (
        *family(
            f"{_OS}NETWORK_NETWORK_", "TotalTcpConnNum 1050..1500", spread=0.05, daily=0.2, decimals=0, missing=0.2
        ),
        *family(
            f"{_OS}NETWORK_NETWORK_", "TCP-CLOSE-WAIT 0.4", counts=True, decimals=0, missing=0.2, bursts=0.5, burst=8
        ),
        *family(
            f"{_OS}NETWORK_NETWORK_",
            "TCP-FIN-WAIT 0.07..0.4",
            counts=True,
            decimals=0,
            missing=0.1,
            bursts=0.4,
            burst=3,
        ),
        *family(f"{_OS}NETWORK_ens160_", "NETBandwidthUtil 1..3", daily=0.6, high=100, missing=0.2),
        *family(
            f"{_OS}NETWORK_ens160_", "NETKBTotalPerSec 300000..350000", daily=0.5, missing=0.2, bursts=0.3, burst=1.5
        ),
        *family(f"{_OS}NETWORK_ens160_", "NETPacketsIn 900..1600, NETPacketsOut 850..1500", daily=0.6, missing=0.2),
        *family(f"{_OS}NETWORK_ens160_", "NETInErr 0, NETInErrPrc 0, NETOutErr 0, NETOutErrPrcc 0", missing=0.2),
    ),
    *("ConnNum", "WAIT", "BandwidthUtil", "NETKBTotalPerSec", "NETPacketsIn", "NETPacketsOut"),
)
_SYSTEM = (
    *family(f"{_OS}PROCESS_", "PROCESS_PROCNoZombies 0, PROCESS_PROCPPMem 120, PROCESS_PROCPPMemPerc 1.5", missing=0.2),
    *family(f"{_OS}PROCESS_", "zabbix_PROCPPCount 6, zabbix-zabbix_agentd_PROCPPCPUPerc 0.3", spread=0.02, missing=0.2),
    *family(f"{_OS}ZABBIX_", "Host_Uptime 60", spread=0, decimals=0, total=True, missing=0.2),
    *family(f"{_OS}SYSTEM_SYSTEM_", "Check-DefaultRoute 1, Check-Hostname 1", spread=0, step=120, missing=0.2),
    *family(
        f"{_OS}FILE_",
        "-tmp-zabbix_agentd.log_FileSizeMB 0.4, -home-zabbix_DirSizeMB 2.1",
        spread=0.01,
        step=120,
        missing=0.2,
    ),
    *(
        each
        for server in ("40.2.208.64", "40.2.208.65", "197.30.1.67", "197.30.1.68")
        for each in family(
            f"OSLinux-NTP_{server}_", "NtpServerTimeOffset 0.002", spread=0.8, decimals=6, step=120, missing=0.2
        )
    ),
)


def _disk(name: str, read: float, write: float) -> tuple[Kpi, ...]:
    """Of one disk, in KB/s and operations a second."""
    prefix, usual = (
        f"{_OS}LOCALDISK_LOCALDISK-{name}_",
        {"spread": 0.5, "missing": 0.35, "gaps": 0.02, "bursts": 0.8, "burst": 4.0},
    )
    both = read + write
    return decisive(
        (
            *family(prefix, f"DSKRead {read}, DSKWrite {write}, DSKReadWrite {both}, DSKBps {both}", **usual),
            *family(prefix, f"DSKTps {both / 10}, DSKRTps {read / 10}, DSKWTps {write / 10}", **usual),
            *family(prefix, "DSKPercentBusy 1.2", high=100, **usual),
            *family(prefix, "DSKAvgServ 0.8", step=120, **usual),
        ),
        *("sda_DSKReadWrite", "sda_DSKRTps", "sda_DSKRead", "sda_DSKBps", "sda_DSKPercentBusy", "sdb_DSKRead"),
        *("sdb_DSKReadWrite", "sdb_DSKRTps", "sdb_DSKWrite"),
    )


def _filesystem(mount: str, *, telling: bool = False) -> tuple[Kpi, ...]:
    prefix, usual = (
        f"{_OS}FILESYSTEM_-{mount}_",
        {"spread": 0.002, "memory": 0.98, "step": 120, "missing": 0.3, "gaps": 0.05},
    )
    made = (
        *family(prefix, "FSCapacity 12..58", high=100, **usual),
        *family(prefix, "FSUsedSpace 3000..20000, FSAvailableSpace 9000..40000, FSInodeUsedPercent 1..9", **usual),
    )
    return decisive(made, "FSCapacity") if telling else made


_JVM = {
    port: decisive(
        (
            *family(f"JVM-Memory_{port}_JVM_Memory_", "HeapMemoryMax 2.04e9", spread=0, decimals=0, missing=0.002),
            *family(
                f"JVM-Memory_{port}_JVM_Memory_",
                "HeapMemoryUsed 0.6e9..1.1e9",
                spread=0.15,
                decimals=0,
                missing=0.002,
                saw=37,
            ),
            *family(
                f"JVM-Memory_{port}_JVM_Memory_", "HeapMemoryUsage 32..52", spread=0.15, high=100, missing=0.002, saw=37
            ),
            *family(f"JVM-Memory_{port}_JVM_Memory_", "NoHeapMemoryUsed 1.1e8..1.9e8", spread=0.01, decimals=0),
            *family(f"JVM-Operating System_{port}_JVM_JVM_", f"CPULoad {load}", spread=0.4, missing=0.37, bursts=0.5),
            *family(f"JVM-Runtime_{port}_JVM_JVM_", "Uptime 60000", spread=0, decimals=0, total=True),
            *family(f"JVM-Threads_{port}_JVM_ThreadCount_", "Threads 90..240", spread=0.03, decimals=0),
        ),
        *("HeapMemoryUsed", "HeapMemoryUsage", "NoHeapMemoryUsed", "CPULoad"),
    )
    for port, load in ((7778, "0.13..0.2"), (7779, "0.4..0.5"))
}
_TOMCAT = decisive(
    (
        *family(
            "Tomcat-MEMORY_7441-MEMORY_", "JVMFreeMemory 5e8, JVMMaxMemory 2.1e9, JVMTotalMemory 2e9", missing=0.86
        ),
        *family(
            "Tomcat-MEMORY_7441-MEMORY_", "JVMMemoryUsedPercent 40..62", spread=0.15, high=100, missing=0.5, saw=23
        ),
        *family("Tomcat-MEMORY_7441-MEMORY_", "JVMUsedMemory 1.1e9", spread=0.15, missing=0.86, saw=23),
        *family(
            'Tomcat-Requests_7441-"http-nio-8003"_', "ErrorCountRequestInfo 0.6", counts=True, total=True, missing=0.01
        ),
        *family(
            'Tomcat-Requests_7441-"http-nio-8003"_', "MaxTimeRequestInfo 60000", spread=0, decimals=0, missing=0.01
        ),
        *family(
            'Tomcat-Requests_7441-"http-nio-8003"_', "ProcessingTimeRequestInfo 80000", daily=1, total=True, decimals=0
        ),
        *family(
            'Tomcat-Requests_7441-"http-nio-8003"_', "RequestCountRequestInfo 260", daily=1, total=True, counts=True
        ),
        *family(
            'Tomcat-Threads_7441-"http-nio-8003"_', "CurrentThreadCountThreadInfo 30..80", decimals=0, missing=0.01
        ),
        *family('Tomcat-Threads_7441-"http-nio-8003"_', "CurrentThreadsBusyThreadInfo 2", counts=True, daily=1),
        *family('Tomcat-Threads_7441-"http-nio-8003"_', "MaxThreadsThreadInfo 200", spread=0, decimals=0, missing=0.01),
        *(
            each
            for context in ("", "UOCP", "logHome_IS_UNDEFINED", "log.Home_IS_UNDEFINED")
            for each in (
                *family(f"Tomcat-Sessions_7441--{context}_SESSION", "ActiveCounter 3", counts=True, missing=0.05),
                *family(
                    f"Tomcat-Sessions_7441--{context}_SESSION", "KeepaliveCounter 1800, RejectedSessions 0", spread=0
                ),
            )
        ),
    ),
    *("JVMMemoryUsedPercent", "CurrentThreadsBusyThreadInfo", "RequestCountRequestInfo"),
)


def measurements(day: Day) -> list[Series]:
    """All of metric_container.csv."""
    return [
        *(each for host in _HOSTS for each in of((host,), *_host(host))),
        *(each for host, port in _GATEWAYS.items() for each in of((host,), *_JVM[port])),
        *of(_TOMCATS, *_TOMCAT),
        *of(("Redis01", "Redis02"), *redis()),
        *of(("Mysql01", "Mysql02"), *MYSQL),
        *_dockers(day),
    ]


def services() -> list[Series]:
    """metric_app.csv: transactions."""
    kpis = (
        Kpi(name="rr", base=100, spread=0, decimals=4, high=100, decisive=True),
        Kpi(name="sr", base=100, spread=0, decimals=4, high=100, bursts=3, burst=0.995, decisive=True),
        Kpi(name="cnt", base=(15, 120), spread=0.1, daily=1, counts=True, decimals=0, low=1, decisive=True),
        Kpi(name="mrt", base=(120, 700), spread=0.3, memory=0.3, decimals=2, low=5, bursts=2, burst=2.5, decisive=True),
    )
    return list(of(SERVICES, *kpis))


def _host(host: str) -> tuple[Kpi, ...]:
    cores = range(4) if host.startswith(("MG", "IG", "Mysql")) else (0, 2)
    own = next((mounts for kind, mounts in _MOUNTS.items() if host.startswith(kind)), ())
    web = family(f"{_OS}PROCESS_apache_10001_", "PROCPPCount 12", spread=0.1, decimals=0) if "apache" in host else ()
    return (
        *(*_CPU, *_MEMORY, *_SWAP, *_NETWORK, *_SYSTEM, *web),
        *(each for core in cores for each in _CORES[core]),
        *(*_disk("sda", 0.3, 60), *_disk("sdb", 0.05, 120)),
        *(_disk("sdc", 0.5, 30) if host.startswith("Mysql") else ()),
        *(each for mount in ("", "boot", "home", "tmp") for each in _filesystem(mount)),
        *(each for mount in ("cmbc_admin", "usr-openv") if host[-1] == "1" for each in _filesystem(mount)),
        *(each for mount in own for each in _filesystem(mount, telling=True)),
    )


def _dockers(day: Day) -> Iterator[Series]:
    """Containers that live for a day or less."""
    rng = day.chance("dockers")
    codes = ids.glue(ids.draw_hex(rng, 9, 12)).to_pylist()
    for number, code in enumerate(codes):
        role, place = rng.choice(["role", "trace"]), rng.choice(["02", "03", "04", "06", "18"])
        prefix = f"Container-DOCKER_CONTAINER_{code}--bcou-{role}-st-uat-statefulset-{number % 2}--bcou--UATWKR{place}_"
        names = "CpuPercent 2, MemPercent 30, MemUsage 6e8, MemLimit 2e9, NetworkRxBytes 9e5, NetworkTxBytes 8e5"
        for kpi in family(prefix, names, spread=0.2, missing=0.95):
            yield Series(f"UATWKR{place}", kpi, "")
