"""Ending containers: politely, then by force; and taking a deleted pod down until its object can go."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, name_of, namespace_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.kubelet import hooks, limits, start, status
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import find_container_spec

LEAST_GRACE = 2
"""Seconds that a container always has to end once it was asked to."""

HOOK_FAILED = "FailedPreStopHook"


def kill(
    world: World,
    uid: str,
    pod: Obj,
    messages: Mapping[str, str],
    graces: Mapping[str, int] | None = None,
    ordered: bool = False,
) -> None:
    """Ask running containers to end, each with the event that says why; the worker waits for them.

    Args:
        messages: by the name of the container.
        graces: seconds between TERM and KILL of those that have another time than the pod says.
        ordered: whether sidecars wait for all others, and for those that started after them.
    """
    longest = 0
    records.change(world, uid, killing=list(messages), queue={})
    for name, message in messages.items():
        start.say(world, pod, name, "Normal", "Killing", message)
    late = status.sidecar_names(pod) if ordered else frozenset()
    for name in messages:
        grace = (graces or {}).get(name, _grace(pod))
        longest = max(longest, _stop(world, uid, pod, name, grace, name in late))
    records.continue_later(world, uid, longest + SECOND, "kill")
    _take_turns(world, uid, pod)


def _stop(world: World, uid: str, pod: Obj, name: str, grace: int, late: bool) -> int:
    """The hook, then TERM, then KILL; the ms until the last of them."""
    took = _prepare_stop(world, uid, pod, name, grace)
    if late:
        queue = records.find(world, uid)
        assert queue is not None
        records.change(world, uid, queue={**queue["queue"], name: [world.now, world.now + took, grace]})
        _later(world, uid, name, max(took, grace * SECOND), "TURN")
        return grace * SECOND + LEAST_GRACE * SECOND
    end = took + max(LEAST_GRACE * SECOND, grace * SECOND - took // SECOND * SECOND)
    if took:
        _later(world, uid, name, took, "TERM")
    else:
        runtime.signal(world, f"{uid}/{name}", "TERM")
    _later(world, uid, name, end, "KILL")
    return end


def _prepare_stop(world: World, uid: str, pod: Obj, name: str, grace: int) -> int:
    """Begin the hook before the end of a container; the ms that its end waits for that."""
    spec = find_container_spec(pod, name)
    if not grace or not hooks.has_hook(spec, "preStop"):
        return 0
    took, problem = hooks.run(world, pod, spec, "preStop", str(world.table("kubelet")[uid]["ip"]))
    records.change_container(world, uid, name, hook=world.now + took if took >= 0 else -1)
    if took < 0 or took > grace * SECOND:
        return grace * SECOND
    if problem:
        _later(world, uid, name, took, HOOK_FAILED)
    return took


def _later(world: World, uid: str, name: str, delay: int, what: str) -> None:
    id_ = records.find_container(world.table("kubelet")[uid], name)["id"]
    world.schedule(delay, "kubelet.signal", uid, name, id_, what)


def _take_turns(world: World, uid: str, pod: Obj) -> None:
    """Sidecars for which nobody is left to wait for are asked to end."""
    record = records.find(world, uid)
    if record is None or not record["queue"]:
        return
    order = [c["name"] for c in (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"])]
    last = max(record["killing"], key=order.index, default="")
    mains = {c["name"] for c in pod["spec"]["containers"]}
    if last in record["queue"] and not mains & set(record["killing"]):
        began, ready, grace = record["queue"][last]
        records.change(world, uid, queue={k: v for k, v in record["queue"].items() if k != last})
        wait = max(0, ready - world.now)
        left = grace - (world.now + wait - began) // SECOND
        _later(world, uid, last, wait, "TERM")
        _later(world, uid, last, wait + max(LEAST_GRACE, left) * SECOND, "KILL")


def signal(world: World, uid: str, name: str, id_: str, what: str) -> None:
    """A signal to one instance of a container is due, or its hook has failed."""
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None or records.find_container(record, name)["id"] != id_:
        return
    if what == HOOK_FAILED:
        if records.find_container(record, name)["state"] == "running":
            records.change_container(world, uid, name, hook=0)
            start.say(world, pod, name, "Warning", HOOK_FAILED, "PreStopHook failed")
    elif what == "TURN":
        if name in record["queue"]:
            records.change(world, uid, queue={k: v for k, v in record["queue"].items() if k != name})
            runtime.signal(world, f"{uid}/{name}", "TERM")
            _later(world, uid, name, LEAST_GRACE * SECOND, "KILL")
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
    pod = records.pod_of(world, uid, record)
    if pod is not None and _cut_short(world, pod, name, records.find_container(record, name)["hook"]):
        start.say(world, pod, name, "Warning", HOOK_FAILED, "PreStopHook failed")
    rest = [other for other in record["killing"] if other != name]
    records.change(world, uid, killing=rest)
    records.change_container(world, uid, name, killed=True)
    if rest:
        if pod is not None:
            _take_turns(world, uid, pod)
        return
    if record["dying"] or record["ending"]:
        records.continue_later(world, uid, records.draw_duration(world, 400, 1100, "gone", uid), "gone")
    else:
        records.continue_later(world, uid, records.draw_duration(world, 20, 80, "killed", uid), "killed")


def _cut_short(world: World, pod: Obj, name: str, until: int) -> bool:
    """Whether a container took a command with it that ran before its end (until some ms, -1: for ever)."""
    command = get(find_container_spec(pod, name), "lifecycle", "preStop", "exec")
    return command is not None and (until < 0 or until > world.now)


def begin(world: World, uid: str, pod: Obj) -> None:
    """The pod is to be deleted: whatever its worker was doing stops, its containers end."""
    record = records.find(world, uid)
    if record is None or record["dying"]:
        return
    records.change(world, uid, dying=True, resume=None, grace=_grace(pod))
    status.publish(world, uid)
    running = [name for name, known in record["containers"].items() if known["state"] == "running"]
    if running:
        kill(world, uid, pod, {name: f"Stopping container {name}" for name in running}, ordered=True)
    else:
        records.continue_later(world, uid, records.draw_duration(world, 100, 300, "gone", uid), "gone")


def hurry(world: World, uid: str, pod: Obj) -> None:
    """The pod is being deleted already, and now has less time for it."""
    record = records.find(world, uid)
    if record is not None and record["killing"] and _grace(pod) < record["grace"]:
        records.change(world, uid, grace=_grace(pod))
        for name in record["killing"]:
            start.say(world, pod, name, "Normal", "Killing", f"Stopping container {name}")
        records.continue_later(world, uid, max(LEAST_GRACE, _grace(pod)) * SECOND, "kill")


def finish(world: World, uid: str, pod: Obj, reason: str = "", message: str = "", grace: int | None = None) -> None:
    """The pod ends as a whole, for a reason of its own it fails: its containers end, its object stays."""
    record = records.find(world, uid)
    if record is None or record["dying"] or record["ending"]:
        return
    records.change(world, uid, ending={"reason": reason, "message": message}, busy="ending", again=0, next=0)
    running = [name for name, known in record["containers"].items() if known["state"] == "running"]
    if running:
        graces = {} if grace is None else dict.fromkeys(running, grace)
        kill(world, uid, pod, {name: f"Stopping container {name}" for name in running}, graces, ordered=True)
    else:
        records.continue_later(world, uid, records.draw_duration(world, 100, 300, "gone", uid), "gone")


def complete(world: World, uid: str, pod: Obj) -> None:
    """All containers are gone: the pod's last status, then its volumes."""
    record = records.find(world, uid)
    if record is not None and record["ending"] and not record["dying"]:
        limits.note_end(world, uid, pod, record["ending"]["reason"])
    status.publish(world, uid, over=True)
    records.continue_later(world, uid, records.draw_duration(world, 80, 250, "remove", uid), "remove")


def remove(world: World, uid: str, pod: Obj) -> None:
    """Nothing of the pod is left on the node: its object may go if it is to be deleted."""
    status.publish(world, uid, lost=True)
    if pods_of.is_terminating(pod):
        kube_api.delete(world, "pods", namespace_of(pod), name_of(pod), grace=0)
    else:
        records.finish_sync(world, uid)


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
    """Seconds between TERM and KILL; a container has at least `LEAST_GRACE` all the same."""
    if pods_of.is_terminating(pod):
        return int(get(pod, "metadata", "deletionGracePeriodSeconds", default=30))
    return int(get(pod, "spec", "terminationGracePeriodSeconds", default=30))


HANDLERS: dict[str, Handler] = {"kubelet.signal": signal}
