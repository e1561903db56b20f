"""Kubernetes, "Debug Pods": a pod that stays pending, waits, or is not made at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.oncall.books.resources import usual_resources
from aiops_gym.agents.oncall.findings import DEPENDS, MISCONFIGURED, OPERATED, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, containers
from aiops_gym.agents.oncall.repairs import ABSENT, change, earlier, get, patch, restore

_CONTROL = "node-role.kubernetes.io"


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/."""
    for pod in cluster.of("Pod"):
        workload = cluster.workload(pod)
        if workload is not None:
            yield from _unscheduled(cluster, workload, pod)
    for workload in cluster.workloads():
        yield from _not_made(cluster, workload)
        yield from _scaled_away(cluster, workload)


def _unscheduled(cluster: Cluster, workload: Object, pod: Object) -> Iterator[Finding]:
    """My pod stays pending: why the scheduler finds no node."""
    said = next((each[2] for each in pod["conditions"] if each[0] == "PodScheduled" and len(each) == 3), "")
    name, spec = workload["name"], workload["template"]["spec"]
    if "didn't match Pod's node affinity/selector" in said:
        placed = "nodeSelector" if "nodeSelector" in spec else "affinity"
        repair = restore(cluster, workload, ("spec", placed), _possible(cluster, spec.get("nodeSelector") or {}))
        yield Finding(name, PLATFORM, DEPENDS, said, repairs=(repair,), depth=1)
    elif short := re.search(r"Insufficient ([\w./-]+)", said):
        at = next((at for at, each in enumerate(containers(workload)) if _asks(each, short[1])), 0)
        path = ("spec", "containers", at, "resources")
        yield Finding(
            name,
            PLATFORM,
            MISCONFIGURED,
            said,
            repairs=(restore(cluster, workload, path, usual_resources(cluster, workload)),),
            depth=1,
        )
    elif "PersistentVolumeClaim" in said or "persistentvolumeclaim" in said:
        return
    elif taints := _hindrances(cluster, said):
        commands = tuple(f"kubectl taint nodes {node} {taint['key']}:{taint['effect']}-" for node, taint in taints)
        yield Finding(name, PLATFORM, MISCONFIGURED, said, repairs=("; ".join(commands),), depth=1)
    elif "unschedulable" in said:
        nodes = [each["name"] for each in cluster.of("Node") if each.get("cordoned")]
        yield Finding(name, PLATFORM, OPERATED, said, repairs=tuple(f"kubectl uncordon {each}" for each in nodes))


def _possible(cluster: Cluster, selector: dict[str, str]) -> object:
    """What of a node selector some node has."""
    nodes = cluster.of("Node")
    kept = {key: value for key, value in selector.items() if any(each["labels"].get(key) == value for each in nodes)}
    return kept or ABSENT


def _asks(container: Object, resource: str) -> bool:
    return (
        resource in get(container, ("resources", "requests"))
        if get(container, ("resources", "requests")) is not ABSENT
        else False
    )


def _hindrances(cluster: Cluster, said: str) -> list[tuple[str, Object]]:
    """Taints that the message names, control planes aside."""
    found = set(re.findall(r"untolerated taint \{([^:}]+):", said))
    return [
        (node["name"], taint)
        for node in cluster.of("Node")
        for taint in node.get("taints") or []
        if taint["key"] in found and not taint["key"].startswith(_CONTROL)
    ]


def _not_made(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """No pod is made: the ReplicaSet's controller is refused."""
    said = next((each[3] for each in workload["conditions"] if each[0] == "ReplicaFailure" and len(each) == 4), "")
    if not said:
        return
    name = workload["name"]
    if quota := re.search(r"exceeded quota: (\S+), requested: ([^,]+)=", said):
        yield Finding(name, PLATFORM, MISCONFIGURED, said, repairs=_more(cluster, quota[1], said), depth=1)
    elif "service account" in said or "serviceaccount" in said:
        before = earlier(cluster, workload, ("spec", "serviceAccountName"))
        value = ABSENT if before == workload["template"]["spec"].get("serviceAccountName") else before
        fields = ("serviceAccountName", "serviceAccount")
        repair = patch(
            cluster, workload["kind"], name, [change(("spec", "template", "spec", each), value) for each in fields]
        )
        yield Finding(name, PLATFORM, MISCONFIGURED, said, repairs=(repair,), depth=1)
    else:
        undo = f"kubectl rollout undo {workload['kind'].lower()}/{name} -n {cluster.namespace}"
        yield Finding(name, PLATFORM, MISCONFIGURED, said, repairs=(undo,), depth=1)


def _more(cluster: Cluster, name: str, said: str) -> tuple[str, ...]:
    """Give a quota room again: as much as the narrowest of the others, or twice what is used."""
    quota = cluster.named("ResourceQuota", name)
    if quota is None:
        return ()
    operations = []
    for resource in re.findall(r"requested: ([\w./-]+)=", said):
        others = [get(each, ("spec", "hard", resource)) for each in cluster.of("ResourceQuota") if each is not quota]
        amounts = [int(each) for each in others if isinstance(each, str) and each.isdigit()]
        used = str(get(quota, ("status", "used", resource)))
        value = str(min(amounts)) if amounts else str(2 * int(used) + 10) if used.isdigit() else None
        if value is None:
            return (f"kubectl delete resourcequota {name} -n {cluster.namespace}",)
        operations.append(change(("spec", "hard", resource), value))
    return (patch(cluster, "resourcequota", name, operations),)


def _scaled_away(cluster: Cluster, workload: Object) -> Iterator[Finding]:
    """Nobody wants a pod of it, although a Service of its name is there to be called."""
    if workload.get("replicas") != 0:
        return
    name = workload["name"]
    before = [
        int(found[1])
        for each in cluster.events("ScalingReplicaSet")
        if each["name"] == name
        and (found := re.search(r"Scaled down replica set \S+ from (\d+) to 0", each["message"]))
    ]
    which = f"{workload['kind'].lower()}/{name} -n {cluster.namespace}"
    repair = f"kubectl scale {which} --replicas={before[-1] if before else 1}"
    wait = f"kubectl rollout status {which} --timeout=120s"
    yield Finding(name, PLATFORM, OPERATED, "it is scaled to zero", repairs=(f"{repair}; {wait}",), depth=2)
