"""kube-proxy on every node: where a Service's address leads follows its ports at once, endpoints or not."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """A Service came, went, or says something else."""
    if resource == "services" and (old is None or new is None or old["spec"] != new["spec"]):
        world.touch()
