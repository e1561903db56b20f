"""cAdvisor inside a kubelet: what the containers of its node use, their pods, and the node as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aiops_gym import caches
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.telemetry import machines, scrapes
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import MIB, Column, Family, Kind, Scrape, constant
from aiops_gym.sim.telemetry.lives import Life
from aiops_gym.sim.telemetry.metrics import MEASURES, USER_SHARE
from aiops_gym.sim.telemetry.scrapes import Seen
from aiops_gym.sim.traffic.quotas import Quota

PAUSE = "registry.k8s.io/pause:3.10"
"""The image of the container that holds a pod's network."""

SLICE = "/kubelet.slice/kubelet-kubepods.slice"
WORKING_SET = "container_memory_working_set_bytes"
SHARES = {
    "container_cpu_usage_seconds_total": 1.0,
    "container_cpu_user_seconds_total": USER_SHARE,
    "container_cpu_system_seconds_total": 1.0 - USER_SHARE,
}
"""Counters of processor time, and how much of all of it they count."""

FILES = 0.4 * MIB
"""Bytes that a container has written into its own layer at its start; then it is a page a minute."""

Value = Callable[[Floats, int, Floats], Floats]
"""(times, start of the process, both in ms, threads) -> values."""


def _labels(life: Life, quota: Quota) -> dict[str, str]:
    """Of the pod's cgroup."""
    namespace, _, pod = life.record["pod"].partition("/")
    effort = "burstable" if quota.cpu or quota.request or quota.memory else "besteffort"
    inner = f"kubelet-kubepods-{effort}"
    where = f"{SLICE}/{inner}.slice/{inner}-pod{life.record['uid'].replace('-', '_')}.slice"
    return {"id": where, "namespace": namespace, "pod": pod}


def _container(life: Life, quota: Quota) -> dict[str, str]:
    inside = {"container": life.container, "image": _image(life.record["image"]), "name": life.id}
    labels = _labels(life, quota)
    return {**labels, **inside, "id": f"{labels['id']}/cri-containerd-{life.id}.scope"}


@caches.function(2_000, "drawing the id of a pod's sandbox")
def _sandbox(seed: int, uid: str) -> str:
    """The id of the container that holds a pod's network."""
    return draws.hexes(64, seed, "sandbox", uid)


@caches.function(500, "writing out the name of an image")
def _image(name: str) -> str:
    """As containerd resolves it."""
    first, slash, _ = name.partition("/")
    if not slash:
        name = f"docker.io/library/{name}"
    elif "." not in first and ":" not in first:
        name = f"docker.io/{name}"
    return name if ":" in name.rpartition("/")[2] or "@" in name else f"{name}:latest"


def _seen(scrape: Scrape) -> Seen:
    return scrapes.scrape_processes(scrape.world, scrape.node, scrape.namespace, scrape.times.tolist())


def _each(scrape: Scrape, seen: Seen, values: Floats) -> Iterator[tuple[int, Floats]]:
    """The column of each process, by its number."""
    row = 0
    for i, (_, there) in enumerate(seen.lives):
        column = scrape.constant(np.nan)
        column[there.start : there.stop] = values[row : row + len(there)]
        row += len(there)
        yield i, column


def _pods(scrape: Scrape, seen: Seen, values: Floats) -> dict[str, tuple[int, Floats]]:
    """The sum over the containers of each pod, by its uid, and the number of one of its processes."""
    found: dict[str, tuple[int, Floats]] = {}
    for i, column in _each(scrape, seen, values):
        uid = seen.lives[i][0].record["uid"]
        if uid in found:
            other = found[uid][1]
            both = np.where(np.isnan(other), column, np.where(np.isnan(column), other, other + column))
            found[uid] = (found[uid][0], both)
        else:
            found[uid] = (i, column)
    return found


def _used(
    name: str, help_: str, kind: str = "counter", limited: bool = False, whole: bool = True, **more: str
) -> Family:
    """What processes use, with their pods and the node where cAdvisor has those as well."""

    def read(scrape: Scrape) -> Iterator[Column]:
        seen, measure = _seen(scrape), MEASURES[name]
        for i, column in _each(scrape, seen, measure(seen.own)):
            quota = seen.limits[i]
            if quota.cpu is not None or not limited:
                yield {**_container(seen.lives[i][0], quota), **more}, column
        if whole:
            for i, column in _pods(scrape, seen, measure(seen.pods)).values():
                if seen.limits[i].cpu is not None or not limited:
                    yield {**_labels(seen.lives[i][0], seen.limits[i]), **more}, column
        if not scrape.namespace and (name in SHARES or name == WORKING_SET):
            yield {"id": "/", **more}, _node(scrape, name)

    return Family(name, kind, help_, read)


def _node(scrape: Scrape, name: str) -> Floats:
    """The same of all of a node."""
    if name in SHARES:
        return np.round(machines.count_busy(scrape) * SHARES[name], 6)
    return machines.measure_memory(scrape)


def _network(name: str, help_: str) -> Family:
    """What went over a pod's interface: cAdvisor sees it at the container that holds the network."""

    def read(scrape: Scrape) -> Iterator[Column]:
        seen = _seen(scrape)
        for i, column in _pods(scrape, seen, MEASURES[name](seen.pods)).values():
            life = seen.lives[i][0]
            labels, sandbox = _labels(life, seen.limits[i]), _sandbox(scrape.world.seed, life.record["uid"])
            inside = {"image": PAUSE, "interface": "eth0", "name": sandbox}
            yield {**labels, **inside, "id": f"{labels['id']}/cri-containerd-{sandbox}.scope"}, column

    return Family(name, "counter", help_, read)


def _of_container(name: str, help_: str, kind: str, value: Value, **more: str) -> Family:
    """What containers have and their pods have not."""

    def read(scrape: Scrape) -> Iterator[Column]:
        seen, row = _seen(scrape), 0
        for (life, there), quota in zip(seen.lives, seen.limits, strict=True):
            times, column = scrape.times[there.start : there.stop].astype(np.float64), scrape.constant(np.nan)
            column[there.start : there.stop] = value(times, life.started, seen.own.threads[row : row + len(there)])
            row += len(there)
            yield {**_container(life, quota), **more}, column

    return Family(name, kind, help_, read)


def _machine(name: str, help_: str, resource: str) -> Family:
    def read(scrape: Scrape) -> Iterator[Column]:
        told = {"boot_id": "bootID", "machine_id": "machineID", "system_uuid": "systemUUID"}
        labels = {label: machines.read_info(scrape, field) for label, field in told.items()}
        yield labels, scrape.constant(machines.read_capacity(scrape, resource))

    return Family(name, "gauge", help_, read)


ROOT = {"device": "/dev/root"}
CPU, MEMORY, LIMIT = "CPU time used, in seconds", "bytes of memory", "as set by the container's limits"
kind = Kind(
    (
        constant("cadvisor_version_info", "Versions of the kernel, the system and cAdvisor", 1.0, cadvisorVersion="",
                 dockerVersion="", cadvisorRevision="", kernelVersion="5.15.0-1073-azure",
                 osVersion="Debian GNU/Linux 12 (bookworm)"),
        _used("container_cpu_usage_seconds_total", f"{CPU}, by CPU", cpu="total"),
        _used("container_cpu_user_seconds_total", f"{CPU} outside the kernel"),
        _used("container_cpu_system_seconds_total", f"{CPU} inside the kernel"),
        _used("container_cpu_cfs_periods_total", "Periods in which the quota was enforced", limited=True),
        _used("container_cpu_cfs_throttled_periods_total", "Periods in which the quota was used up", limited=True),
        _used("container_cpu_cfs_throttled_seconds_total", "Seconds for which it had to wait", limited=True),
        _used("container_cpu_load_average_10s", "Load average of the last 10 seconds", "gauge"),
        _used("container_memory_cache", f"Page cache, {MEMORY}", "gauge"),
        _used("container_memory_mapped_file", f"Mapped files, {MEMORY}", "gauge"),
        _used("container_memory_rss", f"Resident set, {MEMORY}", "gauge"),
        _used("container_memory_usage_bytes", f"All {MEMORY} in use, whenever they were last touched", "gauge"),
        _used("container_memory_working_set_bytes", f"Working set, {MEMORY}", "gauge"),
        _used("container_spec_cpu_period", f"CPU period, {LIMIT}", "gauge"),
        _used("container_spec_cpu_quota", f"CPU quota, {LIMIT}", "gauge", limited=True),
        _used("container_spec_cpu_shares", f"CPU shares, {LIMIT}", "gauge"),
        _used("container_spec_memory_limit_bytes", f"Memory, {LIMIT}", "gauge"),
        _used("container_threads", "Threads running inside", "gauge", whole=False),
        _used("container_threads_max", "Threads allowed inside, 0 for any number", "gauge", whole=False),
        *(_network(f"container_network_{way}_{what}_total", f"Network: {what.replace('_', ' ')}, {way}")
          for way in ("receive", "transmit") for what in ("bytes", "errors", "packets", "packets_dropped")),
        _of_container("container_file_descriptors", "Open file descriptors", "gauge",
                      lambda times, started, threads: np.floor(threads) + 6.0),
        _of_container("container_fs_usage_bytes", "Bytes that it uses of its file system", "gauge",
                      lambda times, started, threads: (times - started) // MINUTE * 4096.0 + FILES, **ROOT),
        _of_container("container_fs_writes_total", "Writes completed", "counter",
                      lambda times, started, threads: (times - started) // MINUTE * 1.0, **ROOT),
        _of_container("container_fs_writes_bytes_total", "Bytes written", "counter",
                      lambda times, started, threads: (times - started) // MINUTE * 4096.0, **ROOT),
        _of_container("container_last_seen", "When it was seen last", "gauge",
                      lambda times, started, threads: times // 1000 * 1.0),
        _of_container("container_oom_events_total", "Times that it ran out of memory", "counter",
                      lambda times, started, threads: times * 0.0),
        _of_container("container_sockets", "Open sockets", "gauge",
                      lambda times, started, threads: np.floor(threads / 2.0)),
        _of_container("container_start_time_seconds", "When it was started, Unix seconds", "gauge",
                      lambda times, started, threads: times * 0.0 + started // 1000),
        constant("container_scrape_error", "1 if containers could not be measured, else 0", 0.0),
        _machine("machine_cpu_cores", "Logical CPU cores of the machine", "cpu"),
        _machine("machine_memory_bytes", "Memory of the machine", "memory"),
    ),
    seconds=0.045,
)  # fmt: skip
