"""Roles that are made up of others: `admin`, `edit` and `view` hold the rules of all roles that bear their label."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, get, key_of, labels_of, name_of
from aiops_gym.sim.kernel.world import World

ROLES = "clusterroles.rbac.authorization.k8s.io"


class AggregationController:
    """Writes the rules of such roles, and again whenever a role comes, changes or goes."""

    name = "clusterroleaggregation"
    watches = (ROLES,)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """All roles that are made up of others."""
        return [key_of(each) for each in world.store.all(ROLES) if each.get("aggregationRule")]

    def reconcile(self, world: World, key: str) -> None:
        """Put together the rules of a role, in the order of the others' names, each rule once."""
        role = world.store.by_key(ROLES, key)
        selectors = get(role or Obj(), "aggregationRule", "clusterRoleSelectors", default=())
        if role is None or not role.get("aggregationRule"):
            return
        rules = list[dict[str, Any]]()
        for selector in selectors:
            for other in world.store.all(ROLES):
                if name_of(other) != name_of(role) and matches(selector, labels_of(other)):
                    rules += [rule for rule in other.get("rules") or () if rule not in rules]
        if rules != (role.get("rules") or []):
            world.store.put(ROLES, {**role, "rules": rules})


controller = AggregationController()
