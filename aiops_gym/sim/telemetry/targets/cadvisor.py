"""cAdvisor inside a kubelet: what the containers of its node use, their pods, and the node as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.telemetry import machines, scrapes
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import MIB, Column, Family, Kind, Scrape, constant
from aiops_gym.sim.telemetry.lives import Life
from aiops_gym.sim.telemetry.metrics import MEASURES, USER_SHARE, Measure
from aiops_gym.sim.telemetry.scrapes import Scraped, Seen
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


def _sandbox(seed: int, uid: str) -> str:
    """The id of the container that holds a pod's network."""
    return draws.hexes(64, seed, "sandbox", uid)


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


def _pods(scrape: Scrape, seen: Seen, values: Floats) -> dict[str, tuple[int, Floats]]:
    """The sum over the containers of each pod, by its uid, and the number of one of its processes."""
    found: dict[str, tuple[int, Floats]] = {}
    for i, column in enumerate(seen.columns(values, len(scrape.times))):
        uid = seen.lives[i][0].record["uid"]
        if uid not in found:
            found[uid] = (i, column)
            continue
        other = found[uid][1]
        found[uid] = (i, np.where(np.isnan(other), column, other + np.nan_to_num(column)))
    return found


def _used(
    name: str,
    help_: str,
    kind: str = "counter",
    limited: bool = False,
    measure: Measure | None = None,
    **more: str,
) -> Family:
    """What processes use; with their pods and the node where cAdvisor has those as well, which is without `measure`."""

    def read(scrape: Scrape) -> Iterator[Column]:
        seen, of = _seen(scrape), measure or MEASURES[name]
        for i, column in enumerate(seen.columns(of(seen.own), len(scrape.times))):
            quota = seen.limits[i]
            if quota.cpu is not None or not limited:
                yield {**_container(seen.lives[i][0], quota), **more}, column
        for i, column in _pods(scrape, seen, of(seen.pods)).values() if measure is None else ():
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


def _minutes(own: Scraped) -> Floats:
    found: Floats = (own.times - own.started) // MINUTE
    return found


def _nothing(own: Scraped) -> Floats:
    return np.zeros(len(own.times))


def _machine(name: str, help_: str, resource: str) -> Family:
    def read(scrape: Scrape) -> Iterator[Column]:
        told = {"boot_id": "bootID", "machine_id": "machineID", "system_uuid": "systemUUID"}
        labels = {label: machines.read_info(scrape, field) for label, field in told.items()}
        yield labels, scrape.constant(machines.read_capacity(scrape, resource))

    return Family(name, "gauge", help_, read)


ROOT = "/dev/root"
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
        _used("container_threads", "Threads running inside", "gauge", measure=MEASURES["container_threads"]),
        _used("container_threads_max", "Threads allowed inside", "gauge", measure=MEASURES["container_threads_max"]),
        *(_network(f"container_network_{way}_{what}_total", f"Network: {what.replace('_', ' ')}, {way}")
          for way in ("receive", "transmit") for what in ("bytes", "errors", "packets", "packets_dropped")),
        _used("container_file_descriptors", "Open file descriptors", "gauge",
              measure=lambda own: np.floor(own.threads) + 6.0),
        _used("container_fs_usage_bytes", "Bytes that it uses of its file system", "gauge",
              measure=lambda own: _minutes(own) * 4096.0 + FILES, device=ROOT),
        _used("container_fs_writes_total", "Writes completed", measure=_minutes, device=ROOT),
        _used("container_fs_writes_bytes_total", "Bytes written", device=ROOT,
              measure=lambda own: _minutes(own) * 4096.0),
        _used("container_last_seen", "When it was seen last", "gauge", measure=lambda own: own.times // 1000.0),
        # It is counted where a process inside dies: where it is the first one, the container and its counter are gone
        # as well (https://github.com/google/cadvisor/issues/3015). Here it is always the first one.
        _used("container_oom_events_total", "Times that memory ran out inside", measure=_nothing),
        _used("container_sockets", "Open sockets", "gauge", measure=lambda own: np.floor(own.threads / 2.0)),
        _used("container_start_time_seconds", "When it was started, Unix seconds", "gauge",
              measure=lambda own: own.started // 1000.0),
        constant("container_scrape_error", "1 if containers could not be measured, else 0", 0.0),
        _machine("machine_cpu_cores", "Logical CPU cores of the machine", "cpu"),
        _machine("machine_memory_bytes", "Memory of the machine", "memory"),
    ),
    seconds=0.045,
)  # fmt: skip
