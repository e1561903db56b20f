"""NetworkPolicies: the network enforces them (`sim.network.firewall`); here it is told that something changed."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj, labels_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.network.firewall import POLICIES


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """A policy came, changed or went; or labels changed by which policies choose."""
    if resource == POLICIES:
        world.touch()
        return
    chosen_by = resource in ("pods", "namespaces") and world.tables.get(f"objects/{POLICIES}")
    if chosen_by and old is not None and new is not None and labels_of(old) != labels_of(new):
        world.touch()
