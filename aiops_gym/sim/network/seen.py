"""What the network depends on, held to be compared: who is asked later whether it is still so.

Most that changes in a world changes nothing here: a program counts its connections in its own row, a kubelet writes how
a pod fares. So rows and pods are compared by the few fields that matter, all else by whether it is the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import is_not
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
    "nameserver",
    "neighbours",
)
"""Tables of which every value counts as a whole."""


class Seen:
    """What there was in a world when its network was indexed.

    Args:
        world: where it is; it is not held.
    """

    def __init__(self, world: World) -> None:
        self.table = world.table("processes")
        self.processes = _Rows(self.table, _tell_process)
        self.pods = _Rows(world.table("objects/pods"), _tell_pod)
        self.others = _list_others(world)

    def holds(self, world: World) -> bool:
        """Whether it is all still so."""
        processes = world.table("processes")
        return (
            self.table is processes
            and self.others == _list_others(world)
            and self.processes.are_like(processes)
            and self.pods.are_like(world.table("objects/pods"))
        )


def _list_others(world: World) -> list[list[Any]]:
    return [list(world.table(name).values()) for name in READ]


class _Rows:
    """A table as it was, in its order.

    Args:
        table: all of it.
        tell: what matters of a row.
    """

    def __init__(self, table: Mapping[str, Any], tell: Callable[[Any], tuple[Any, ...]]) -> None:
        self.names, self.rows, self.tell = list(table), list(table.values()), tell

    def are_like(self, table: Mapping[str, Any]) -> bool:
        """Whether a table has the same rows, as far as it matters; they are what is compared next time."""
        rows = list(table.values())
        if self.names != list(table):
            return False
        if any(map(is_not, self.rows, rows)):
            pairs = zip(self.rows, rows, strict=True)
            if any(was is not row and self.tell(was) != self.tell(row) for was, row in pairs):
                return False
            self.rows = rows
        return True


def _tell_process(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Who listens where, in which pod; what it has on the loopback interface alone."""
    local = get(row, "state", "configured", "local", default=())
    return row["running"], row["ip"], row["ports"], row["uid"], row["pod"], local


def _tell_pod(pod: Mapping[str, Any]) -> tuple[Any, ...]:
    """Who it is, its address, and what its author and its labels say."""
    meta = pod["metadata"]
    return meta["uid"], get(pod, "status", "podIP"), pod.get("spec"), meta.get("labels")
