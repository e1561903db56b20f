"""What the bank's root causes do: magnitudes as measured on the original, 30 minutes before to 10 minutes after."""

from __future__ import annotations

from aiops_gym.openrca.synth.bank.logs import FULL_GC
from aiops_gym.openrca.synth.model import Effect, Instead, Longer, Reason, Slow

_CPU, _NET = "OSLinux-CPU_CPU_", "OSLinux-OSLinux_NETWORK_"
_CORE, _MEMORY = "OSLinux-CPU_CPU-", "OSLinux-OSLinux_MEMORY_MEMORY_"
_DISK, _MOUNT = "OSLinux-OSLinux_LOCALDISK_LOCALDISK-", "OSLinux-OSLinux_FILESYSTEM_-"


def _traffic(drop: float, tcp: float, share: float) -> tuple[Effect, ...]:
    """Less gets through, on a part of the failures."""
    return (
        Effect(kpi=f"{_NET}ens160_NETKBTotalPerSec", multiply=drop, share=share),
        Effect(kpi=f"{_NET}ens160_NETPackets*", multiply=drop, share=share),
        Effect(kpi=f"{_NET}ens160_NETBandwidthUtil", multiply=drop, share=share),
        Effect(kpi=f"{_NET}NETWORK_TotalTcpConnNum", multiply=tcp, share=0.75),
    )


def _business(slower: float, failed: float = 0.0) -> tuple[Effect, ...]:
    return (
        Effect(kpi="mrt", multiply=slower, scope="business"),
        Effect(kpi="sr", add=-failed, scope="business"),
    )


_ALL = (
    Reason(
        name="high CPU usage",
        shares={"metric": 1.0, "trace": 0.9, "log": 0.9},
        metrics=(
            Effect(kpi=f"{_CPU}CPUUserTime", add=30.2),
            Effect(kpi=f"{_CPU}CPUCpuUtil", add=31.0),
            Effect(kpi=f"{_CPU}CPUidleutil", add=-31.0),
            Effect(kpi=f"{_CPU}CPULoad", add=4.5),
            Effect(kpi=f"{_CORE}*_SingleCpuUtil", add=33.0),
            Effect(kpi=f"{_CORE}*_SingleCpuidle", add=-33.0),
        ),
        calls=(Slow(own=4.5),),
        longer=(Longer(log="*access_log", factor=2.0),),
    ),
    Reason(
        name="network packet loss",
        shares={"metric": 31 / 32, "trace": 0.9},
        telling=("metric", "trace"),
        metrics=(
            Effect(kpi=f"{_NET}NETWORK_TCP-FIN-WAIT", add=12.3),
            *_traffic(0.59, 0.64, 18 / 31),
            *_business(1.97, 0.2),
        ),
        calls=(Slow(wire=420, share=0.3),),
    ),
    Reason(
        name="network latency",
        shares={"metric": 22 / 27, "trace": 0.85},
        telling=("metric", "trace"),
        metrics=(
            Effect(kpi=f"{_NET}NETWORK_TCP-FIN-WAIT", add=3.4),
            *_traffic(0.59, 0.67, 0.6),
            *_business(1.71),
        ),
        calls=(Slow(wire=130),),
    ),
    Reason(
        name="high disk I/O read usage",
        shares={"metric": 1.0},
        metrics=(
            Effect(kpi=f"{_DISK}sdb_DSKReadWrite", add=68_300),
            Effect(kpi=f"{_DISK}sdb_DSKRead", add=64_570, share=16 / 19),
            Effect(kpi=f"{_DISK}sdb_DSKWrite", add=30_200, share=0.5),
            Effect(kpi=f"{_DISK}sdb_DSKRTps", add=520),
            Effect(kpi=f"{_DISK}sdb_DSKTps", add=560),
            Effect(kpi=f"{_DISK}sdb_DSKBps", add=68_000),
            Effect(kpi=f"{_DISK}sdb_DSKPercentBusy", add=62),
            Effect(kpi=f"{_CPU}CPUWio", add=9),
        ),
    ),
    Reason(
        name="high memory usage",
        shares={"metric": 0.8},
        metrics=(
            Effect(kpi=f"{_MEMORY}CacheMem", multiply=0.52),
            Effect(kpi=f"{_MEMORY}NoCacheMemPerc", add=21.3, share=7 / 8),
            Effect(kpi=f"{_MEMORY}MEMUsedMemPerc", add=1.5),
            Effect(kpi=f"{_MEMORY}MEMFreeMem", multiply=1.15),
        ),
    ),
    Reason(
        name="JVM Out of Memory (OOM) Heap",
        shares={"metric": 0.85, "log": 0.9, "trace": 0.7},
        telling=("metric", "log"),
        metrics=(
            Effect(kpi="JVM-Operating System_*_JVM_JVM_CPULoad", add=9.8),
            Effect(kpi="JVM-Memory_*_HeapMemoryUsage", reach=96.5, shape="ramp"),
            Effect(kpi="JVM-Memory_*_HeapMemoryUsed", reach=1.97e9, shape="ramp"),
            Effect(kpi="Tomcat-MEMORY_*JVMMemoryUsedPercent", reach=96.5, shape="ramp"),
            Effect(kpi=f"{_MEMORY}MEMFreeMem", multiply=0.8),
        ),
        calls=(Slow(own=3.0),),
        instead=(Instead(log="gc", text=FULL_GC, part=0.85),),
        longer=(Longer(log="*access_log", factor=1.4),),
    ),
    Reason(
        name="high disk space usage",
        shares={"metric": 0.8},
        metrics=(
            *(Effect(kpi=f"{_MOUNT}{mount}_FSCapacity", add=38, shape="step") for mount in ("tomcat", "apache", "app")),
            Effect(kpi=f"{_DISK}sd*_DSKRead", add=5.5),
            Effect(kpi=f"{_DISK}sdb_DSKReadWrite", add=27),
        ),
    ),
    Reason(
        name="high JVM CPU load",
        shares={"metric": 1.0, "trace": 0.5},
        metrics=(
            Effect(kpi="JVM-Operating System_*_JVM_JVM_CPULoad", add=24.3),
            Effect(kpi=f"{_CORE}3_SingleCpuUtil", add=51),
            Effect(kpi=f"{_CORE}3_SingleCpuidle", add=-51),
        ),
        calls=(Slow(own=3.5),),
    ),
)

REASONS = {reason.name: reason for reason in _ALL}
