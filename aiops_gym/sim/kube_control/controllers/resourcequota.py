"""ResourceQuotas: what a namespace uses, counted again when something went or a quota changed.

What comes is counted at admission, by the API server itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get, key_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import QUEUE_DELAY, Handler, World
from aiops_gym.sim.kube_api import quota
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.writes import put_status

RESOURCE = "resourcequotas"


class ResourceQuotaController:
    """Writes the status of quotas; objects of namespaces without one cost a lookup."""

    name = "resourcequota"
    watches = (RESOURCE,)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A quota that is new or allows something else now."""
        if new is not None and (old is None or old.get("spec") != new.get("spec")):
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Count what the namespace uses."""
        limit = world.store.by_key(RESOURCE, key)
        if limit is None:
            return
        hard = get(limit, "spec", "hard", default={})
        used = quota.compute_usage(world, namespace_of(limit), hard, get(limit, "spec", default={}))
        status = {"hard": dict(hard), "used": quota.format_amounts(used, hard)}
        put_status(world, RESOURCE, limit, status)


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Something went, or a pod ended: the quotas of its namespace have room again, when their controller has seen it.

    Whoever made the pod hears of it at the same time, and may ask for the next one too early.
    """
    if not world.tables.get("objects/resourcequotas") or old is None or resource in (RESOURCE, "events"):
        return
    ended = resource == "pods" and not pods_of.is_terminal(old) and (new is None or pods_of.is_terminal(new))
    if new is not None and not ended:
        return
    lag = QUEUE_DELAY
    if ended:
        lag = 1 + draws.pick(2 * QUEUE_DELAY, world.seed, "quota", uid_of(old))
        pod = {"metadata": old["metadata"], "spec": old["spec"]}
        row = {"namespace": namespace_of(old), "until": world.now + lag, "pod": pod}
        world.table(quota.UNSEEN)[uid_of(old)] = row
    if not world.dynamics.seen:  # the API server counts for itself whenever it is asked
        return
    for limit in world.store.all(RESOURCE, namespace_of(old)):
        world.schedule(lag, "resourcequota.recount", key_of(limit))


def recount(world: World, key: str) -> None:
    """The controller has noticed what went."""
    table = world.table(quota.UNSEEN)
    for uid in [uid for uid, row in table.items() if row["until"] <= world.now]:
        del table[uid]
    world.enqueue("resourcequota", key, 0)


controller = ResourceQuotaController()
HANDLERS: dict[str, Handler] = {"resourcequota.recount": recount}
