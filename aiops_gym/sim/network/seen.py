"""What the network depends on, held to be compared: who is asked later whether it is still so.

Most that changes in a world changes nothing here: a program counts its connections in its own row, a kubelet writes how
a pod fares. So rows and pods are compared by the few fields that matter, all else by whether it is the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aiops_gym.sim.kernel.objects import get

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

READ = (
    "objects/services",
    "objects/endpoints",
    "objects/namespaces",
    "objects/networkpolicies.networking.k8s.io",
    "effects",
)
"""Tables of which every value counts as a whole."""


class Seen:
    """What there was in a world when its network was indexed.

    Args:
        world: where it is; it is not held.
    """

    def __init__(self, world: World) -> None:
        self.table = world.table("processes")
        self.processes: dict[str, Any] = dict(self.table)
        self.pods = dict(world.table("objects/pods"))
        self.others = _list_others(world)

    def holds(self, world: World) -> bool:
        """Whether it is all still so."""
        processes = world.table("processes")
        return (
            self.table is processes
            and self.others == _list_others(world)
            and _are_alike(self.processes, processes, _tell_process)
            and _are_alike(self.pods, world.table("objects/pods"), _tell_pod)
        )


def _list_others(world: World) -> list[list[Any]]:
    return [list(world.table(name).values()) for name in READ]


def _are_alike(known: dict[str, Any], now: Mapping[str, Any], tell: Callable[[Any], tuple[Any, ...]]) -> bool:
    """Whether a table has the same rows in the same order, as far as it matters; what is like another replaces it."""
    if len(known) != len(now):
        return False
    for (key, was), (name, row) in zip(known.items(), now.items(), strict=True):
        if was is not row:
            if key != name or tell(was) != tell(row):
                return False
            known[key] = row
    return True


def _tell_process(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Who listens where, in which pod; what it has on the loopback interface alone."""
    local = get(row, "state", "configured", "local", default=())
    return row["running"], row["ip"], row["ports"], row["uid"], row["pod"], local


def _tell_pod(pod: Mapping[str, Any]) -> tuple[Any, ...]:
    """Who it is, its address, and what its author and its labels say."""
    meta = pod["metadata"]
    return meta["uid"], get(pod, "status", "podIP"), pod.get("spec"), meta.get("labels")
