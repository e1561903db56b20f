"""A NetworkPolicy lets nobody in, or nothing out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.agents.runbook.facts import Facts, parse_list, parse_object
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, NETWORK, VIRTUALIZATION, Finding


def find(facts: Facts) -> Iterator[Finding]:
    """Remove it."""
    for name, *cells in facts.tables.get("policies", ()):
        spec = parse_object(cells[0]) if cells else {}
        if _blocks(facts, spec):
            selector = parse_object(spec.get("podSelector"))
            repair = f"kubectl delete networkpolicy {name} -n {facts.namespace}"
            hit = [facts.component(pod.name) for pod in facts.pods if _selects(selector, pod.labels)]
            kind = NETWORK if selector else MISCONFIGURATION
            yield Finding(hit[0] if selector and hit else "", CERTAIN, VIRTUALIZATION, kind, (repair,))


def _blocks(facts: Facts, spec: Mapping[str, Any]) -> bool:
    """Whether a direction that it is about has no rule, or only rules for pods that are not there."""
    types = spec.get("policyTypes") or ["Ingress"]
    directions = [str(each).lower() for each in types] if isinstance(types, list) else []
    return any(all(_nobody(facts, rule) for rule in parse_list(spec.get(each))) for each in directions)


def _nobody(facts: Facts, rule: Mapping[str, Any]) -> bool:
    """Whether a rule lets pods of the namespace through by their labels, and none of them has these."""
    peers = parse_list(rule.get("from")) + parse_list(rule.get("to"))
    if not peers or any(set(peer) != {"podSelector"} for peer in peers):
        return False
    return not any(_selects(parse_object(peer["podSelector"]), pod.labels) for peer in peers for pod in facts.pods)


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a label selector fits; an empty one fits all."""
    wanted = parse_object(selector.get("matchLabels"))
    return wanted.items() <= labels.items() and all(
        _holds(each, labels) for each in parse_list(selector.get("matchExpressions"))
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(str(expression.get("key"))), expression.get("values")
    among = isinstance(values, list) and value in values
    known = {"In": among, "NotIn": not among, "Exists": value is not None, "DoesNotExist": value is None}
    return known.get(str(expression.get("operator")), False)
