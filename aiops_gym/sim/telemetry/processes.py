"""What the client libraries of Prometheus tell of any program: its process, and of those in Go their runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aiops_gym.sim.telemetry import scrapes
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import MIB, Column, Family, Scrape, constant, grow, wobble
from aiops_gym.sim.telemetry.metrics import MEASURES

KUBELET_CORES, KUBELET_MEMORY = 0.035, 92.0 * MIB
"""What a kubelet takes of its node's system."""

Read = Callable[[Scrape], Floats]


def _measured(scrape: Scrape, name: str, kubelet: Read) -> Floats:
    """What cAdvisor says of the process that answers."""
    if scrape.life is None:
        return kubelet(scrape)
    namespace = scrape.life.record["pod"].partition("/")[0]
    seen = scrapes.scrape_processes(scrape.world, scrape.node, namespace, scrape.times.tolist())
    values, row, found = MEASURES[name](seen.own), 0, scrape.constant(np.nan)
    for life, there in seen.lives:
        if life.id == scrape.life.id:
            found[there.start : there.stop] = values[row : row + len(there)]
        row += len(there)
    return found


def _cpu(scrape: Scrape) -> Floats:
    name = "container_cpu_usage_seconds_total"
    return np.round(_measured(scrape, name, lambda s: grow(s, "cpu") * KUBELET_CORES), 2)


def _memory(scrape: Scrape) -> Floats:
    found = _measured(scrape, "container_memory_rss", lambda s: KUBELET_MEMORY * wobble(s, "memory", 0.02))
    return np.floor(found / 4096.0) * 4096.0


def _gauge(name: str, help_: str, read: Read, kind: str = "gauge") -> Family:
    return Family(name, kind, help_, lambda scrape: [({}, read(scrape))])


def _pauses(scrape: Scrape) -> Iterator[Column]:
    """A collection takes some dozen microseconds, twice a minute at least."""
    name, median = "go_gc_duration_seconds", 6.1e-05
    for quantile, factor in (("0", 0.4), ("0.25", 0.8), ("0.5", 1.0), ("0.75", 1.6), ("1", 12.0)):
        yield {"quantile": quantile}, np.round(median * factor * wobble(scrape, f"pause {quantile}", 0.2), 9)
    count = np.floor(grow(scrape, name) / 28.0)
    yield {"__name__": f"{name}_count"}, count
    yield {"__name__": f"{name}_sum"}, np.round(count * median * 1.3, 9)


def _heap(share: float, purpose: str) -> Read:
    return lambda scrape: np.floor(_memory(scrape) * share * wobble(scrape, purpose, 0.1))


def _level(value: float, purpose: str, spread: float = 0.1) -> Read:
    return lambda scrape: np.floor(value * wobble(scrape, purpose, spread))


PROCESS: tuple[Family, ...] = (
    _gauge("process_cpu_seconds_total", "Processor time of the process, in seconds", _cpu, "counter"),
    constant("process_max_fds", "Most file descriptors that may be open", 1048576.0),
    _gauge("process_open_fds", "Open file descriptors", _level(18.0, "descriptors")),
    _gauge("process_resident_memory_bytes", "Resident memory in bytes", _memory),
    _gauge("process_start_time_seconds", "When the process was started, Unix seconds",
           lambda scrape: scrape.constant(scrape.started / 1000.0)),
    _gauge("process_virtual_memory_bytes", "Virtual memory in bytes", lambda scrape: _memory(scrape) + 1180.0 * MIB),
)  # fmt: skip


def describe_go(version: str, goroutines: float = 40.0) -> tuple[Family, ...]:
    """The families of a Go program's runtime and process."""
    return (
        Family("go_gc_duration_seconds", "summary", "Pauses of garbage collection", _pauses),
        _gauge("go_goroutines", "Goroutines that there are", _level(goroutines, "goroutines")),
        constant("go_info", "Version of Go", version=version),
        _gauge("go_memstats_alloc_bytes", "Bytes allocated and in use", _heap(0.35, "alloc")),
        _gauge("go_memstats_heap_inuse_bytes", "Bytes in spans of the heap that are in use", _heap(0.42, "heap")),
        _gauge("go_memstats_sys_bytes", "Bytes obtained from the system", _heap(0.9, "sys")),
        _gauge("go_threads", "Threads that there are", _level(11.0, "threads", 0.05)),
        *PROCESS,
    )
