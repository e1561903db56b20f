"""The kubelet: its pods, its volumes, and what it asks of the runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from aiops_gym.sim.kernel.objects import get, key_of, namespace_of
from aiops_gym.sim.telemetry import journal, scrapes
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import Column, Family, Kind, Scrape, constant, grow, histogram, never, steady
from aiops_gym.sim.telemetry.processes import describe_go
from aiops_gym.types import Json

FINE = "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10"
START = "0.5 1 2 3 4 5 6 8 10 20 30 45 60 120 180 240 300 360 480 600 900 1200 1800 2700 3600"
CALLS = ("container_status", "exec_sync", "list_containers", "list_podsandbox", "podsandbox_status", "version")
SHARES = (0.32, 0.2, 0.22, 0.16, 0.06, 0.04)
DISK, FILLED, FILES = 263174212 * 1024.0, 0.41, 33_177_600.0
"""The disk of the machine, which local volumes share."""


def _containers(scrape: Scrape) -> Iterator[Column]:
    seen = scrapes.scrape_processes(scrape.world, scrape.node, "", scrape.times.tolist())
    running = scrape.constant(0.0)
    for _, there in seen.lives:
        running[there.start : there.stop] += 1.0
    yield {"container_state": "running"}, running


def _pods(scrape: Scrape) -> Iterator[Column]:
    """Pods with something that runs."""
    seen = scrapes.scrape_processes(scrape.world, scrape.node, "", scrape.times.tolist())
    there: dict[str, Floats] = {}
    for life, when in seen.lives:
        mask = there.setdefault(life.record["uid"], np.zeros(len(scrape.times)))
        mask[when.start : when.stop] = 1.0
    yield {}, sum(there.values(), scrape.constant(0.0))


def _known(scrape: Scrape, resource: str) -> dict[str, Mapping[str, Json]]:
    """All objects of a resource as they were last, by key."""
    found = {}
    for versions in journal.list_versions(scrape.world, resource):
        obj = next(each for each in reversed(versions.objects) if each is not None)
        found[key_of(obj)] = obj
    return found


def _mounted(scrape: Scrape) -> Iterator[tuple[str, str, slice]]:
    """Namespace and name of each claim that a pod of the node mounts, and when."""
    for versions in journal.list_versions(scrape.world, "pods", scrape.namespace):
        for pod, where in journal.pick(versions, scrape.seen):
            if pod["spec"].get("nodeName") == scrape.node:
                for volume in pod["spec"].get("volumes", ()):
                    claim = get(volume, "persistentVolumeClaim", "claimName")
                    if claim:
                        yield namespace_of(pod), claim, where


def _volumes(name: str, help_: str, value: float, growing: float = 0.0) -> Family:
    """Of each claim that is mounted, where the volume is one that can be measured: none is a path of the node."""

    def read(scrape: Scrape) -> Iterator[Column]:
        values = scrape.constant(value)
        if growing:
            values = np.floor((values + grow(scrape, "disk") * growing) / 4096.0) * 4096.0
        claims, volumes = _known(scrape, "persistentvolumeclaims"), _known(scrape, "persistentvolumes")
        found: dict[tuple[str, str], Column] = {}
        for namespace, claim, where in _mounted(scrape):
            bound = get(claims.get(f"{namespace}/{claim}", {}), "spec", "volumeName", default="")
            if "hostPath" not in get(volumes.get(f"/{bound}", {}), "spec", default={"hostPath": ""}):
                labels = {"namespace": namespace, "persistentvolumeclaim": claim}
                column = found.setdefault((namespace, claim), (labels, scrape.constant(np.nan)))
                column[1][where] = values[where]
        yield from found.values()

    return Family(f"kubelet_volume_stats_{name}", "gauge", help_, read)


kind = Kind(
    (
        constant("kubernetes_build_info", "Version of Kubernetes", build_date="2025-01-15T14:31:55Z", compiler="gc",
                 git_commit="e9c9be4007d1664e68796af02b8978640d2c1b26", git_tree_state="clean",
                 git_version="v1.32.1", go_version="go1.23.4", major="1", minor="32", platform="linux/amd64"),
        never("kubelet_certificate_manager_client_expiration_renew_errors", "Certificates that were not renewed"),
        histogram("kubelet_cgroup_manager_duration_seconds", "Seconds that work on a cgroup takes", FINE, 0.4, 0.0008,
                  {"operation_type": "update"}),
        Family("kubelet_node_name", "gauge", "Name of the node",
               lambda scrape: [({"node": scrape.node}, scrape.constant(1.0))]),
        histogram("kubelet_pleg_relist_duration_seconds", "Seconds that a look at all containers takes", FINE, 0.98,
                  0.004),
        histogram("kubelet_pleg_relist_interval_seconds", "Seconds between two looks", FINE, 0.98, 1.0),
        histogram("kubelet_pod_start_duration_seconds", "Seconds until a pod that was seen runs", START, 0.0006, 2.1),
        histogram("kubelet_pod_worker_duration_seconds", "Seconds that work on a pod takes", FINE, 0.4, 0.006,
                  {"operation_type": "sync"}),
        Family("kubelet_running_containers", "gauge", "Containers by state", _containers),
        Family("kubelet_running_pods", "gauge", "Pods that run", _pods),
        never("kubelet_runtime_operations_errors_total", "Questions to the runtime that failed",
              operation_type="container_status"),
        steady("kubelet_runtime_operations_total", "Questions to the runtime", 9.0,
               *(({"operation_type": call}, share) for call, share in zip(CALLS, SHARES, strict=True))),
        never("kubelet_server_expiration_renew_errors", "Certificates of the server that were not renewed"),
        _volumes("available_bytes", "Bytes of a volume that are free", DISK * (1.0 - FILLED), -900.0),
        _volumes("capacity_bytes", "Bytes of a volume", DISK),
        _volumes("inodes", "Files that a volume may have", FILES),
        _volumes("inodes_free", "Files that a volume may have still", FILES - 773_484.0),
        _volumes("inodes_used", "Files of a volume", 773_484.0),
        _volumes("used_bytes", "Bytes of a volume that are in use", DISK * FILLED, 900.0),
        steady("rest_client_requests_total", "Requests to the API server", 0.9,
               ({"code": "200", "host": "127.0.0.1:6443", "method": "GET"}, 0.5),
               ({"code": "200", "host": "127.0.0.1:6443", "method": "PATCH"}, 0.2),
               ({"code": "200", "host": "127.0.0.1:6443", "method": "PUT"}, 0.3)),
        histogram("storage_operation_duration_seconds", "Seconds that work on a volume takes",
                  "0.1 0.25 0.5 1 2.5 5 10 15 25 50 120 300 600", 0.01, 0.002,
                  {"operation_name": "verify_controller_attached_volume", "status": "success"}),
        *describe_go("go1.23.4", 210.0),
    ),
    seconds=0.012,
)  # fmt: skip
