"""ResourceQuota: what a namespace may use in all, refused at creation when it would be too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from aiops_gym.sim.api import limits, quantity
from aiops_gym.sim.api.kind import Draft
from aiops_gym.sim.api.resources import RESOURCES, Resource
from aiops_gym.sim.api.status import forbidden
from aiops_gym.sim.objects import Obj, assoc, get
from aiops_gym.sim.world import World

COMPUTE = {"cpu": "requests.cpu", "memory": "requests.memory", "ephemeral-storage": "requests.ephemeral-storage"}
CLASS = ".storageclass.storage.k8s.io/"
NO_COST = Decimal(0)

Amounts = Mapping[str, Decimal | int]


def admit(world: World, resource: Resource, draft: Draft, old: Obj | None) -> None:
    """Refuse a new object that no quota has room for; note the new use otherwise. Raises Forbidden."""
    if old is not None or not resource.namespaced:
        return
    namespace = draft["metadata"].get("namespace", "")
    for limit in world.store.all("resourcequotas", namespace):
        spec = get(limit, "spec", default={})
        hard = spec.get("hard") or {}
        wanted = {name: cost for name, cost in demand(resource, draft).items() if name in hard}
        if not wanted or (resource.name == "pods" and not covers(spec, draft)):
            continue
        name = draft["metadata"].get("name") or draft["metadata"].get("generateName", "")
        if resource.name == "pods":
            _check_specified(resource, name, limit, hard, draft)
        used = usage(world, namespace, hard, spec)
        over = [n for n in sorted(wanted) if used[n] + wanted[n] > quantity.parse(str(hard[n]))]
        if over:
            asked, taken = ({n: amounts[n] for n in over} for amounts in (wanted, used))
            limited = ",".join(f"{n}={hard[n]}" for n in over)
            text = f"requested: {_listing(asked, hard)}, used: {_listing(taken, hard)}, limited: {limited}"
            raise forbidden(resource, name, f"exceeded quota: {limit['metadata']['name']}, {text}")
        total = {n: used[n] + wanted.get(n, 0) for n in hard}
        world.store.put("resourcequotas", assoc(limit, ("status",), {"hard": dict(hard), "used": written(total, hard)}))


def written(amounts: Amounts, hard: Mapping[str, str]) -> dict[str, str]:
    """Amounts in the notation that the quota itself uses."""
    return {name: quantity.write(Decimal(amounts[name]), _suffix(str(hard[name]))) for name in hard}


def _suffix(text: str) -> str:
    return text.lstrip("+-.0123456789")


def _listing(amounts: Amounts, hard: Mapping[str, str]) -> str:
    return ",".join(f"{n}={quantity.write(Decimal(a), _suffix(str(hard[n])))}" for n, a in amounts.items())


def _check_specified(resource: Resource, name: str, limit: Obj, hard: Mapping[str, str], draft: Draft) -> None:
    """A quota on compute demands that each container says what it needs."""
    missing: dict[str, list[str]] = {}
    for item in sorted(hard):
        bare = COMPUTE.get(item, item)
        if bare in ("requests.cpu", "requests.memory", "limits.cpu", "limits.memory"):
            kind, what = bare.split(".")
            for container in (*draft["spec"].get("containers", ()), *(draft["spec"].get("initContainers") or ())):
                if what not in (get(container, "resources", kind) or {}):
                    missing.setdefault(item, []).append(container["name"])
    if missing:
        text = "; ".join(f"{item} for: {','.join(sorted(names))}" for item, names in missing.items())
        raise forbidden(resource, name, f"failed quota: {limit['metadata']['name']}: must specify {text}")


def covers(spec: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Whether a quota's scopes include a pod."""
    selected = get(spec, "scopeSelector", "matchExpressions", default=[])
    rules = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()] + list(selected)
    return all(_in_scope(rule, pod) for rule in rules)


def _in_scope(rule: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    scope = str(rule["scopeName"])
    if scope == "PriorityClass":
        name, values = get(pod, "spec", "priorityClassName", default=""), rule.get("values") or ()
        found = {"In": name in values, "NotIn": name not in values, "Exists": bool(name), "DoesNotExist": not name}
        return found[str(rule.get("operator", "Exists"))]
    return SCOPES[scope](pod) if scope in SCOPES else True


def _best_effort(pod: Mapping[str, Any]) -> bool:
    containers = [c.get("resources") or {} for c in get(pod, "spec", "containers", default=[])]
    return not any(c.get("requests") or c.get("limits") for c in containers)


def _ends(pod: Mapping[str, Any]) -> bool:
    return get(pod, "spec", "activeDeadlineSeconds") is not None


SCOPES: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "BestEffort": _best_effort,
    "NotBestEffort": lambda pod: not _best_effort(pod),
    "Terminating": _ends,
    "NotTerminating": lambda pod: not _ends(pod),
}


def demand(resource: Resource, obj: Mapping[str, Any]) -> dict[str, Decimal | int]:
    """What one object takes from quotas, by the quotas' names for it."""
    taken: dict[str, Decimal | int] = {f"count/{resource.name}": 1}
    if not resource.group:
        taken[resource.plural] = 1
    if resource.name == "pods":
        taken |= _compute(obj)
    elif resource.name == "persistentvolumeclaims":
        size = quantity.parse(str(get(obj, "spec", "resources", "requests", "storage", default="0")))
        class_ = str(get(obj, "spec", "storageClassName", default=""))
        taken["requests.storage"] = size
        if class_:
            taken |= {f"{class_}{CLASS}requests.storage": size, f"{class_}{CLASS}persistentvolumeclaims": 1}
    elif resource.name == "services":
        kind, ports = get(obj, "spec", "type", default="ClusterIP"), get(obj, "spec", "ports", default=[])
        taken["services.nodeports"] = len(ports) if kind in ("NodePort", "LoadBalancer") else 0
        taken["services.loadbalancers"] = int(kind == "LoadBalancer")
    return taken


def _compute(pod: Mapping[str, Any]) -> dict[str, Decimal | int]:
    """The containers of a pod together, or its greediest init container."""
    taken: dict[str, Decimal | int] = {}
    for kind in ("requests", "limits"):
        for what in COMPUTE:
            running, first = (
                [quantity.parse(str(get(c, "resources", kind, what, default="0"))) for c in pod["spec"].get(n) or ()]
                for n in ("containers", "initContainers")
            )
            taken[f"{kind}.{what}"] = max([sum(running, NO_COST), *first])
    return taken | {bare: taken[full] for bare, full in COMPUTE.items()}


def usage(world: World, namespace: str, hard: Mapping[str, str], spec: Mapping[str, Any]) -> dict[str, Decimal]:
    """What a namespace uses now of each thing a quota names."""
    used = {name: Decimal(0) for name in hard}
    for name in limits.COUNTED:
        for obj in world.store.all(name, namespace):
            if name == "pods" and (_over(obj) or not covers(spec, obj)):
                continue
            for what, cost in demand(RESOURCES[name], obj).items():
                if what in used:
                    used[what] += cost
    for what in hard:
        if what.startswith("count/") and (other := RESOURCES.get(what.removeprefix("count/"))) and other.group:
            used[what] = Decimal(len(world.store.all(other.name, namespace)))
    return used


def _over(pod: Obj) -> bool:
    """Whether a pod uses nothing any more."""
    return get(pod, "status", "phase") in ("Succeeded", "Failed")
