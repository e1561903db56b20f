"""What noise leaves behind: the pods it made and the unrest that follows, about which no verdict is, and decisions.

Noise says itself what it does, when it does it. It is noted in the world's table `noise`, out of reach of the agent and
carried along by forks and snapshots: the uid of whatever makes pods -> what runs in them, and under `last` when
something happened last (ms). What people decided while an incident unfolded is in the table `decided late`, as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, controller_of, get, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.resources import RESOURCES

TABLE = "noise"
LAST = "last"
LATE = "decided late"

PASSING = {"pods", "jobs.batch", "events", "events.events.k8s.io", "endpoints", "endpointslices.discovery.k8s.io"}
"""What comes and goes, or follows from something else."""

UNREST = 60 * SECOND
"""How long something may be seen of what happened: a rollout, or a start after two back-offs, 10 s each for a container
that was killed twice and then for one that cannot do without it."""


def note_noise(world: World) -> None:
    """Note that noise did something just now."""
    world.table(TABLE)[LAST] = world.now


def note_owner(world: World, owner: Obj) -> None:
    """Note an object of the noise that makes pods, and the pods that it has made so far."""
    programs = _programs(owner["spec"]["template"])
    for obj in (owner, *world.store.owned("pods", uid_of(owner))):
        world.table(TABLE)[uid_of(obj)] = programs


def note_new(world: World, before: World, mine: Collection[tuple[str, str, str]]) -> None:
    """Note what people wrote while an incident unfolded: it is right, nobody may be blamed for it, and it must stay.

    Args:
        world: as the agent finds it.
        before: the same just before the incident.
        mine: the incident's own objects: resource, namespace, name.
    """
    for resource in (each for each in RESOURCES if each not in PASSING):
        for key in sorted({*world.store.order.get(resource, ())}.difference(before.store.order.get(resource, ()))):
            obj = world.store.by_key(resource, key)
            assert obj is not None
            if controller_of(obj) is None and (resource, namespace_of(obj), name_of(obj)) not in mine:
                world.table(LATE)[f"{resource} {key}"] = obj


def list_new(world: World, resource: str) -> list[Obj]:
    """Objects of a resource that people wrote while an incident unfolded, as they were when the agent came."""
    return [Obj(obj) for key, obj in world.table(LATE).items() if key.startswith(f"{resource} ")]


def is_noise(world: World, pod: Mapping[str, Any]) -> bool:
    """Whether noise made a pod, and it still runs what noise wrote.

    A pod bears the uid that was noted, or that of the object that controls it. Owners can be rewritten, and what a pod
    runs cannot: nothing of the app's is hidden by making it look as if noise owned it.
    """
    table, owner = world.table(TABLE), controller_of(pod)
    programs = table.get(uid_of(pod)) or (table.get(owner["uid"]) if owner else None)
    return programs is not None and programs == _programs(pod)


def calm_at(world: World) -> int:
    """When all that noise has done so far has passed (ms)."""
    last: int | None = world.table(TABLE).get(LAST)
    return 0 if last is None else last + UNREST


def _programs(template: Mapping[str, Any]) -> list[list[Any]]:
    """What a pod's containers run."""
    containers = get(template, "spec", "containers", default=())
    return [[each["image"], list(each.get("command", ())), list(each.get("args", ()))] for each in containers]
