"""Ending containers: politely, then by force; and taking a deleted pod down until its object can go."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim import api, runtime
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.kubelet import record as records
from aiops_gym.sim.kubelet import start, status
from aiops_gym.sim.objects import Obj, get, name_of, namespace_of
from aiops_gym.sim.times import SECOND
from aiops_gym.sim.world import World

LEAST_GRACE = 2
"""Seconds that a container always has which ends for another reason than the deletion of its pod."""


def kill(world: World, uid: str, pod: Obj, messages: Mapping[str, str]) -> None:
    """Ask running containers to end, each with the event that says why; the worker waits for them."""
    grace = _grace(pod)
    records.later(world, uid, grace * SECOND, "kill")
    records.change(world, uid, killing=list(messages))
    for name, message in messages.items():
        start.say(world, pod, name, "Normal", "Killing", message)
    for name in messages:
        runtime.signal(world, f"{uid}/{name}", "TERM" if grace else "KILL")


def force(world: World, uid: str, pod: Obj) -> None:
    """The grace is over: what still runs is killed."""
    record = records.find(world, uid)
    assert record is not None
    for name in record["killing"]:
        runtime.signal(world, f"{uid}/{name}", "KILL")


def note_exit(world: World, uid: str, name: str) -> None:
    """A container has ended: go on when it was the last one that the worker waited for."""
    record = records.find(world, uid)
    if record is None or name not in record["killing"]:
        return
    rest = [other for other in record["killing"] if other != name]
    records.change(world, uid, killing=rest)
    records.change_container(world, uid, name, killed=True)
    if rest:
        return
    if record["dying"]:
        records.later(world, uid, records.spread(world, 400, 1100, "gone", uid), "gone")
    else:
        records.later(world, uid, records.spread(world, 20, 80, "killed", uid), "killed")


def begin(world: World, uid: str, pod: Obj) -> None:
    """The pod is to be deleted: whatever its worker was doing stops, its containers end."""
    record = records.find(world, uid)
    if record is None or record["dying"]:
        return
    records.change(world, uid, dying=True)
    status.publish(world, uid)
    running = [name for name, known in record["containers"].items() if known["state"] == "running"]
    if running:
        kill(world, uid, pod, {name: f"Stopping container {name}" for name in running})
    else:
        records.later(world, uid, records.spread(world, 100, 300, "gone", uid), "gone")


def hurry(world: World, uid: str, pod: Obj) -> None:
    """The pod is being deleted already, and now has less time for it."""
    record = records.find(world, uid)
    if record is not None and record["killing"]:
        records.later(world, uid, _grace(pod) * SECOND, "kill")


def ended(world: World, uid: str, pod: Obj) -> None:
    """All containers are gone: the pod's last status, then its volumes."""
    status.publish(world, uid, over=True)
    records.later(world, uid, records.spread(world, 80, 250, "remove", uid), "remove")


def remove(world: World, uid: str, pod: Obj) -> None:
    """Nothing of the pod is left on the node: its object may go."""
    api.delete(world, "pods", namespace_of(pod), name_of(pod), grace=0)


def clean(world: World, uid: str, pod: Obj) -> None:
    """The object is gone, by force perhaps: nothing of the pod may stay."""
    record = records.find(world, uid)
    if record is None:
        return
    for name, known in record["containers"].items():
        if known["state"] == "running":
            start.say(world, pod, name, "Normal", "Killing", f"Stopping container {name}")
    del world.table("kubelet")[uid]
    runtime.forget(world, uid)
    world.touch()


def _grace(pod: Obj) -> int:
    """Seconds between TERM and KILL."""
    if pods_of.terminating(pod):
        return int(get(pod, "metadata", "deletionGracePeriodSeconds", default=30))
    return max(LEAST_GRACE, int(get(pod, "spec", "terminationGracePeriodSeconds", default=30)))
