"""How long a world lives."""

import gc
import weakref

from aiops_gym.sim.kernel.blueprint import Blueprint
from aiops_gym.sim.kernel.world import Dynamics, World


def test_a_world_that_nobody_holds_is_gone_at_once() -> None:
    base = World(
        Blueprint(app="shop", namespace="shop", variant=0, start=0, images={}, operations=(), rate=1.0),
        Dynamics([], {}),
        1,
    )
    gc.disable()
    try:
        gone = [weakref.ref(base.fork()), weakref.ref(base.fork(2))]
    finally:
        gc.enable()
    assert [known() for known in gone] == [None, None]


def test_the_store_of_a_fork_tells_the_fork_of_its_changes() -> None:
    told = []
    dynamics = Dynamics([], {}, reactions=[lambda world, resource, old, new: told.append((world, resource))])
    base = World(
        Blueprint(app="shop", namespace="shop", variant=0, start=0, images={}, operations=(), rate=1.0), dynamics, 1
    )
    fork = base.fork()
    fork.store.put("pods", {"metadata": {"name": "geo", "namespace": "shop"}})
    assert told == [(fork, "pods")]
