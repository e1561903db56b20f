"""Ending containers: politely, then by force; and taking a deleted pod down until its object can go."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim import api, runtime
from aiops_gym.sim.container import container_spec
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.kubelet import hooks, limits, start, status
from aiops_gym.sim.kubelet import record as records
from aiops_gym.sim.objects import Obj, get, name_of, namespace_of
from aiops_gym.sim.times import SECOND
from aiops_gym.sim.world import Handler, World

LEAST_GRACE = 2
"""Seconds that a container always has to end, unless it is to go at once."""


def kill(
    world: World, uid: str, pod: Obj, messages: Mapping[str, str], graces: Mapping[str, int] | None = None
) -> None:
    """Ask running containers to end, each with the event that says why; the worker waits for them.

    Args:
        messages: by the name of the container.
        graces: seconds between TERM and KILL of those that have less than the pod says.
    """
    longest = 0
    records.change(world, uid, killing=list(messages))
    for name, message in messages.items():
        start.say(world, pod, name, "Normal", "Killing", message)
    for name in messages:
        grace = (graces or {}).get(name, _grace(pod))
        longest = max(longest, _stop(world, uid, pod, name, grace))
    records.later(world, uid, longest + SECOND, "kill")


def _stop(world: World, uid: str, pod: Obj, name: str, grace: int) -> int:
    """The hook, then TERM, then KILL; the ms until the last of them."""
    if not grace:
        runtime.signal(world, f"{uid}/{name}", "KILL")
        return 0
    spec, id_ = container_spec(pod, name), records.container(world.table("kubelet")[uid], name)["id"]
    took, problem = 0, ""
    if hooks.has(spec, "preStop"):
        took, problem = hooks.run(world, pod, spec, "preStop", str(world.table("kubelet")[uid]["ip"]))
        if took < 0 or took > grace * SECOND:
            took, problem = grace * SECOND, ""
    end = took + max(LEAST_GRACE * SECOND, grace * SECOND - took // SECOND * SECOND)
    if problem:
        world.schedule(took, "kubelet.signal", uid, name, id_, "FailedPreStopHook")
    if took:
        world.schedule(took, "kubelet.signal", uid, name, id_, "TERM")
    else:
        runtime.signal(world, f"{uid}/{name}", "TERM")
    world.schedule(end, "kubelet.signal", uid, name, id_, "KILL")
    return end


def signal(world: World, uid: str, name: str, id_: str, what: str) -> None:
    """A signal to one instance of a container is due, or its hook has failed."""
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None or records.container(record, name)["id"] != id_:
        return
    if what == "FailedPreStopHook":
        start.say(world, pod, name, "Warning", what, "PreStopHook failed")
    elif name in record["killing"]:
        runtime.signal(world, f"{uid}/{name}", what)


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
    if record["dying"] or record["ending"]:
        records.later(world, uid, records.spread(world, 400, 1100, "gone", uid), "gone")
    else:
        records.later(world, uid, records.spread(world, 20, 80, "killed", uid), "killed")


def begin(world: World, uid: str, pod: Obj) -> None:
    """The pod is to be deleted: whatever its worker was doing stops, its containers end."""
    record = records.find(world, uid)
    if record is None or record["dying"]:
        return
    records.change(world, uid, dying=True, resume=None)
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


def finish(world: World, uid: str, pod: Obj, reason: str, message: str, grace: int | None = None) -> None:
    """The pod fails as a whole: its containers end, its object stays."""
    record = records.find(world, uid)
    if record is None or record["dying"] or record["ending"]:
        return
    records.change(world, uid, ending={"reason": reason, "message": message}, busy="ending", again=0, next=0)
    running = [name for name, known in record["containers"].items() if known["state"] == "running"]
    if running:
        graces = {} if grace is None else dict.fromkeys(running, grace)
        kill(world, uid, pod, {name: f"Stopping container {name}" for name in running}, graces)
    else:
        records.later(world, uid, records.spread(world, 100, 300, "gone", uid), "gone")


def ended(world: World, uid: str, pod: Obj) -> None:
    """All containers are gone: the pod's last status, then its volumes."""
    record = records.find(world, uid)
    if record is not None and record["ending"] and not record["dying"]:
        limits.note_end(world, uid, pod, record["ending"]["reason"])
        status.publish(world, uid, over=True)
        records.done(world, uid)
        return
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
        grace = int(get(pod, "metadata", "deletionGracePeriodSeconds", default=30))
    else:
        grace = int(get(pod, "spec", "terminationGracePeriodSeconds", default=30))
    return max(LEAST_GRACE, grace) if grace else 0


HANDLERS: dict[str, Handler] = {"kubelet.signal": signal}
