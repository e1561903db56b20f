"""Jobs that clean up after themselves: deleted `ttlSecondsAfterFinished` after their end."""

from __future__ import annotations

from collections.abc import Iterable

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, name_of, namespace_of, since, uid_of
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers import job as jobs
from aiops_gym.sim.kube_control.writes import find_condition


class TTLController:
    """Plans the deletion of each Job that has ended and has a time to live."""

    name = "ttlafterfinished"
    watches = (jobs.RESOURCE,)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Jobs that ended, or whose time to live was changed after that."""
        if new is not None and get(new, "spec", "ttlSecondsAfterFinished") is not None and jobs.find_end(new):
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Delete the Job, or come back when it is time."""
        job = world.store.by_key(jobs.RESOURCE, key)
        seconds = get(job or {}, "spec", "ttlSecondsAfterFinished")
        if job is None or seconds is None or pods_of.is_terminating(job) or not jobs.find_end(job):
            return
        ended = find_condition(job["status"]["conditions"], jobs.find_end(job)) or {}
        due = millis(since(ended, job["metadata"]["creationTimestamp"])) + int(seconds) * SECOND
        if due <= world.now:
            kube_api.delete(world, jobs.RESOURCE, namespace_of(job), name_of(job), propagation="Foreground")
        else:
            world.schedule(due - world.now, "ttlafterfinished.due", key, uid_of(job))


def due(world: World, key: str, uid: str) -> None:
    """A Job's time to live is over."""
    job = world.store.by_key(jobs.RESOURCE, key)
    if job is not None and uid_of(job) == uid:
        world.enqueue("ttlafterfinished", key, 0)


controller = TTLController()
HANDLERS: dict[str, Handler] = {"ttlafterfinished.due": due}
