"""ResourceQuota: what a namespace may use in all, refused at creation when it would be too much."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from aiops_gym.sim.api import quantity
from aiops_gym.sim.api.kind import Draft
from aiops_gym.sim.api.resources import RESOURCES, Resource
from aiops_gym.sim.api.status import forbidden
from aiops_gym.sim.objects import Obj, assoc, get
from aiops_gym.sim.world import World

COMPUTE = {"cpu": "requests.cpu", "memory": "requests.memory"}


def admit(world: World, resource: Resource, draft: Draft, old: Obj | None) -> None:
    """Refuse a new object that no quota has room for; note the new use otherwise. Raises Forbidden."""
    if old is not None or not resource.namespaced:
        return
    namespace = draft["metadata"].get("namespace", "")
    for limit in world.store.all("resourcequotas", namespace):
        hard = get(limit, "spec", "hard", default={})
        wanted = {name: cost for name, cost in demand(resource, draft).items() if name in hard}
        if not wanted:
            continue
        name = draft["metadata"].get("name") or draft["metadata"].get("generateName", "")
        if resource.name == "pods":
            _check_specified(resource, name, limit, hard, draft)
        used = usage(world, namespace, hard)
        over = [n for n in sorted(wanted) if used[n] + wanted[n] > quantity.parse(hard[n])]
        if over:
            asked, taken = ({n: amounts[n] for n in over} for amounts in (wanted, used))
            limited = ",".join(f"{n}={hard[n]}" for n in over)
            text = f"requested: {_listing(asked, hard)}, used: {_listing(taken, hard)}, limited: {limited}"
            raise forbidden(resource, name, f"exceeded quota: {limit['metadata']['name']}, {text}")
        total = {n: quantity.write(used[n] + wanted.get(n, 0), _suffix(hard[n])) for n in hard}
        world.store.put("resourcequotas", assoc(limit, ("status",), {"hard": dict(hard), "used": total}))


def _suffix(text: str) -> str:
    return text.lstrip("+-.0123456789")


def _listing(amounts: Mapping[str, Decimal | int], hard: Mapping[str, str]) -> str:
    return ",".join(f"{n}={quantity.write(Decimal(a), _suffix(hard[n]))}" for n, a in amounts.items())


def _check_specified(resource: Resource, name: str, limit: Obj, hard: Mapping[str, str], draft: Draft) -> None:
    """A quota on compute demands that each container says what it needs."""
    missing: dict[str, list[str]] = {}
    for item in sorted(hard):
        bare = COMPUTE.get(item, item)
        if bare in ("requests.cpu", "requests.memory", "limits.cpu", "limits.memory"):
            kind, what = bare.split(".")
            for container in draft["spec"].get("containers", ()):
                if what not in (get(container, "resources", kind) or {}):
                    missing.setdefault(item, []).append(container["name"])
    if missing:
        text = "; ".join(f"{item} for: {','.join(names)}" for item, names in missing.items())
        raise forbidden(resource, name, f"failed quota: {limit['metadata']['name']}: must specify {text}")


def demand(resource: Resource, obj: Mapping[str, Any]) -> dict[str, Decimal | int]:
    """What one object takes from quotas, by the quotas' names for it."""
    taken: dict[str, Decimal | int] = {f"count/{resource.name}": 1}
    if not resource.group:
        taken[resource.plural] = 1
    if resource.name == "pods":
        for kind in ("requests", "limits"):
            for what in ("cpu", "memory"):
                amounts = [get(c, "resources", kind, what, default="0") for c in obj["spec"].get("containers", ())]
                taken[f"{kind}.{what}"] = sum(quantity.parse(a) for a in amounts)
        taken.update({bare: taken[full] for bare, full in COMPUTE.items()})
    elif resource.name == "persistentvolumeclaims":
        taken["requests.storage"] = quantity.parse(get(obj, "spec", "resources", "requests", "storage", default="0"))
    return taken


def usage(world: World, namespace: str, hard: Mapping[str, str]) -> dict[str, Decimal]:
    """What a namespace uses now of each thing a quota names."""
    used = {name: Decimal(0) for name in hard}
    for name in ("pods", "services", "configmaps", "secrets", "persistentvolumeclaims", "replicationcontrollers"):
        for obj in world.store.all(name, namespace):
            if name == "pods" and get(obj, "status", "phase") in ("Succeeded", "Failed"):
                continue
            for what, cost in demand(RESOURCES[name], obj).items():
                if what in used:
                    used[what] += cost
    for what in hard:
        if what.startswith("count/") and (other := RESOURCES.get(what.removeprefix("count/"))) and other.group:
            used[what] = Decimal(len(world.store.all(other.name, namespace)))
    return used
