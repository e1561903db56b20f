"""What admission adds to a new pod: its service account's token, tolerations, priority, limits of the namespace."""

from __future__ import annotations

from typing import Any

from aiops_gym.sim import draws
from aiops_gym.sim.api import quantity
from aiops_gym.sim.api.kind import Draft
from aiops_gym.sim.api.resources import RESOURCES
from aiops_gym.sim.api.status import forbidden
from aiops_gym.sim.objects import Obj, get
from aiops_gym.sim.world import World

Json = Any

TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
EMPTY: dict[str, Json] = {}
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def admit(world: World, draft: Draft, old: Obj | None) -> None:
    """Complete a new pod. Raises Forbidden."""
    if old is not None:
        return
    spec = draft["spec"]
    mirror = "kubernetes.io/config.mirror" in (draft["metadata"].get("annotations") or {})
    if not mirror:
        _service_account(world, draft, spec)
        _tolerations(spec)
    _priority(world, draft, spec)
    _limit_ranges(world, draft, spec)
    draft["status"] = {"phase": "Pending", **draft["status"], "qosClass": qos(spec)}


def _service_account(world: World, draft: Draft, spec: Draft) -> None:
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    namespace = draft["metadata"].get("namespace", "")
    account = world.store.get("serviceaccounts", namespace, name)
    if account is None and name != "default":
        why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise forbidden(RESOURCES["pods"], _name(draft), why)
    mounted = spec.get(
        "automountServiceAccountToken", get(account or EMPTY, "automountServiceAccountToken", default=True)
    )
    if account is not None and account.get("imagePullSecrets") and not spec.get("imagePullSecrets"):
        spec["imagePullSecrets"] = list(account["imagePullSecrets"])
    if not mounted or any(v["name"].startswith("kube-api-access-") for v in spec.get("volumes") or ()):
        return
    suffix = draws.suffix(5, world.seed, "token volume", draft["metadata"]["uid"])
    volume = f"kube-api-access-{suffix}"
    used = False
    for kind in ("initContainers", "containers"):
        for container in spec.get(kind) or ():
            mounts = container.setdefault("volumeMounts", [])
            if all(m.get("mountPath") != TOKEN_PATH for m in mounts):
                mounts.append({"name": volume, "readOnly": True, "mountPath": TOKEN_PATH})
                used = True
    if used:
        spec["volumes"] = [*(spec.get("volumes") or ()), _token_volume(volume)]


def _token_volume(name: str) -> dict[str, Json]:
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 420}}


def _name(draft: Draft) -> str:
    return str(draft["metadata"].get("name") or draft["metadata"].get("generateName", ""))


def _tolerations(spec: Draft) -> None:
    """A pod stays five minutes on a node that is lost, unless it says otherwise."""
    found = list(spec.get("tolerations") or ())
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
        if not any(_tolerates(t, key) for t in found):
            found.append({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300})
    spec["tolerations"] = found


def _tolerates(toleration: Draft, key: str) -> bool:
    return toleration.get("key", "") in ("", key) and toleration.get("effect", "") in ("", "NoExecute")


def _priority(world: World, draft: Draft, spec: Draft) -> None:
    name = spec.get("priorityClassName", "")
    value, policy = 0, "PreemptLowerPriority"
    if name:
        found = world.store.get("priorityclasses.scheduling.k8s.io", "", name)
        if found is None and name not in SYSTEM_PRIORITIES:
            raise forbidden(RESOURCES["pods"], _name(draft), f"no PriorityClass with name {name} was found")
        value = SYSTEM_PRIORITIES.get(name, 0) if found is None else found["value"]
        policy = get(found or EMPTY, "preemptionPolicy", default=policy)
    spec.setdefault("priority", value)
    spec.setdefault("preemptionPolicy", policy)


def _limit_ranges(world: World, draft: Draft, spec: Draft) -> None:
    """Defaults and bounds for containers, from LimitRanges of the namespace."""
    for limits in world.store.all("limitranges", draft["metadata"].get("namespace", "")):
        for rule in get(limits, "spec", "limits", default=[]):
            if rule.get("type") == "Container":
                for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
                    _limit(draft, container, rule)


def _limit(draft: Draft, container: Draft, rule: Draft) -> None:
    resources = container["resources"]
    given_requests = dict(resources.get("requests") or {})
    for kind, source in (("limits", "default"), ("requests", "defaultRequest")):
        values = {**(rule.get(source) or {}), **(resources.get(kind) or {})}
        if kind == "requests":
            values = {**values, **given_requests}
        if values:
            resources[kind] = values
    faults = []
    for what, least in (rule.get("min") or {}).items():
        asked = (resources.get("requests") or {}).get(what)
        if asked is None or quantity.parse(asked) < quantity.parse(least):
            faults.append(f"minimum {what} usage per Container is {least}, but request is {asked or '0'}")
    for what, most in (rule.get("max") or {}).items():
        asked = (resources.get("limits") or {}).get(what)
        if asked is None:
            faults.append(f"maximum {what} usage per Container is {most}.  No limit is specified")
        elif quantity.parse(asked) > quantity.parse(most):
            faults.append(f"maximum {what} usage per Container is {most}, but limit is {asked}")
    if faults:
        why = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"
        raise forbidden(RESOURCES["pods"], _name(draft), why)


def qos(spec: Draft) -> str:
    """The quality-of-service class of a pod.

    >>> qos({"containers": [{"resources": {"requests": {"cpu": "1"}}}]})
    'Burstable'
    """
    containers = [c.get("resources") or {} for k in ("initContainers", "containers") for c in spec.get(k) or ()]
    requests = [_positive(c.get("requests") or {}) for c in containers]
    limits = [_positive(c.get("limits") or {}) for c in containers]
    if not any(requests) and not any(limits):
        return "BestEffort"
    exact = all(
        len(limit) == 2 and (limit == request or not request) for limit, request in zip(limits, requests, strict=True)
    )
    return "Guaranteed" if exact else "Burstable"


def _positive(amounts: Draft) -> dict[str, Json]:
    found = {what: quantity.parse(amounts[what]) for what in ("cpu", "memory") if what in amounts}
    return {what: amount for what, amount in found.items() if amount > 0}
