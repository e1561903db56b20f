"""A container waits for a ConfigMap or a Secret, or a key in one, that is not there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts, parse_list, parse_object
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, VIRTUALIZATION, Finding, patch, undo

_MISSING = re.compile(r'(configmap|secret) "([^"]+)" not found', re.IGNORECASE)
_KEY = re.compile(r"couldn't find key|non-existent config key|references non-existent", re.IGNORECASE)


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or take the name that is nearly the same; what nobody remembers a rule cannot write."""
    told = [(facts.component(pod.name), pod.message) for pod in facts.pods if "ConfigError" in pod.waiting]
    told += [(name, event.message) for name, event in facts.said("FailedMount") if not _ready(facts, name)]
    for component, message in told:
        found = _MISSING.search(message)
        if component and (found or _KEY.search(message)):
            near = (
                (*_nearly_the_same(facts, component, *found.groups()), *_without(facts, component, found[2]))
                if found
                else ()
            )
            yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, (*undo(facts, component), *near))


def _nearly_the_same(facts: Facts, component: str, kind: str, name: str) -> Iterator[str]:
    there = [row[0] for row in facts.tables.get(f"{kind.lower()}s", ())]
    for near in difflib.get_close_matches(name, there, n=1):
        get = f"kubectl get deployment {component} -n {facts.namespace} -o json"
        yield f'{get} | sed \'s/"name": "{name}"/"name": "{near}"/\' | kubectl apply -f -'


def _without(facts: Facts, component: str, name: str) -> Iterator[str]:
    """Leave out a whole set of variables that is not there."""
    for at, container in enumerate(facts.deployments[component].containers):
        for number, source in enumerate(parse_list(container.get("envFrom"))):
            if any(parse_object(each).get("name") == name for each in source.values()):
                path = f"/spec/template/spec/containers/{at}/envFrom/{number}"
                yield patch(facts, "deployment", component, {"op": "remove", "path": path})


def _ready(facts: Facts, component: str) -> bool:
    return all(pod.well for pod in facts.pods_of(component))
