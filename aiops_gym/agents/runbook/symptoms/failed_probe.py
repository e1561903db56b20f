"""The kubelet asks a container for its health in a way that it cannot answer."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import MISCONFIGURATION, STRONG, VIRTUALIZATION, Finding, patch, undo

PROBES = {"Readiness": "readinessProbe", "Liveness": "livenessProbe", "Startup": "startupProbe"}


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or remove the probe."""
    for component, event in facts.said("Unhealthy", "probe (failed|errored)"):
        deployment = facts.deployments[component]
        probe = PROBES.get(event.message.split(" ")[0], "")
        holders = [at for at, container in enumerate(deployment.containers) if probe in container]
        troubled = deployment.ready < deployment.replicas or event.count > 3
        if holders and troubled:
            path = f"/spec/template/spec/containers/{holders[0]}/{probe}"
            without = patch(facts, "deployment", component, {"op": "remove", "path": path})
            repairs = (*undo(facts, component), without)
            yield Finding(component, STRONG, VIRTUALIZATION, MISCONFIGURATION, repairs)
