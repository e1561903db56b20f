"""No node takes a pod: its selector fits none, it asks for too much, or a taint keeps it away."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts, Pod, parse_object
from aiops_gym.agents.runbook.findings import (
    CERTAIN,
    DEPENDENCY,
    MISCONFIGURATION,
    OPERATION,
    VIRTUALIZATION,
    Finding,
    patch,
    undo,
)

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
"""A taint that belongs there."""

SPEC = "/spec/template/spec"


def find(facts: Facts) -> Iterator[Finding]:
    """The scheduler says why."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and pod.unscheduled:
            yield from _explained(facts, component, pod)


def _explained(facts: Facts, component: str, pod: Pod) -> Iterator[Finding]:
    deployment, back = facts.deployments[component], undo(facts, component)
    taints = tuple(_taints(facts))
    if "unbound immediate PersistentVolumeClaims" in pod.unscheduled or "not found" in pod.unscheduled:
        return  # a matter of volumes
    if deployment.spec.get("nodeSelector"):
        free = patch(facts, "deployment", component, {"op": "remove", "path": f"{SPEC}/nodeSelector"})
        yield Finding(component, CERTAIN, VIRTUALIZATION, DEPENDENCY, (*back, free))
    elif deployment.spec.get("affinity"):
        free = patch(facts, "deployment", component, {"op": "remove", "path": f"{SPEC}/affinity"})
        yield Finding(component, CERTAIN, VIRTUALIZATION, DEPENDENCY, (*back, free))
    elif "Insufficient" in pod.unscheduled:
        path = f"{SPEC}/containers/0/resources/requests"
        less = patch(facts, "deployment", component, {"op": "remove", "path": path})
        yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, (*back, less))
    elif taints:
        yield Finding(component, CERTAIN, VIRTUALIZATION, OPERATION, taints)
    else:
        yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, back)


def _taints(facts: Facts) -> Iterator[str]:
    """Commands that remove the taints that do not belong there, and open closed nodes."""
    for node, *cells in facts.tables.get("nodes", ()):
        taints = parse_object('{"taints": ' + (cells[0] if cells and cells[0] else "[]") + "}").get("taints")
        for taint in taints if isinstance(taints, list) else ():
            if isinstance(taint, dict) and taint.get("key") == "node.kubernetes.io/unschedulable":
                yield f"kubectl uncordon {node}"
            elif isinstance(taint, dict) and taint.get("key") != CONTROL_PLANE:
                yield f"kubectl taint nodes {node} {taint.get('key')}:{taint.get('effect')}-"
