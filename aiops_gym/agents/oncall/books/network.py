"""Kubernetes, "Debug Services" from inside a pod: what pings and knocks say of a pod's network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.oncall.books.policies import caught
from aiops_gym.agents.oncall.findings import NETWORK, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, owner
from aiops_gym.agents.oncall.signals import restarts_since

_SLOW = 20.0
"""Milliseconds: a round trip within a cluster takes less than one."""


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/, "Is kube-proxy working", and ping(8)."""
    names = {pod["name"]: owner(pod) for pod in cluster.of("Pod") if cluster.workload(pod) is not None}
    lines = cluster.signals.get("pings", "").splitlines()
    found = [(names.get(line.partition(" ")[0], ""), line) for line in lines if line]
    silent = [name for name, line in found if name and "100% packet loss" in line]
    for name, line in found:
        lost = re.search(r"(\d+)% packet loss", line)
        took = re.search(r"= [\d.]+/([\d.]+)/", line)
        if not name or not lost:
            continue
        if int(lost[1]) == 100 and (len(silent) > 2 or _is_guarded(cluster, name) or not _is_up(cluster, line)):
            continue
        if int(lost[1]) > 0:
            depth = 1 if int(lost[1]) < 100 else 0
            yield Finding(name, PLATFORM, NETWORK, f"{lost[1]} % of packets to it are lost", depth=depth)
        elif took and float(took[1]) > _SLOW:
            yield Finding(name, PLATFORM, NETWORK, f"packets to it and back take {took[1]} ms", depth=1)


def _is_guarded(cluster: Cluster, name: str) -> bool:
    """Whether a policy may keep our packets from it."""
    workload = next(each for each in cluster.workloads() if each["name"] == name)
    labels = workload["template"]["metadata"]["labels"]
    return any(caught(each["spec"].get("podSelector") or {}, labels) for each in cluster.of("NetworkPolicy"))


def _is_up(cluster: Cluster, line: str) -> bool:
    """Whether its container was not started anew since it was read."""
    name = line.partition(" ")[0]
    return all(
        state["ready"] and state["restarts"] == restarts_since(cluster).get(name)
        for pod in cluster.of("Pod")
        if pod["name"] == name
        for state in pod["states"]
    )
