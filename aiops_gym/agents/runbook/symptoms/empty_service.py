"""A Service selects no pod, or another component's."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts, Service
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, VIRTUALIZATION, Finding


def find(facts: Facts) -> Iterator[Finding]:
    """Let it select the pods of the deployment that is called like it."""
    for service in facts.services.values():
        own = facts.deployments.get(service.name)
        if own is None or not service.selector or not own.selector:
            continue
        if not _covers(service, own.selector, facts):
            wanted = {"spec": {"selector": {**dict.fromkeys(service.selector), **own.selector}}}
            repair = (
                f"kubectl patch service {service.name} -n {facts.namespace} --type=merge -p "
                f"{shlex.quote(json.dumps(wanted))}"
            )
            yield Finding(service.name, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, (repair,))


def _covers(service: Service, labels: object, facts: Facts) -> bool:
    """Whether it selects the pods of its own deployment."""
    pods = facts.pods_of(service.name)
    if pods:
        return any(service.selector.items() <= pod.labels.items() for pod in pods)
    return isinstance(labels, dict) and service.selector.items() <= labels.items()
