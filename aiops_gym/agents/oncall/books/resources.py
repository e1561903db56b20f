"""Prometheus' mixin for Kubernetes, "CPUThrottlingHigh", and "Resource Management for Pods and Containers"."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.oncall.findings import CAUSE, LIKELY, MISCONFIGURED, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers
from aiops_gym.agents.oncall.repairs import get, restore
from aiops_gym.agents.oncall.signals import is_hurt, read_table

_SHARE = 0.25
"""CPUThrottlingHigh fires above it."""

_TIGHT = 0.1
"""Cores: less is little for anything that serves requests."""


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://runbooks.prometheus-operator.dev/runbooks/kubernetes/cputhrottlinghigh/."""
    throttled = read_table(cluster.signals.get("throttled", ""))
    for workload in cluster.workloads():
        for at, container in enumerate(containers(workload)):
            limit = cores(get(container, ("resources", "limits", "cpu")))
            held = max((throttled.get(pod["name"], 0.0) for pod in cluster.pods(workload)), default=0.0)
            if limit is None or (limit >= _TIGHT and held < _SHARE):
                continue
            if held >= _SHARE or limit < _TIGHT:
                strength = CAUSE if (held >= _SHARE and limit < _TIGHT) or is_hurt(cluster) else LIKELY
                why = f"it may use {limit} cores, and is throttled for {held:.0%} of its periods"
                path = ("spec", "containers", at, "resources")
                repair = restore(cluster, workload, path, usual_resources(cluster, workload))
                yield Finding(workload["name"], PLATFORM, MISCONFIGURED, why, strength, (repair,), 1)


def usual_resources(cluster: Cluster, workload: Object) -> object:
    """What most other containers of the namespace are given."""
    others = [
        each.get("resources", {})
        for other in cluster.workloads()
        if other is not workload
        for each in containers(other)
    ]
    return max(others, key=others.count, default={})


def cores(text: object) -> float | None:
    """A quantity of CPU.

    >>> cores("250m"), cores("2"), cores(None)
    (0.25, 2.0, None)
    """
    if not isinstance(text, str):
        return None
    return int(text[:-1]) / 1000 if text.endswith("m") else float(text)
