"""A pod's worker: volumes, then the sandbox, then what its containers need, one step after the other.

Steps that take time end with an entry on the heap that goes on with the next one; `record` tells stale ones apart.
The worker looks when the pod changes, when a container starts or ends (at the next relist), and 10 to 15 s after
something failed; a pod in which all is well costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.tables import PodRecord
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.kubelet import (
    admission,
    hooks,
    limits,
    messages,
    probes,
    start,
    status,
    termination,
    volumes,
)
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.machine.container import find_container_spec
from aiops_gym.types import Json


def sync(world: World, uid: str, turn: int) -> None:
    """Publish how the pod is, then do what it needs."""
    record = records.find(world, uid)
    if record is None or record["turn"] != turn:
        return
    pod = records.pod_of(world, uid, record)
    if pod is None:
        return
    records.change(world, uid, next=0, busy="sync", again=0, failed=False)
    if pods_of.is_terminating(pod):
        termination.begin(world, uid, pod)
        return
    if not record["mounted"] and not record["sandbox"] and admission.reject_if_unfit(world, uid, pod):
        records.finish_sync(world, uid)
        return
    if pods_of.is_terminal(pod):
        records.finish_sync(world, uid)
        return
    fresh = not get(pod, "status", "startTime")
    pod = status.publish(world, uid) or pod
    if fresh:
        limits.plan_deadline(world, uid, pod)
    probes.attend(world, uid, pod)
    if status.is_settled(pod):
        termination.finish(world, uid, pod)
    elif not record["mounted"]:
        records.continue_later(world, uid, records.draw_duration(world, 50, 150, "mount", uid), "mount")
    elif not record["sandbox"]:
        _make_sandbox(world, uid)
    else:
        _act(world, uid, pod)


def step(world: World, uid: str, turn: int, name: str, arguments: Sequence[Json]) -> None:
    """Go on with a step whose time has come."""
    record = records.find(world, uid)
    if record is None or record["turn"] != turn:
        return
    pod = records.pod_of(world, uid, record)
    if pod is not None:
        STEPS[name](world, uid, pod, *arguments)


def _mount(world: World, uid: str, pod: Obj) -> None:
    """Volumes whose source is missing are tried again after 0.5 s, doubling up to 2 min 2 s."""
    problems, tried = volumes.find_missing(world, pod), world.table("kubelet")[uid]["volumes"]
    if not problems:
        records.change(world, uid, mounted=True, volumes={})
        _make_sandbox(world, uid)
        return
    for name, problem in problems.items():
        delay, due = tried.get(name, (volumes.FIRST_RETRY // 2, world.now))
        if due <= world.now:
            message = f'MountVolume.SetUp failed for volume "{name}" : {problem}'
            events.record(world, pod, "Warning", "FailedMount", message, "kubelet", pod["spec"]["nodeName"])
            delay = min(2 * delay, volumes.LONGEST_RETRY)
            tried = {**tried, name: [delay, world.now + delay]}
    records.change(world, uid, volumes=tried)
    records.continue_later(world, uid, max(1, min(tried[name][1] for name in problems) - world.now), "mount")


def _make_sandbox(world: World, uid: str) -> None:
    records.continue_later(world, uid, records.draw_duration(world, 350, 650, "sandbox", uid), "sandbox")


def _sandbox(world: World, uid: str, pod: Obj) -> None:
    record = records.find(world, uid)
    assert record is not None
    records.change(world, uid, sandbox=world.now, ip=record["ip"] or _address(world, pod))
    records.wake(world, uid, records.next_relist(world, record["node"]))
    _act(world, uid, pod)


def _address(world: World, pod: Obj) -> str:
    """The next free address of the node's range, or the node's own for a pod on the host network."""
    node = pod["spec"]["nodeName"]
    if pod["spec"].get("hostNetwork"):
        return status.find_host_ip(world, node)
    obj = world.store.get("nodes", "", node)
    names = [n["metadata"]["name"] for n in world.store.all("nodes")]
    cidr = get(obj or {}, "spec", "podCIDR", default=f"10.244.{names.index(node) if node in names else 0}.0/24")
    prefix = str(cidr).partition("/")[0].rpartition(".")[0]
    taken = {(other.get("status") or {}).get("podIP") for other in world.store.on_node(node)}
    taken |= {record["ip"] for record in world.table("kubelet").values()}
    for _ in range(253):
        address = f"{prefix}.{2 + (world.count(f'address {node}') - 1) % 253}"
        if address not in taken:
            return address
    return f"{prefix}.254"


def limit(world: World, uid: str) -> None:
    """A limit of the pod as a whole may have been passed."""
    world.table("evictions").pop(uid, None)
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None or record["dying"] or record["ending"] or pods_of.is_terminal(pod):
        return
    if limits.is_overdue(world, pod):
        limits.say_deadline(world, pod)
        termination.finish(world, uid, pod, limits.DEADLINE, limits.TOO_LATE)
        status.publish(world, uid)
    elif message := limits.find_excess(world, pod):
        events.record(world, pod, "Warning", "Evicted", message, "kubelet", record["node"])
        termination.finish(world, uid, pod, "Evicted", message, grace=1)


def _act(world: World, uid: str, pod: Obj) -> None:
    """Kill what must go, then start what should run (`computePodActions`)."""
    record = records.find(world, uid)
    assert record is not None
    if record["ending"]:
        return
    specs = {c["name"]: c for c in (*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ()))}
    doomed = _sidecars_to_end(pod, record)
    for name, known in record["containers"].items():
        if known["state"] != "running" or name not in specs:
            continue
        if known["image"] != specs[name]["image"]:
            doomed[name] = f"Container {name} definition changed, will be restarted"
        elif known["doom"]:
            doomed[name] = known["doom"]
    if doomed:
        over = _over(pod, record)
        termination.kill(world, uid, pod, doomed, probes.find_graces(record, specs, doomed), ordered=over)
        return
    _start(world, uid, pod, [*_joining(pod, record), *_wanted(pod, record)])


def _killed(world: World, uid: str, pod: Obj) -> None:
    """All containers that had to go are gone: start their successors, in the same sync."""
    record = records.find(world, uid)
    assert record is not None
    if record["resume"] is not None:
        names = record["resume"]
        for name in record["containers"]:
            records.change_container(world, uid, name, killed=False)
        records.change(world, uid, resume=None, failed=True)
        _start(world, uid, pod, names)
        return
    _start(world, uid, pod, [*_joining(pod, record), *_wanted(pod, record)])


def _sidecars_to_end(pod: Obj, record: PodRecord) -> dict[str, str]:
    """Once all that the pod is for has ended, its sidecars end too."""
    if not _over(pod, record):
        return {}
    running = [n for n in sorted(status.sidecar_names(pod)) if records.find_container(record, n)["state"] == "running"]
    return {name: f"Stopping container {name}" for name in running}


def _over(pod: Obj, record: PodRecord) -> bool:
    mains = [records.find_container(record, c["name"]) for c in pod["spec"]["containers"]]
    return all(known["state"] == "exited" and not status.should_restart(pod, known) for known in mains)


def _joining(pod: Obj, record: PodRecord) -> list[str]:
    """Ephemeral containers that were never started; they come before all others, whatever ails those."""
    names = [one["name"] for one in pod["spec"].get("ephemeralContainers") or ()]
    return [name for name in names if not records.find_container(record, name)["state"]]


def _wanted(pod: Obj, record: PodRecord) -> list[str]:
    """Names of the containers to start: the next init container, or else all that should run and do not."""
    mains = [c["name"] for c in pod["spec"]["containers"]]
    started = any(records.find_container(record, name)["state"] for name in mains)
    wanted = [n for n in mains if status.should_restart(pod, records.find_container(record, n))]
    sidecars = status.sidecar_names(pod)
    if started:
        over = not wanted and all(records.find_container(record, n)["state"] == "exited" for n in mains)
        dead = [n for n in sorted(sidecars) if records.find_container(record, n)["state"] != "running"]
        return [*([] if over else dead), *wanted]
    for spec in pod["spec"].get("initContainers") or ():
        known = records.find_container(record, spec["name"])
        sidecar = spec["name"] in sidecars
        if sidecar and known["state"] == "running":
            if known["up"]:
                continue
            return []
        if known["state"] == "exited" and known["code"] == 0 and not sidecar:
            continue
        return [spec["name"]] if status.should_restart(pod, known, init=not sidecar) else []
    return wanted


def _start(world: World, uid: str, pod: Obj, names: Sequence[str]) -> None:
    """Start containers one after the other; each may first need a pull."""
    for index, name in enumerate(names):
        wait, next_step = start.prepare(world, uid, pod, name)
        if next_step:
            records.continue_later(world, uid, wait, next_step, list(names[index:]))
            return
    records.finish_sync(world, uid)


def _pulled(world: World, uid: str, pod: Obj, names: list[str]) -> None:
    if start.finish_pull(world, uid, pod, names[0]):
        wait = records.draw_duration(world, 60, 140, "create", uid)
        records.continue_later(world, uid, wait, "create", names)
    else:
        _start(world, uid, pod, names[1:])


def _create(world: World, uid: str, pod: Obj, names: list[str]) -> None:
    before = records.find_container(world.table("kubelet")[uid], names[0])["id"]
    known = start.create(world, uid, pod, names[0])
    if known["id"] != before:
        records.wake(world, uid, records.next_relist(world, pod["spec"]["nodeName"]))
    spec = find_container_spec(pod, names[0])
    if known["state"] == "running" and hooks.has_hook(spec, "postStart"):
        ms, problem = hooks.run(world, pod, spec, "postStart", world.table("kubelet")[uid]["ip"])
        records.change(world, uid, busy="hook")
        if ms >= 0:
            records.continue_later(world, uid, ms, "hook", names, problem)
        return
    _start(world, uid, pod, names[1:])


def _hook(world: World, uid: str, pod: Obj, names: list[str], problem: str) -> None:
    """The hook after a start is over; where it failed the container must go again."""
    if not problem:
        _start(world, uid, pod, names[1:])
        return
    start.say(world, pod, names[0], "Warning", "FailedPostStartHook", "PostStartHook failed")
    known = records.change_container(world, uid, names[0], why=["PostStartHookError", problem])
    records.change(world, uid, failed=True)
    if known["state"] == "running":
        records.change(world, uid, resume=names[1:])
        termination.kill(world, uid, pod, {names[0]: "FailedPostStartHook"})
    else:
        start.say(world, pod, names[0], "Normal", "Killing", "FailedPostStartHook")
        _start(world, uid, pod, names[1:])


def exited(world: World, key: str, uid: str, name: str, exit_: Mapping[str, Json]) -> None:
    """A container's process has ended, says the runtime."""
    record = records.find(world, uid)
    if record is None or record["key"] != key:
        return
    known = records.find_container(record, name)
    if known["id"] != exit_["id"] or known["state"] != "running":
        return
    records.change_container(
        world,
        uid,
        name,
        state="exited",
        ended=exit_["at"],
        code=exit_["code"],
        reason=exit_["reason"],
        message=messages.read_message(world, uid, name, exit_),
        ready=False,
        up=False,
    )
    world.touch()
    termination.note_exit(world, uid, name)
    if not record["dying"] and not record["ending"]:
        records.wake(world, uid, records.next_relist(world, record["node"]))


STEPS: dict[str, Callable[..., None]] = {
    "mount": _mount,
    "sandbox": _sandbox,
    "pulled": _pulled,
    "create": _create,
    "hook": _hook,
    "killed": _killed,
    "kill": termination.force,
    "gone": termination.complete,
    "remove": termination.remove,
}

HANDLERS: dict[str, Handler] = {
    "kubelet.sync": sync,
    "kubelet.step": step,
    "kubelet.exited": exited,
    "kubelet.probe": probes.tick,
    "kubelet.probed": probes.note_result,
    "kubelet.limit": limit,
    **termination.HANDLERS,
}
