"""Whether a part of the API answers (the aggregator's availability controller), worked out when somebody reads it."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj, assoc, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.status import quote
from aiops_gym.types import Json

LOCAL = ("True", "Local", "Local APIServices are always available")
PASSED = ("True", "Passed", "all checks passed")


def refresh(world: World, part: Obj) -> Obj:
    """An APIService as a reader sees it now."""
    status, reason, message = _check(world, get(part, "spec", "service"))
    condition = {"lastTransitionTime": part["metadata"]["creationTimestamp"], "message": message, "reason": reason}
    seen: Obj = assoc(part, ("status", "conditions"), [{**condition, "status": status, "type": "Available"}])
    return seen


def _check(world: World, service: Json) -> tuple[str, str, str]:
    """The condition's status, reason and message."""
    if not service:
        return LOCAL
    namespace, name = service.get("namespace", ""), service.get("name", "")
    found = world.store.get("services", namespace, name)
    if found is None:
        return "False", "ServiceNotFound", f"service/{name} in {quote(namespace)} is not present"
    number = service.get("port", 443)
    port = next((each for each in get(found, "spec", "ports", default=()) if each["port"] == number), None)
    if port is None:
        told = f"service/{name} in {quote(namespace)} is not listening on port {number}"
        return "False", "ServicePortError", told
    subsets = get(world.store.get("endpoints", namespace, name) or Obj(), "subsets", default=())
    if not any(each.get("addresses") for each in subsets):
        told = f"endpoints for service/{name} in {quote(namespace)} have no addresses with port name "
        return "False", "MissingEndpoints", told + quote(port.get("name", ""))
    return PASSED
