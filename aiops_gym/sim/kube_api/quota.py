"""ResourceQuota: what a namespace may use in all, refused when it would be too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj, assoc, get
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import limits
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.status import forbidden

_DEMAND = caches.slot(f"{__name__}.demand", "reckoning what an object takes of a quota")

COMPUTE = {"cpu": "requests.cpu", "memory": "requests.memory", "ephemeral-storage": "requests.ephemeral-storage"}
CLASS = ".storageclass.storage.k8s.io/"
NO_COST = Decimal(0)
ALL_PODS = "count/pods"
"""Counts pods that have ended too."""

UNSEEN = "quotaunseen"
"""Table: uid of a pod that went or ended -> its namespace, what it was, and until when (ms) it is still counted."""

GROWING = ("persistentvolumeclaims", "services")
"""What can ask for more when it is changed: a bigger volume, or a port on each node."""

MEASURED = ("pods", *GROWING)
"""Of what a quota limits more than the number."""

Amounts = Mapping[str, Decimal | int]


def admit(world: World, resource: Resource, draft: Draft, old: Obj | None) -> None:
    """Refuse what no quota has room for; note the new use otherwise. Raises Forbidden.

    Of objects that are there already only some can come to use more: see `GROWING`.
    """
    if not resource.namespaced or (old is not None and resource.name not in GROWING):
        return
    limits_ = world.store.all("resourcequotas", draft["metadata"].get("namespace", ""))
    if not limits_:
        return
    taken = demand(resource, draft)
    limits_ = [one for one in limits_ if _concerns(one, resource, draft, taken)]
    if old is None and resource.name == "pods":
        for limit in limits_:
            _check_specified(draft, limit)
    before = demand(resource, old) if old is not None else {}
    for limit in limits_:
        more = {name: cost - before.get(name, 0) for name, cost in taken.items()}
        _charge(world, resource, draft, limit, {name: cost for name, cost in more.items() if cost})


def _concerns(limit: Obj, resource: Resource, draft: Draft, taken: Amounts) -> bool:
    """Whether a quota names something that the object takes, and has the object in its scopes."""
    spec = get(limit, "spec", default={})
    named = taken.keys() & (spec.get("hard") or {}).keys()
    return bool(named) and (resource.name != "pods" or covers(spec, draft))


def _charge(world: World, resource: Resource, draft: Draft, limit: Obj, more: Amounts) -> None:
    """Add to what is used of a quota. Raises Forbidden if that would be too much."""
    spec = limit["spec"]
    hard, namespace = spec["hard"], draft["metadata"].get("namespace", "")
    wanted = {name: cost for name, cost in more.items() if name in hard}
    if not wanted:
        return
    used = compute_usage(world, namespace, hard, spec)
    over = [n for n in sorted(wanted) if wanted[n] > 0 and used[n] + wanted[n] > quantity.parse(str(hard[n]))]
    if over:
        asked, taken = ({n: amounts[n] for n in over} for amounts in (wanted, used))
        limited = ",".join(f"{n}={hard[n]}" for n in over)
        text = f"requested: {_listing(asked, hard)}, used: {_listing(taken, hard)}, limited: {limited}"
        raise forbidden(resource, _name(draft), f"exceeded quota: {limit['metadata']['name']}, {text}")
    total = {n: used[n] + wanted.get(n, 0) for n in hard}
    world.store.put(
        "resourcequotas", assoc(limit, ("status",), {"hard": dict(hard), "used": format_amounts(total, hard)})
    )


def _name(draft: Draft) -> str:
    return str(draft["metadata"].get("name") or draft["metadata"].get("generateName", ""))


def format_amounts(amounts: Amounts, hard: Mapping[str, str]) -> dict[str, str]:
    """Amounts in the notation that the quota itself uses."""
    return {name: quantity.write(Decimal(amounts[name]), _suffix(str(hard[name]))) for name in hard}


def _suffix(text: str) -> str:
    return text.lstrip("+-.0123456789")


def _listing(amounts: Amounts, hard: Mapping[str, str]) -> str:
    return ",".join(f"{n}={quantity.write(Decimal(a), _suffix(str(hard[n])))}" for n, a in amounts.items())


def _check_specified(draft: Draft, limit: Obj) -> None:
    """A quota on compute demands that each container says what it needs."""
    hard = limit["spec"]["hard"]
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
        text = f"failed quota: {limit['metadata']['name']}: must specify {text}"
        raise forbidden(RESOURCES["pods"], _name(draft), text)


def covers(spec: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Whether a quota's scopes include a pod."""
    return all(_in_scope(rule, pod) for rule in _list_scopes(spec))


def _list_scopes(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    selected = get(spec, "scopeSelector", "matchExpressions", default=[])
    return [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()] + list(selected)


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


def _taken(name: str, obj: Mapping[str, Any]) -> Mapping[str, Decimal | int]:
    """What an object takes, reckoned once for each that is stored."""
    if not isinstance(obj, Obj):
        return demand(RESOURCES[name], obj)
    found: Mapping[str, Decimal | int] | None = obj.memo.get(_DEMAND)
    if found is None:
        found = obj.memo[_DEMAND] = demand(RESOURCES[name], obj)
    return found


def _compute(pod: Mapping[str, Any]) -> dict[str, Decimal | int]:
    """What the containers of a pod take together."""
    taken: dict[str, Decimal | int] = {}
    for kind in ("requests", "limits"):
        for what in COMPUTE:
            taken[f"{kind}.{what}"] = _peak(pod["spec"], kind, what)
    return taken | {bare: taken[full] for bare, full in COMPUTE.items()}


def _peak(spec: Mapping[str, Any], kind: str, what: str) -> Decimal:
    """The most that runs at a time: all containers, or an init container; sidecars run on beside what follows."""

    def of(container: Mapping[str, Any]) -> Decimal:
        return quantity.parse(str(get(container, "resources", kind, what, default="0")))

    beside = most = NO_COST
    for first in spec.get("initContainers") or ():
        most = max(most, beside + of(first))
        if first.get("restartPolicy") == "Always":
            beside += of(first)
    return max(most, beside + sum(map(of, spec.get("containers") or ()), NO_COST))


def compute_usage(world: World, namespace: str, hard: Mapping[str, str], spec: Mapping[str, Any]) -> dict[str, Decimal]:
    """What a namespace uses of each thing a quota names, as far as the quota's controller has seen what went."""
    used = {name: Decimal(0) for name in hard}
    for name in limits.COUNTED:
        counted, reckoned = _split_names(name, hard)
        if not counted and not reckoned:
            continue
        objects: Sequence[Mapping[str, Any]]
        objects = _pods(world, namespace, spec) if name == "pods" else world.store.all(name, namespace)
        alive = [obj for obj in objects if not _over(world, obj)] if name == "pods" else objects
        for what in counted:
            used[what] += len(objects if what == ALL_PODS else alive)
        for taken in [_taken(name, obj) for obj in alive] if reckoned else ():
            for what in reckoned:
                if cost := taken.get(what):
                    used[what] += cost
    for what in hard:
        if what.startswith("count/") and (other := RESOURCES.get(what.removeprefix("count/"))) and other.group:
            used[what] = Decimal(len(world.store.all(other.name, namespace)))
    return used


def _split_names(resource: str, hard: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Of what a quota names: by what objects of a resource are counted, and what is reckoned for each of them."""
    counted = [what for what in hard if what in (resource, f"count/{resource}")]
    reckoned = [what for what in hard if what not in counted] if resource in MEASURED else []
    return counted, reckoned


def _pods(world: World, namespace: str, spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pods in a quota's scopes: those that are there, and as they were those whose end nobody has noticed."""
    pods: list[Mapping[str, Any]] = [*world.store.all("pods", namespace)]
    unseen = {uid: row["pod"] for uid, row in world.table(UNSEEN).items() if _unseen(world, row, namespace)}
    if unseen:
        pods = [*(pod for pod in pods if pod["metadata"]["uid"] not in unseen), *unseen.values()]
    rules = _list_scopes(spec)
    return [pod for pod in pods if all(_in_scope(rule, pod) for rule in rules)] if rules else pods


def _unseen(world: World, row: Mapping[str, Any], namespace: str) -> bool:
    return bool(row["namespace"] == namespace and row["until"] > world.now)


def _over(world: World, pod: Mapping[str, Any]) -> bool:
    """Whether a pod uses nothing any more: it has ended, or should be gone for longer than its grace by now."""
    status, meta = pod.get("status"), pod["metadata"]
    if status and status.get("phase") in ("Succeeded", "Failed"):
        return True
    if "deletionTimestamp" not in meta:  # as of nearly all
        return False
    since, grace = meta["deletionTimestamp"], meta.get("deletionGracePeriodSeconds")
    return since is not None and grace is not None and millis(since) + int(grace) * SECOND < world.now
