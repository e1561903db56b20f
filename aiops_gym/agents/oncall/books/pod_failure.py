"""Kubernetes, "Determine the Reason for Pod Failure" and "Configure Liveness, Readiness and Startup Probes"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.oncall.books.resources import usual_resources
from aiops_gym.agents.oncall.findings import MISCONFIGURED, OPERATED, PLATFORM, SYSTEM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers, place, ports
from aiops_gym.agents.oncall.repairs import ABSENT, Path, get, restore
from aiops_gym.agents.oncall.signals import restarts_since

_PROBES = {"Liveness": "livenessProbe", "Readiness": "readinessProbe", "Startup": "startupProbe"}

_KILLED = 137
"""Exit code of what got SIGKILL."""


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/."""
    for pod, workload in cluster.staying():
        for state in pod["states"]:
            at = place(workload, state)
            yield from _out_of_memory(cluster, workload, state, at)
            if not state["ready"]:
                yield from _probes(cluster, workload, pod, at)
            yield from _killed(cluster, workload, pod, state)
        yield from _other_image(workload, pod)
        yield from _initializing(cluster, workload, pod)


def _out_of_memory(cluster: Cluster, workload: Object, state: Object, at: int) -> Iterator[Finding]:
    """Exceed a container's memory limit: it is killed, and again."""
    ends = [get(state, (when, "terminated", "reason")) for when in ("state", "last")]
    if "OOMKilled" in ends and state["restarts"] > 1:
        path = ("spec", "containers", at, "resources")
        repair = restore(cluster, workload, path, usual_resources(cluster, workload))
        yield Finding(
            workload["name"],
            PLATFORM,
            MISCONFIGURED,
            "its container is killed for want of memory",
            repairs=(repair,),
            depth=2,
        )


def _probes(cluster: Cluster, workload: Object, pod: Object, at: int) -> Iterator[Finding]:
    """A probe that asks for what the process does not serve."""
    for event in cluster.complaints(pod):
        kind = re.match(r"(\w+) probe (failed|errored)", event["message"])
        if event["reason"] == "Unhealthy" and kind and kind[1] in _PROBES:
            path: Path = ("spec", "containers", at, _PROBES[kind[1]])
            probe = get(workload["template"], path)
            if probe is not ABSENT and not _is_served(workload, probe):
                repair = restore(cluster, workload, path, ABSENT)
                yield Finding(workload["name"], PLATFORM, MISCONFIGURED, event["message"], repairs=(repair,), depth=1)


def _is_served(workload: Object, probe: Object) -> bool:
    """Whether the probe knocks at a port that the container declares: then it is the process that is not well."""
    port = get(probe, ("tcpSocket", "port"))
    return port in [each["containerPort"] for each in ports(workload)]


def _killed(cluster: Cluster, workload: Object, pod: Object, state: Object) -> Iterator[Finding]:
    """Ends that nobody in the cluster ordered: signals from outside, again and again."""
    codes = [get(state, (when, "terminated", "exitCode")) for when in ("state", "last")]
    reasons = [get(state, (when, "terminated", "reason")) for when in ("state", "last")]
    probed = any(each["reason"] in ("Unhealthy", "Killing") for each in cluster.complaints(pod))
    again = state["restarts"] > 2 or restarts_since(cluster).get(pod["name"], 0) > state["restarts"]
    if _KILLED in codes and "OOMKilled" not in reasons and not probed and again:
        yield Finding(
            workload["name"], SYSTEM, OPERATED, "its container is killed from outside again and again", depth=1
        )


def _other_image(workload: Object, pod: Object) -> Iterator[Finding]:
    """A pod that does not run what its template says."""
    wanted = {each["name"]: each["image"] for each in containers(workload)}
    other = [image for name, image in pod.get("images", []) if name in wanted and wanted[name] != image]
    if other and not all(each["ready"] for each in pod["states"]):
        settled = workload.get("made") == workload.get("replicas")
        if settled:
            yield Finding(workload["name"], SYSTEM, OPERATED, f"its pod runs {other[0]}", depth=2)


def _initializing(cluster: Cluster, workload: Object, pod: Object) -> Iterator[Finding]:
    """Debug Init Containers: one that does not end keeps the pod from starting."""
    for state in pod.get("init", []):
        running = get(state, ("state", "running", "startedAt")) is not ABSENT
        failing = get(state, ("state", "waiting", "reason")) in ("CrashLoopBackOff", "RunContainerError") or (
            get(state, ("state", "terminated", "exitCode")) not in (0, ABSENT)
        )
        if not state["ready"] and (running or failing):
            found = workload["template"]["spec"].get("initContainers", [])
            others = [each for each in found if each["name"] != state["name"]]
            repair = restore(cluster, workload, ("spec", "initContainers"), others or ABSENT)
            yield Finding(
                workload["name"],
                PLATFORM,
                MISCONFIGURED,
                f"init container {state['name']} does not end",
                repairs=(repair,),
                depth=1,
            )
