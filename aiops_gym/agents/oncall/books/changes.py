"""Kubernetes, "Deployments: Rolling Back": what was changed last, where something is out of order since."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.oncall.books.containers import as_peers
from aiops_gym.agents.oncall.findings import CAUSE, LIKELY, MISCONFIGURED, NETWORK, PROGRAM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers, is_ready
from aiops_gym.agents.oncall.repairs import ABSENT, get, restore


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment."""
    for workload in cluster.workloads():
        yield from _other_program(cluster, workload)
        pods = cluster.pods(workload)
        if pods and not any(is_ready(each) for each in pods):
            yield from _undone(cluster, workload)


def _other_program(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """A container that runs the program of a peer: each peer of its image runs the one of its own name."""
    others = {each["name"] for each in cluster.workloads()} - {workload["name"]}
    for at, container in enumerate(containers(workload)):
        command = container.get("command") or []
        wanted = as_peers(cluster, workload, at)
        if wanted is ABSENT or not command or wanted == command[:1]:
            continue
        runs = re.sub(r"(?<!^)(?=[A-Z])", "-", command[0].rpartition("/")[2]).lower()
        if runs in others:
            repair = restore(cluster, workload, ("spec", "containers", at, "command"), wanted)
            yield Finding(workload["name"], PROGRAM, NETWORK, f"it runs {command[0]}", CAUSE, (repair,), 3)


def _undone(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """It does not run since its template was changed: put back what the change touched."""
    for revision in cluster.revisions(workload)[:1]:
        for at, container in enumerate(containers(workload)):
            path = ("spec", "containers", at, "image")
            before = get(revision["template"], path)
            if before not in (ABSENT, container["image"]):
                repair = restore(cluster, workload, path, before)
                why = f"it does not run since its image is {container['image']}"
                yield Finding(workload["name"], PROGRAM, MISCONFIGURED, why, LIKELY, (repair,), 0)
