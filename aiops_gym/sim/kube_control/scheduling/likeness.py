"""Pods that are alike to the scheduler: where one has just fitted nowhere, another need not be tried."""

from __future__ import annotations

from typing import Any, NamedTuple

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.scheduling import filters

_OUTLINE = caches.slot(f"{__name__}.outline", "telling whether two pods are alike to the scheduler")
_REFUSED = caches.slot(
    f"{__name__}.refused",
    "trying a pod where one like it has just fitted nowhere",
    key="the world",
    ends="any write of an object: the newest change is compared",
)

FIELDS = (
    "nodeName",
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "priority",
    "preemptionPolicy",
)
"""What the filters read of a pod's `spec` as it stands there."""


class Refusal(NamedTuple):
    """What a pod is told that fits nowhere, and what would have to change."""

    message: str
    cures: frozenset[str]


def recall(world: World, pod: Obj) -> Refusal | None:
    """What was found for a pod like this one, if nothing was written since."""
    change, found = world.memo.get(_REFUSED, (None, {}))
    if change is None or change is not _newest(world) or world.table("nominated"):
        return None
    known: Refusal | None = found.get(_outline(pod))
    return known


def keep(world: World, pod: Obj, refusal: Refusal) -> None:
    """Remember what was found for a pod, until something is written."""
    change, found = world.memo.get(_REFUSED, (None, {}))
    newest = _newest(world)
    if newest is not None:
        world.memo[_REFUSED] = newest, {**(found if change is newest else {}), _outline(pod): refusal}


def _newest(world: World) -> Any:
    return world.store.history[-1] if world.store.history else None


def _outline(pod: Obj) -> str:
    """All that the filters read of a pod, as a text."""
    known: str | None = pod.memo.get(_OUTLINE)
    if known is None:
        spec = pod["spec"]
        claims = [get(volume, "persistentVolumeClaim", "claimName") for volume in spec.get("volumes") or ()]
        parts = (
            namespace_of(pod),
            labels_of(pod),
            filters.sum_requests(pod),
            sorted(filters.find_ports(pod)),
            get(pod, "status", "nominatedNodeName"),
            [name for name in claims if name],
            *(spec.get(field) for field in FIELDS),
        )
        known = pod.memo[_OUTLINE] = repr(parts)
    return known
