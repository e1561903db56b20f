"""A pod runs an image that its deployment never asked for: somebody changed the pod itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.agents.runbook.facts import Facts, parse_list
from aiops_gym.agents.runbook.findings import CERTAIN, OPERATION, VIRTUALIZATION, Finding


def find(facts: Facts) -> Iterator[Finding]:
    """A new pod will do."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and pod.images:
            specs = [spec for _, spec in facts.revisions.get(component, ())]
            known = {_images(spec) for spec in (facts.deployments[component].spec, *specs)}
            if pod.images not in known:
                repair = f"kubectl delete pod {pod.name} -n {facts.namespace} --wait=false"
                yield Finding(component, CERTAIN + 0.5, VIRTUALIZATION, OPERATION, (repair,))


def _images(spec: Mapping[str, Any]) -> str:
    return " ".join(str(container.get("image")) for container in parse_list(spec.get("containers")))
