"""The pods of a DaemonSet: which nodes take one, and what it looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_control.scheduling import filters
from aiops_gym.sim.kube_control.workloads import pod_control

TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)
GENERATION = "deprecated.daemonset.template.generation"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def build(ds: Obj, node: str) -> dict[str, Any]:
    """The pod for a node: it finds its node by affinity and tolerates what would keep others away."""
    generation = get(ds, "metadata", "annotations", GENERATION, default="1")
    labels = {"controller-revision-hash": pod_control.compute_revision(ds), "pod-template-generation": str(generation)}
    pod = pod_control.build_pod(ds, ds["spec"]["template"], labels)
    tolerated = [*TOLERATED, *((("network-unavailable", "NoSchedule"),) if pod["spec"].get("hostNetwork") else ())]
    extra = [
        {"effect": effect, "key": f"node.kubernetes.io/{name}", "operator": "Exists"} for name, effect in tolerated
    ]
    pod["spec"]["tolerations"] = [*(pod["spec"].get("tolerations") or []), *extra]
    if node:
        rule = {"key": "metadata.name", "operator": "In", "values": [node]}
        affinity = dict(pod["spec"].get("affinity") or {})
        before = affinity.get("nodeAffinity") or {}
        affinity["nodeAffinity"] = {**before, REQUIRED: {"nodeSelectorTerms": [{"matchFields": [rule]}]}}
        pod["spec"]["affinity"] = affinity
    return pod


def check_node(template: Mapping[str, Any], node: Obj) -> tuple[bool, bool]:
    """Whether a pod shall be made on a node, and whether one that is there may stay."""
    if not filters.selects(template, node):
        return False, False
    taints = [t for t in get(node, "spec", "taints", default=()) if not filters.tolerates(template, t)]
    new = not any(t["effect"] in ("NoSchedule", "NoExecute") for t in taints)
    return new, not any(t["effect"] == "NoExecute" for t in taints)


def node_of(pod: Obj) -> str:
    """The node that a pod is on or meant for."""
    if bound := pod["spec"].get("nodeName"):
        return str(bound)
    required = get(pod, "spec", "affinity", "nodeAffinity", REQUIRED, default={})
    return str(get(required, "nodeSelectorTerms", 0, "matchFields", 0, "values", 0, default=""))
