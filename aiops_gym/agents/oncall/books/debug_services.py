"""Kubernetes, "Debug Services": is the Service defined right, does it have endpoints, do the pods answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aiops_gym.agents.oncall.books.listening import is_newer
from aiops_gym.agents.oncall.findings import MISCONFIGURED, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, owner, selects
from aiops_gym.agents.oncall.repairs import ABSENT, change, patch
from aiops_gym.agents.oncall.signals import read_knocks, read_settings


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/."""
    for service in cluster.of("Service"):
        workload = next((each for each in cluster.workloads() if each["name"] == service["name"]), None)
        if workload is not None and service.get("type") != "ExternalName":
            yield from _selector(cluster, service, workload)
            yield from _ports(cluster, service, workload)
            yield from _strangers(cluster, service, workload)


def _selector(cluster: Cluster, service: Object, workload: Object) -> Iterator[Finding]:
    """Does the Service have any EndpointSlices: its selector and the labels of pods."""
    labels = workload["template"]["metadata"]["labels"]
    if selects(service.get("selector"), labels):
        return
    fitting = service.get("selector") or {}
    addresses = (cluster.named("Endpoints", service["name"]) or {}).get("ready") or []
    own = [each.get("ip") for each in cluster.of("Pod") if owner(each) == workload["name"]]
    if addresses and all(each in own for each in addresses) and own and len(addresses) == len(own) and fitting:
        return
    wanted = workload.get("selector") or labels
    repair = patch(cluster, "service", service["name"], [change(("spec", "selector"), wanted)])
    why = (
        "its selector does not match the labels of its pods"
        if fitting
        else "it has no selector, and its endpoints are old"
    )
    yield Finding(service["name"], PLATFORM, MISCONFIGURED, why, repairs=(repair,), depth=2)


def _ports(cluster: Cluster, service: Object, workload: Object) -> Iterator[Finding]:
    """Is the Service defined correctly: the port that is asked for, and the port that a pod serves.

    What a container declares is a note; what a process serves is told by knocking at it.
    """
    knocks = read_knocks(cluster)
    names = [pod["name"] for pod in cluster.pods(workload)]
    served = sorted({port for (kind, name, port), said in knocks.items() if name in names and said == "open"})
    for at, port in enumerate(service.get("ports") or []):
        target = port.get("targetPort", port["port"])
        shut = [said for (_, name, each), said in knocks.items() if name in names and each == target]
        if at == 0 and served and shut and target not in served and not is_newer(cluster, workload):
            repair = patch(
                cluster, "service", service["name"], [change(("spec", "ports", at, "targetPort"), served[0])]
            )
            why = f"it sends to port {target}, and its pods serve {served}"
            yield Finding(service["name"], PLATFORM, MISCONFIGURED, why, repairs=(repair,), depth=3)
        else:
            yield from _offered(cluster, service, at, port)


def _offered(cluster: Cluster, service: Object, at: int, port: Any) -> Iterator[Finding]:
    """A port that nobody asks for: callers' settings, or its own name, tell another."""
    named, target = _number(port.get("name")), port.get("targetPort")
    offered = [each["port"] for each in service["ports"]]
    told = [each for each in read_settings(cluster) if each.path == f"{service['name']}.port"]
    wanted = _number(max(told, key=lambda each: each.count).value) if told else named
    if wanted is not None and wanted not in offered and (told or named == target):
        repair = patch(cluster, "service", service["name"], [change(("spec", "ports", at, "port"), wanted)])
        why = f"it offers port {port['port']}, and callers ask for {wanted}"
        yield Finding(service["name"], PLATFORM, MISCONFIGURED, why, repairs=(repair,), depth=3)


def _number(text: Any) -> int | None:
    return int(text) if str(text).isdigit() else None


def _strangers(cluster: Cluster, service: Object, workload: Object) -> Iterator[Finding]:
    """Are the endpoints right: a pod that its selector catches and that is not one of its workload's."""
    for pod in cluster.of("Pod"):
        if (
            not selects(service.get("selector"), pod.get("labels"))
            or owner(pod) == workload["name"]
            or pod.get("deleted")
        ):
            continue
        if pod["name"] == workload["name"] or not pod.get("ip"):
            continue
        other = cluster.workload(pod)
        labels = service.get("selector") or {}
        if other is None and not pod.get("owner"):
            removed = " ".join(f"{key}-" for key in labels)
            repair = f"kubectl label pod {pod['name']} -n {cluster.namespace} {removed}"
        elif other is not None:
            repair = _unlabelled(cluster, other, labels)
        else:
            repair = ""
        why = f"its selector catches {pod['name']}, which is no pod of {workload['name']}"
        yield Finding(service["name"], PLATFORM, MISCONFIGURED, why, repairs=(repair,) if repair else (), depth=2)


def _unlabelled(cluster: Cluster, other: Object, labels: dict[str, str]) -> str:
    own = other.get("selector") or {}
    wrong = [key for key in labels if key not in own]
    operations = [change(("spec", "template", "metadata", "labels", key), ABSENT) for key in wrong]
    return patch(cluster, other["kind"], other["name"], operations) if operations else ""
