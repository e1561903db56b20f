"""What of a world differs from another one, as a snapshot has it."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.kernel.blueprint import Blueprint
from aiops_gym.sim.kernel.store import Store
from aiops_gym.sim.kernel.world import Dynamics, World

TABLES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3))
STEPS = st.lists(st.tuples(st.sampled_from(("put", "remove")), st.sampled_from("abcdefgh"), st.booleans()), max_size=8)


def make_world():
    blueprint = Blueprint(app="shop", namespace="shop", variant=0, start=0, images={}, operations=(), rate=1.0)
    return World(blueprint, Dynamics([], {}), 1)


def carried(world, base):
    """The world that a difference makes of a fork of its base, after a way through bytes."""
    twin = base.fork()
    twin.become(orjson.loads(orjson.dumps(world.difference(base))))
    return twin


@given(TABLES, TABLES)
def test_any_table_comes_back_in_its_own_order(before, after):
    base = make_world()
    base.tables["things"] = before
    world = base.fork()
    world.tables["things"] = after
    assert list(carried(world, base).tables["things"].items()) == list(after.items())


def step(world, kind, name, labelled):
    if kind == "put":
        labels = {"app": name} if labelled else {"tier": "back"}
        world.store.put("pods", {"metadata": {"name": name, "namespace": "shop", "labels": labels}})
    elif world.store.get("pods", "shop", name) is not None:
        world.store.remove("pods", f"shop/{name}")


@given(STEPS, STEPS)
def test_the_indexes_of_a_restored_store_are_those_of_one_built_anew(early, late):
    base = make_world()
    for one in early:
        step(base, *one)
    world = base.fork()
    for one in late:
        step(world, *one)
    twin = carried(world, base)
    anew = Store(twin.tables, lambda *change: None)
    order = {resource: keys for resource, keys in twin.store.order.items() if keys}
    assert (twin.store.index, order) == (anew.index, {r: keys for r, keys in anew.order.items() if keys})
    assert list(twin.tables.get("objects/pods", ())) == list(world.tables.get("objects/pods", ()))
    assert not twin.store.history
