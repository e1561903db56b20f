"""metric_runtime.csv: the Java machines of adservice, the only service in Java; one for each deployment."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.openrca.synth.market import chunks
from aiops_gym.openrca.synth.model import Block, Day, Kpi, Series

SLOT = "runtime"
MACHINES = ("adservice.ts:8088", "adservice2.ts:8088")
MB = 1_048_576

HEAP = {"Eden_Space": 45.1, "Survivor_Space": 5.6, "Tenured_Gen": 112.6}
"""Pool -> its size in MB."""

POOLS = {"Code_Cache": 14.2, "Compressed_Class_Space": 2.9, "Metaspace": 27.4, **HEAP}
COLLECTORS = ("Copy", "MarkSweepCompact")
SIZES = ("committed", "init", "max", "used")
LIMITS = {"Code_Cache": 240.0, "Compressed_Class_Space": 1024.0, "Metaspace": -1.0, **HEAP}
"""Pool -> its maximum in MB; -1 is none."""


def _steady(name: str, value: float) -> Kpi:
    return Kpi(name=name, base=value, spread=0.0, low=float("-inf"), decimals=6)


def _flags(prefix: str, values: dict[str, float]) -> Iterator[Kpi]:
    for name, value in values.items():
        yield _steady(f"{prefix}{name}", value)


def _size(name: str, kind: str, pool: str, factor: float) -> Kpi:
    """A pool's size of one kind; what is used of the heap moves with the load, the rest hardly."""
    if kind == "max":
        return _steady(name, LIMITS[pool] * factor if LIMITS[pool] > 0 else -1.0 if factor > 1 else -1 / MB)
    if kind == "init":
        return _steady(name, 2.4375 * factor if pool == "Code_Cache" else HEAP.get(pool, 0.0) * factor)
    level = POOLS[pool] * factor
    if kind == "committed" or pool not in HEAP:
        return Kpi(name=name, base=level * (1.06 if kind == "committed" else 1), spread=0.0005, memory=0.97, decimals=6)
    return Kpi(name=name, base=(0.3 * level, 0.5 * level), spread=0.25, memory=0.3, daily=0.3, high=level, decimals=6)


def _pools() -> Iterator[Kpi]:
    for pool, level in POOLS.items():
        for kind in SIZES:
            yield _size(f"java_lang_MemoryPool_Usage_{kind}.{pool}", kind, pool, MB)
            yield _size(f"java_lang_MemoryPool_PeakUsage_{kind}.{pool}", kind, pool, MB)
            yield _size(f"jvm_memory_pool_MB_{kind}.{pool}", kind, pool, 1)
            if pool in HEAP:
                yield _size(f"java_lang_MemoryPool_CollectionUsage_{kind}.{pool}", kind, pool, MB)
            for moment in ("After", "Before"):
                for collector in COLLECTORS:
                    name = f"java_lang_GarbageCollector_LastGcInfo_memoryUsage{moment}Gc_{kind}.{pool}.{collector}"
                    yield _size(name, kind, pool, MB)
        yield Kpi(name=f"jvm_memory_pool_allocated_MB_total.{pool}", base=0.0004 * level, total=True, decimals=6)
        thresholds = {
            "UsageThreshold": pool not in ("Eden_Space", "Survivor_Space"),
            "CollectionUsageThreshold": pool in HEAP,
        }
        for threshold, there in thresholds.items():
            yield _steady(f"java_lang_MemoryPool_{threshold}Supported.{pool}", float(there))
            for end in ("", "Count", "Exceeded") if there else ():
                yield _steady(f"java_lang_MemoryPool_{threshold}{end}.{pool}", 0)
        yield _steady(f"java_lang_MemoryPool_Valid.{pool}", 1)


def _collectors() -> Iterator[Kpi]:
    for collector in COLLECTORS:
        young = collector == "Copy"
        last = "java_lang_GarbageCollector_LastGcInfo_"
        yield _steady(f"{last}GcThreadCount.{collector}", 1)
        yield Kpi(name=f"{last}duration.{collector}", base=4 if young else 60, spread=0.4, decimals=0)
        for name in ("endTime", "startTime"):
            yield Kpi(name=f"{last}{name}.{collector}", base=6e4, spread=0.02, total=True, decimals=0)
        for name in (f"{last}id", "java_lang_GarbageCollector_CollectionCount", "jvm_gc_collection_seconds_count"):
            yield Kpi(name=f"{name}.{collector}", base=0.9 if young else 0.002, counts=True, total=True, decimals=0)
        for name, unit in (
            ("java_lang_GarbageCollector_CollectionTime", 1.0),
            ("jvm_gc_collection_seconds_sum", 0.001),
        ):
            yield Kpi(name=f"{name}.{collector}", base=(3.5 if young else 0.1) * unit, total=True, decimals=6)
        yield _steady(f"java_lang_GarbageCollector_Valid.{collector}", 1)


def _memory() -> Iterator[Kpi]:
    for area, size in (("Heap", sum(HEAP.values())), ("NonHeap", 44.5)):
        for kind, share in (("committed", 1.0), ("init", 0.06), ("max", 1.5), ("used", 0.42)):
            bound = -1.0 if area == "NonHeap" and kind == "max" else size * share
            for name, unit in (
                (f"java_lang_Memory_{area}MemoryUsage_{kind}", MB),
                (f"jvm_memory_MB_{kind}.{area.lower()}", 1),
            ):
                if kind in ("used", "committed"):
                    spread = 0.12 if (area, kind) == ("Heap", "used") else 0.0005
                    yield Kpi(name=name, base=bound * unit, spread=spread, decimals=6)
                else:
                    yield _steady(name, bound * unit if bound > 0 else -1.0 if unit > 1 else -1 / MB)
    yield from _flags("java_lang_Memory_", {"ObjectPendingFinalizationCount": 0, "Verbose": 0})
    for pool, count in (("direct", 7), ("mapped", 0)):
        for name, value in (("Count", count), ("MemoryUsed", count * 8191.9), ("TotalCapacity", count * 8191.857)):
            yield _steady(f"java_nio_BufferPool_{name}.{pool}", round(value))
        for name, value in (("capacity_MB", count * 0.0078), ("used_MB", count * 0.0078), ("used_buffers", count)):
            yield _steady(f"jvm_buffer_pool_{name}.{pool}", value)


def _machine() -> Iterator[Kpi]:
    system = "java_lang_OperatingSystem_"
    yield from _flags(
        system,
        {
            "AvailableProcessors": 8,
            "FreeSwapSpaceSize": 0,
            "MaxFileDescriptorCount": 1_048_576,
            "TotalPhysicalMemorySize": 3.36e10,
            "TotalSwapSpaceSize": 0,
        },
    )
    yield Kpi(name=f"{system}CommittedVirtualMemorySize", base=4.6e9, spread=0.0002, decimals=0)
    yield Kpi(name=f"{system}FreePhysicalMemorySize", base=(6e9, 1e10), spread=0.02, memory=0.97, decimals=0)
    yield Kpi(name=f"{system}OpenFileDescriptorCount", base=(60, 80), spread=0.02, decimals=0)
    for name in ("ProcessCpuLoad", "SystemCpuLoad"):
        yield Kpi(
            name=system + name,
            base=(0.004, 0.02),
            spread=0.3,
            daily=0.8,
            high=1,
            decimals=6,
            bursts=0.5,
            burst=3,
            decisive=name == "ProcessCpuLoad",
        )
    yield Kpi(name=f"{system}SystemLoadAverage", base=(0.6, 2), spread=0.3, daily=0.6, decimals=2)
    yield Kpi(name=f"{system}ProcessCpuTime", base=6e8, spread=0.2, daily=0.8, total=True, decimals=0)
    yield from _flags("java_lang_Runtime_", {"BootClassPathSupported": 1, "StartTime": 1.647e12})
    yield Kpi(name="java_lang_Runtime_Uptime", base=60_000, spread=0.0, total=True, decimals=0)
    yield _steady("java_lang_Compilation_CompilationTimeMonitoringSupported", 1)
    yield Kpi(name="java_lang_Compilation_TotalCompilationTime", base=2.5, total=True, decimals=0)
    yield Kpi(name="jmx_scrape_duration_seconds", base=0.05, spread=0.3, decimals=9)
    yield from _flags("jmx_", {"config_reload_failure": 0, "config_reload_success": 0, "scrape_error": 0})
    yield _steady("jvm_info.Oracle_Corporation.OpenJDK_Runtime_Environment.1.8.0_302-b08", 1)


def _threads() -> Iterator[Kpi]:
    threads = "java_lang_Threading_"
    flags = (
        *("CurrentThreadCpuTimeSupported", "ObjectMonitorUsageSupported", "SynchronizerUsageSupported"),
        *("ThreadAllocatedMemoryEnabled", "ThreadAllocatedMemorySupported", "ThreadContentionMonitoringSupported"),
        *("ThreadCpuTimeEnabled", "ThreadCpuTimeSupported"),
    )
    yield from _flags(threads, dict.fromkeys(flags, 1.0))
    yield _steady(f"{threads}ThreadContentionMonitoringEnabled", 0)
    for name in ("CurrentThreadCpuTime", "CurrentThreadUserTime"):
        yield Kpi(name=threads + name, base=(1e8, 3e8), spread=0.2, decimals=0)
    counts = {"DaemonThreadCount": "daemon", "PeakThreadCount": "peak", "ThreadCount": "current"}
    for (long, short), level in zip(counts.items(), (18, 33, 29), strict=True):
        for name in (threads + long, f"jvm_threads_{short}"):
            yield Kpi(name=name, base=level, spread=0.0 if short == "peak" else 0.01, decimals=0)
    for name in (f"{threads}TotalStartedThreadCount", "jvm_threads_started_total"):
        yield Kpi(name=name, base=0.01, counts=True, total=True, decimals=0)
    yield from _flags("jvm_threads_", {"deadlocked": 0, "deadlocked_monitor": 0})
    states = {"BLOCKED": 0, "NEW": 0, "RUNNABLE": 9, "TERMINATED": 0, "TIMED_WAITING": 8, "WAITING": 12}
    for state, level in states.items():
        yield Kpi(name=f"jvm_threads_state.{state}", base=level, spread=0.03 if level else 0.0, decimals=0)


def _classes() -> Iterator[Kpi]:
    classes = "java_lang_ClassLoading_"
    loaded = {f"{classes}LoadedClassCount": 5162, "jvm_classes_loaded": 5162, f"{classes}TotalLoadedClassCount": 5164}
    yield from _flags("", {**loaded, "jvm_classes_loaded_total": 5164, f"{classes}UnloadedClassCount": 2})
    yield from _flags("", {"jvm_classes_unloaded": 2, f"{classes}Verbose": 0})
    yield from _flags("java_lang_MemoryManager_Valid.", {"CodeCacheManager": 1, "Metaspace_Manager": 1})


KPIS = (*_pools(), *_collectors(), *_memory(), *_machine(), *_threads(), *_classes())
"""As many as the original has, 333."""


def series() -> tuple[Series, ...]:
    """The curves of both machines, owned by themselves."""
    return tuple(Series(machine, kpi, machine) for kpi in KPIS for machine in MACHINES)


def rows(day: Day) -> Iterator[Block]:
    """The file's rows."""
    yield from chunks.samples(day, series(), SLOT)
