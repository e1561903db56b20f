"""What people decide about an object, in one form for every spelling of it: aspects by the words of an operator.

Left out is what the cluster fills in (uid, status, the address of a Service), what says nothing to a program (restart
annotations, generations) and the order of what has none. Two objects mean the same when their aspects are equal.
Defaults: the API fills them in when it stores an object, see the API reference of each kind; those that it leaves to
the kubelet are in `pods`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from aiops_gym.backends.intent import pods
from aiops_gym.backends.settings import read_settings
from aiops_gym.sim.kernel.objects import Obj, get, labels_of
from aiops_gym.sim.kernel.quantity import parse
from aiops_gym.types import Json

Aspects = dict[str, Json]
"""What is decided -> how, in a form that can be compared."""

DECIDING = re.compile(
    r"([\w.-]+\.)?(kubernetes\.io|k8s\.io|amazonaws\.com|gke\.io|azure\.com|istio\.io)/|(meta\.)?helm\.sh/"
)
"""Annotations that programs of a cluster act on: the default class of storage, where a namespace's pods go."""

NOTED = re.compile(
    r"(kubectl|deployment|pv|volumes?(\.beta)?|endpoints|batch|autoscaling\.alpha|node\.alpha|kubeadm\.alpha)\."
    r"(kubernetes\.io)/|kubernetes\.io/(description|change-cause)|control-plane\.alpha\."
)
"""Those in which tools and controllers keep their own books."""

FILLED = ("apiVersion", "kind", "metadata", "status")
"""Parts of an object that say what it is, or how it does."""

CONTROLLED_TAINTS = "node.kubernetes.io/"
"""Taints that the node controller sets and takes off by itself."""


def describe(resource: str, obj: Obj) -> Aspects:
    """The aspects of an object; `marks` are its labels, where nothing but people's own searches depends on them."""
    found = KINDS.get(resource, _other)(obj)
    meta = obj["metadata"]
    found["owners"] = sorted(str(owner.get("uid")) for owner in meta.get("ownerReferences") or ())
    found["finalizers"] = sorted(meta.get("finalizers") or ())
    found |= {f"annotation {key}": value for key, value in _list_deciding(meta)}
    if resource not in ("nodes", "namespaces"):
        found["marks"] = dict(labels_of(obj))
    return {aspect: value for aspect, value in found.items() if value not in (None, {}, [], "")}


def _list_deciding(meta: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    for key, value in (meta.get("annotations") or {}).items():
        if DECIDING.match(key) and not NOTED.match(key):
            yield key, value or "set"


def _other(obj: Obj) -> Aspects:
    return {key: value for key, value in obj.items() if key not in FILLED}


def _workload(obj: Obj) -> Aspects:
    spec = obj.get("spec") or {}
    found = {key: value for key, value in spec.items() if key not in ("template", "jobTemplate")}
    template = spec.get("template") or get(spec, "jobTemplate", "spec", "template", default={})
    labels = get(template, "metadata", "labels", default={})
    return {
        **found,
        **{f"label {key} of its pods": value for key, value in labels.items()},
        **{f"annotation {key} of its pods": value for key, value in _list_deciding(template.get("metadata") or {})},
        **pods.describe(template.get("spec") or {}),
    }


def _pod(obj: Obj) -> Aspects:
    return {**{f"label {k}": v for k, v in labels_of(obj).items()}, **pods.describe(obj.get("spec") or {})}


def _service(obj: Obj) -> Aspects:
    spec = obj.get("spec") or {}
    found: Aspects = {key: spec[key] for key in SERVICE if key in spec}
    if spec.get("clusterIP") == "None":
        found["clusterIP"] = "None"
    for port in spec.get("ports") or ():
        protocol = port.get("protocol", "TCP")
        word = f"port {port['port']}" if protocol == "TCP" else f"port {port['port']}/{protocol}"
        found[word] = str(port.get("targetPort", port["port"]))
        found[f"name of {word}"] = port.get("name")
    return found


SERVICE = (
    "type",
    "selector",
    "externalName",
    "externalIPs",
    "loadBalancerSourceRanges",
    "sessionAffinity",
    "externalTrafficPolicy",
    "internalTrafficPolicy",
    "publishNotReadyAddresses",
)
"""Fields of a Service that decide where its connections end; addresses and node ports are filled in."""


def _content(obj: Obj) -> Aspects:
    found = {f"key {key}": read_settings(str(text)) for key, text in (obj.get("data") or {}).items()}
    found |= {f"key {key}": text for key, text in (obj.get("binaryData") or {}).items()}
    return {**found, "type": obj.get("type"), "immutable": obj.get("immutable")}


def _quota(obj: Obj) -> Aspects:
    spec = obj.get("spec") or {}
    hard = {f"hard {key}": _amount(value) for key, value in (spec.get("hard") or {}).items()}
    return {**hard, "scopes": sorted(spec.get("scopes") or ()), "scopeSelector": spec.get("scopeSelector")}


def _limit_range(obj: Obj) -> Aspects:
    found: Aspects = {}
    for limit in get(obj, "spec", "limits", default=()):
        for field in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio"):
            for key, value in (limit.get(field) or {}).items():
                found[f"{field} {key} of a {limit.get('type')}"] = _amount(value)
    return found


def _amount(value: Json) -> str:
    """A quantity in one spelling; what is none stays as it is."""
    try:
        return str(parse(str(value)).normalize())
    except ValueError:
        return str(value)


def _policy(obj: Obj) -> Aspects:
    spec = obj.get("spec") or {}
    kinds = spec.get("policyTypes") or (["Ingress", "Egress"] if spec.get("egress") else ["Ingress"])
    found: Aspects = {"whom it is about": json.dumps(spec.get("podSelector") or {}, sort_keys=True)}
    for kind in kinds:
        found[f"its {kind} rules"] = ["closed", *_sorted(_rule(rule) for rule in spec.get(kind.lower()) or ())]
    return found


def _rule(rule: Mapping[str, Any]) -> Json:
    ports = [{"protocol": "TCP", **port} for port in rule.get("ports") or ()]
    return {**{key: _sorted(rule[key]) for key in ("from", "to") if rule.get(key)}, "ports": _sorted(ports)}


def _sorted(values: Iterable[Json]) -> list[Json]:
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


def _node(obj: Obj) -> Aspects:
    taints = get(obj, "spec", "taints", default=())
    status = obj.get("status") or {}
    amounts = {
        f"{field} {key}": _amount(value)
        for field in ("capacity", "allocatable")
        for key, value in (status.get(field) or {}).items()
    }
    return {
        "unschedulable": bool(get(obj, "spec", "unschedulable", default=False)),
        "providerID": get(obj, "spec", "providerID"),
        "podCIDR": get(obj, "spec", "podCIDR"),
        **{
            f"taint {taint['key']}:{taint['effect']}": taint.get("value") or "set"
            for taint in taints
            if not taint["key"].startswith(CONTROLLED_TAINTS)
        },
        **{f"label {key}": value or "set" for key, value in labels_of(obj).items()},
        **amounts,
    }


def _namespace(obj: Obj) -> Aspects:
    return {f"label {key}": value or "set" for key, value in labels_of(obj).items()}


def _claim(obj: Obj) -> Aspects:
    return {key: value for key, value in (obj.get("spec") or {}).items() if key != "volumeName"}


def _volume(obj: Obj) -> Aspects:
    return {key: value for key, value in (obj.get("spec") or {}).items() if key != "claimRef"}


def _account(obj: Obj) -> Aspects:
    return {key: obj.get(key) for key in ("automountServiceAccountToken", "imagePullSecrets", "secrets")}


def _role(obj: Obj) -> Aspects:
    rules = [{key: sorted(values) for key, values in rule.items()} for rule in obj.get("rules") or ()]
    return {"rules": _sorted(rules), "aggregationRule": obj.get("aggregationRule")}


def _binding(obj: Obj) -> Aspects:
    return {"subjects": _sorted(obj.get("subjects") or ()), "roleRef": obj.get("roleRef")}


def _spec(obj: Obj) -> Aspects:
    return dict(obj.get("spec") or {})


RBAC = "rbac.authorization.k8s.io"

KINDS: Mapping[str, Callable[[Obj], Aspects]] = {
    **dict.fromkeys(("deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps"), _workload),
    **dict.fromkeys(("replicationcontrollers", "jobs.batch", "cronjobs.batch"), _workload),
    "pods": _pod,
    "services": _service,
    "configmaps": _content,
    "secrets": _content,
    "resourcequotas": _quota,
    "limitranges": _limit_range,
    "networkpolicies.networking.k8s.io": _policy,
    "nodes": _node,
    "namespaces": _namespace,
    "persistentvolumeclaims": _claim,
    "persistentvolumes": _volume,
    "serviceaccounts": _account,
    f"roles.{RBAC}": _role,
    f"clusterroles.{RBAC}": _role,
    f"rolebindings.{RBAC}": _binding,
    f"clusterrolebindings.{RBAC}": _binding,
    "poddisruptionbudgets.policy": _spec,
    "horizontalpodautoscalers.autoscaling": _spec,
    "ingresses.networking.k8s.io": _spec,
}
"""How to read the kinds whose spelling is not their meaning; of any other, all that its people wrote counts."""
