"""Claims wait for volumes that belong to claims that are gone, or that are nowhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Deployment, Facts, parse_list, parse_object
from aiops_gym.agents.runbook.findings import (
    CERTAIN,
    MISCONFIGURATION,
    OPERATION,
    VIRTUALIZATION,
    Finding,
    patch,
    undo,
)


def find(facts: Facts) -> Iterator[Finding]:
    """Free the released volumes; go back where a template asks for another claim."""
    waiting = [row[0] for row in facts.tables.get("claims", ()) if len(row) > 1 and row[1] == "Pending"]
    released = [
        row[0]
        for row in facts.tables.get("volumes", ())
        if len(row) > 2 and row[1] in ("Released", "Failed") and row[2] == facts.namespace
    ]
    if waiting and released:
        op = '[{"op": "remove", "path": "/spec/claimRef"}]'
        free = f"for name in {' '.join(released)}; do kubectl patch pv $name --type=json -p '{op}'; done"
        yield Finding("", CERTAIN + 0.5, VIRTUALIZATION, OPERATION, (free,))
        return
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and ("PersistentVolumeClaims" in pod.unscheduled or "persistentvolumeclaim" in pod.unscheduled):
            repairs = (*undo(facts, component), *_claims(facts, component))
            yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, repairs)


def _claims(facts: Facts, component: str) -> Iterator[str]:
    """Take the claim with the nearest name that has its volume and that nobody uses."""
    bound = {row[0] for row in facts.tables.get("claims", ()) if len(row) > 1 and row[1] == "Bound"}
    free = bound - {name for deployment in facts.deployments.values() for _, name in _used(deployment)}
    for at, name in _used(facts.deployments[component]):
        near = difflib.get_close_matches(name, sorted(free), n=1)
        if name not in bound and near:
            path = f"/spec/template/spec/volumes/{at}/persistentVolumeClaim/claimName"
            yield patch(facts, "deployment", component, {"op": "replace", "path": path, "value": near[0]})


def _used(deployment: Deployment) -> Iterator[tuple[int, str]]:
    for at, volume in enumerate(parse_list(deployment.spec.get("volumes"))):
        name = parse_object(volume.get("persistentVolumeClaim")).get("claimName")
        if isinstance(name, str):
            yield at, name
