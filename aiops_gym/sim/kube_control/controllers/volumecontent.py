"""What lies in mounted ConfigMaps and Secrets lags behind them: a kubelet looks at volumes when it syncs a pod.

It does so each minute, and up to half of one later, and when it starts a container of the pod; what is mounted by
`subPath` stays as it was when its container started. Source: kubernetes.io/docs/concepts/configuration/configmap,
"Mounted ConfigMaps are updated automatically"; `pkg/kubelet/pod_workers.go` (`workerResyncIntervalJitterFactor`).
"""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.machine.mounts import EARLIER, list_sources, place_earlier
from aiops_gym.types import Json

LEAST, MOST = 1 * SECOND, 90 * SECOND


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Keep what pods still have of what is written anew; forget it with the pod."""
    if resource == "pods" and new is None and old is not None and world.table(EARLIER):
        _forget(world, uid_of(old))
    elif (
        resource in ("configmaps", "secrets")
        and old is not None
        and new is not None
        and old.get("data") != new.get("data")
    ):
        _keep(world, resource, old)


def _keep(world: World, resource: str, old: Obj) -> None:
    table, source = world.table(EARLIER), (resource, name_of(old))
    for pod in world.store.all("pods", namespace_of(old)):
        mounting = {volume["name"] for volume in pod["spec"].get("volumes") or () if source in list_sources(volume)}
        if not mounting:
            continue
        for container in _started(world, pod):
            mounts = [each for each in container.get("volumeMounts") or () if each["name"] in mounting]
            if any(each.get("subPath") for each in mounts):
                table.setdefault(place_earlier(uid_of(pod), *source, container["name"]), {"data": old.get("data")})
            if not all(each.get("subPath") for each in mounts):
                _lag(world, place_earlier(uid_of(pod), *source), old)


def _started(world: World, pod: Obj) -> list[Mapping[str, Json]]:
    """The containers of a pod that have begun, and so have looked at its volumes."""
    spec = pod["spec"]
    every = [*spec["containers"], *(spec.get("initContainers") or ()), *(spec.get("ephemeralContainers") or ())]
    return [each for each in every if f"{uid_of(pod)}/{each['name']}" in world.table("processes")]


def _lag(world: World, place: str, old: Obj) -> None:
    """Until the next sync a pod has what it had."""
    table = world.table(EARLIER)
    if place not in table:
        table[place] = {"data": old.get("data")}
        wait = int(draws.between(LEAST, MOST, world.seed, "pod sync", f"{place} {key_of(old)}", world.now))
        world.schedule(wait, "volumecontent.sync", place)


def _sync(world: World, place: str) -> None:
    world.table(EARLIER).pop(place, None)


def _forget(world: World, uid: str) -> None:
    table = world.table(EARLIER)
    for place in [each for each in table if each.startswith(uid)]:
        del table[place]


HANDLERS: dict[str, Handler] = {"volumecontent.sync": _sync}
