"""What people edit from day to day beside an application (`catalog.upkeep`), in the worlds that have a platform.

What was edited while an incident unfolds is noted in the table `edits`, as seeds: it is right, and a verdict takes it
as if it had been so before.
"""

from __future__ import annotations

from aiops_gym.backends.baseline import request
from aiops_gym.backends.leftovers import LATE
from aiops_gym.catalog import upkeep
from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.patch.jsonpatch import apply_json_patch

TABLE = "edits"
"""`resource namespace name` -> the seeds of what was edited there."""

JSON_PATCH, MERGE = "application/json-patch+json", "application/merge-patch+json"


def edit_any(world: World, app: App, seed: int, *, told: bool = False) -> None:
    """Edit one of the objects that people edit."""
    places = sorted(upkeep.list_places(app))
    edit(world, app, places[draws.pick(len(places), seed, "upkeep", "where")], seed, told=told)


def edit(world: World, app: App, place: upkeep.Place, seed: int, *, told: bool = False) -> bool:
    """Edit an object a little; False where it is not there, or nobody does that.

    Args:
        world: where it is.
        app: beside which.
        place: of the object: resource, namespace, name.
        seed: of what becomes of it.
        told: note who did it and why.
    """
    obj = world.store.get(*place)
    ops = upkeep.edit(app, place, obj, seed) if obj is not None else ()
    if not ops:
        return False
    request(world, "patch", *place, body=list(ops), content_type=JSON_PATCH)
    if told:
        note = {"metadata": {"annotations": {upkeep.CAUSE: upkeep.tell_reason(seed)}}}
        request(world, "patch", *place, body=note, content_type=MERGE)
    table, key = world.table(TABLE), " ".join(place)
    table[key] = [*table.get(key, ()), seed]
    return True


def forget(world: World) -> None:
    """What was edited until now was so before."""
    world.table(TABLE).clear()


def note_edits(world: World, before: World, app: App) -> None:
    """Take what was edited while an incident unfolded as if it had been so before it.

    Args:
        world: as the agent finds it.
        before: the same just before the incident.
        app: beside which it was.
    """
    for key, seeds in world.table(TABLE).items():
        resource, namespace, name = key.split(" ")
        obj = before.store.get(resource, namespace, name)
        if obj is None:
            continue
        for seed in seeds:
            obj = Obj(apply_json_patch(obj, list(upkeep.edit(app, (resource, namespace, name), obj, seed))))
        world.table(LATE)[f"{resource} {namespace}/{name}"] = obj
