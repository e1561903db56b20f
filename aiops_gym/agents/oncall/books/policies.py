"""Kubernetes, "Network Policies": who may talk to whom, compared with who does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aiops_gym.agents.oncall.findings import CAUSE, LIKELY, MISCONFIGURED, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object
from aiops_gym.agents.oncall.repairs import change, patch
from aiops_gym.agents.oncall.signals import is_hurt

_DNS = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/concepts/services-networking/network-policies/."""
    for policy in cluster.of("NetworkPolicy"):
        for workload in cluster.workloads():
            if caught(policy["spec"].get("podSelector") or {}, workload["template"]["metadata"]["labels"]):
                yield from _names(cluster, policy, workload)
                yield from _callers(cluster, policy, workload)


def caught(selector: Any, labels: dict[str, str]) -> bool:
    """Whether a label selector matches labels; an empty one matches all.

    >>> caught({}, {"app": "a"}), caught({"matchLabels": {"app": "b"}}, {"app": "a"})
    (True, False)
    >>> caught({"matchExpressions": [{"key": "app", "operator": "In", "values": ["a"]}]}, {"app": "a"})
    True
    """
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for each in selector.get("matchExpressions") or []:
        value, values = labels.get(each["key"]), each.get("values", [])
        held = {
            "In": value in values,
            "NotIn": value not in values,
            "Exists": value is not None,
            "DoesNotExist": value is None,
        }[each["operator"]]
        if not held:
            return False
    return True


def _kinds(spec: Any) -> list[str]:
    return spec.get("policyTypes") or (["Ingress", "Egress"] if "egress" in spec else ["Ingress"])


def _names(cluster: Cluster, policy: Object, workload: Object) -> Iterator[Finding]:
    """An egress policy that forgets DNS: what it selects finds nobody by name."""
    spec = policy["spec"]
    if "Egress" not in _kinds(spec):
        return
    if any(_reaches_names(rule) for rule in spec.get("egress") or []):
        return
    rules = [*(spec.get("egress") or []), {"ports": _DNS}]
    repair = patch(cluster, "networkpolicy", policy["name"], [change(("spec", "egress"), rules)])
    restart = f"kubectl rollout restart {workload['kind'].lower()}/{workload['name']} -n {cluster.namespace}"
    why = f"policy {policy['name']} lets it ask no name server"
    yield Finding(workload["name"], PLATFORM, MISCONFIGURED, why, CAUSE, (repair, restart), 3)


def _reaches_names(rule: Any) -> bool:
    """Whether packets to the cluster's name servers, which are pods of another namespace, pass by this rule."""
    open_port = not rule.get("ports") or any(str(each.get("port", 53)) in ("53", "dns") for each in rule["ports"])
    peers = rule.get("to") or []
    return open_port and (not peers or any("namespaceSelector" in each or "ipBlock" in each for each in peers))


def _callers(cluster: Cluster, policy: Object, workload: Object) -> Iterator[Finding]:
    """An ingress policy that lets nobody in who is there."""
    spec = policy["spec"]
    if "Ingress" not in _kinds(spec):
        return
    callers = [other["template"]["metadata"]["labels"] for other in cluster.workloads() if other is not workload]
    offered = {str(each["containerPort"]) for each in _ports(workload)}
    if any(_lets_in(rule, callers, offered) for rule in spec.get("ingress") or []):
        return
    remove = f"kubectl delete networkpolicy {policy['name']} -n {cluster.namespace}"
    why = f"policy {policy['name']} lets none of its callers in"
    yield Finding(workload["name"], PLATFORM, MISCONFIGURED, why, CAUSE if is_hurt(cluster) else LIKELY, (remove,), 3)


def _lets_in(rule: Any, callers: list[dict[str, str]], offered: set[str]) -> bool:
    wanted = [str(each["port"]) for each in rule.get("ports") or [] if "port" in each]
    if wanted and offered and not offered & set(wanted) and all(each.isdigit() for each in wanted):
        return False
    peers = rule.get("from") or []
    return not peers or any(
        "ipBlock" in each
        or "namespaceSelector" in each
        or any(caught(each.get("podSelector") or {}, labels) for labels in callers)
        for each in peers
    )


def _ports(workload: Object) -> list[Any]:
    return [port for each in workload["template"]["spec"]["containers"] for port in each.get("ports", [])]
