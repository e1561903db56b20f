"""The node lifecycle controller: taints that follow a node's conditions, and nodes whose kubelet fell silent.

A kubelet renews its lease each 10 s. The controller looks each 5 s; 50 s after the last renewal it knows nothing of the
node any more. Nothing of this is planned while all kubelets are alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, get, key_of
from aiops_gym.sim.kernel.times import SECOND, iso
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers import node as nodes
from aiops_gym.sim.kube_control.writes import find_condition

COMPONENT = "node-controller"
GRACE = 50 * SECOND
"""`--node-monitor-grace-period`."""

PERIOD = 5 * SECOND
"""`--node-monitor-period`."""

PREFIX = "node.kubernetes.io/"
PRESSURES = {
    "MemoryPressure": "memory-pressure",
    "DiskPressure": "disk-pressure",
    "PIDPressure": "pid-pressure",
    "NetworkUnavailable": "network-unavailable",
}
LOST = {"False": "not-ready", "Unknown": "unreachable"}
OURS = tuple(PREFIX + name for name in (*PRESSURES.values(), *LOST.values(), "unschedulable"))
POSTED = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
SAID = {
    "MemoryPressure": "NodeHasSufficientMemory",
    "DiskPressure": "NodeHasNoDiskPressure",
    "PIDPressure": "NodeHasSufficientPID",
    "Ready": "NodeReady",
}

Taint = Mapping[str, Any]


class NodeLifecycleController:
    """Keeps the taints of each node in step with its conditions."""

    name = "nodelifecycle"
    watches = ("nodes",)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A node that is new, or of which spec or conditions changed."""
        if new is not None and (old is None or _facts(old) != _facts(new)):
            yield key_of(new)

    def reconcile(self, world: World, key: str) -> None:
        """Write the NoSchedule taints at once; NoExecute ones wait for the next look at all nodes."""
        node = world.store.by_key("nodes", key)
        if node is None:
            return
        _set_taints(world, node, "NoSchedule", _no_schedule(node))
        if any(_executing(one) != wanted for one, wanted in _no_execute(world)):
            _plan_look(world)


def _facts(node: Obj) -> Any:
    conditions = [(c["type"], c["status"]) for c in get(node, "status", "conditions", default=())]
    return node.get("spec"), conditions


def ready(node: Obj) -> str:
    """The status of the node's Ready condition."""
    found = find_condition(get(node, "status", "conditions", default=()), "Ready")
    return str(found["status"]) if found else "Unknown"


def _no_schedule(node: Obj) -> list[str]:
    conditions = get(node, "status", "conditions", default=())
    wanted = [PREFIX + PRESSURES[c["type"]] for c in conditions if c["type"] in PRESSURES and c["status"] == "True"]
    if find_condition(conditions, "Ready") is not None and ready(node) in LOST:
        wanted.append(PREFIX + LOST[ready(node)])
    if get(node, "spec", "unschedulable", default=False):
        wanted.append(PREFIX + "unschedulable")
    return wanted


def _no_execute(world: World) -> list[tuple[Obj, list[str]]]:
    """Each node with the NoExecute taint that it should have.

    Nobody is driven away where all nodes are lost ("full disruption"), nor, in a cluster as small as these, where most
    of at least three are.
    """
    everything = world.store.all("nodes")
    lost = [node for node in everything if _lost(node)]
    most = len(lost) > 2 and len(lost) >= 0.55 * len(everything)
    found: list[tuple[Obj, list[str]]] = []
    for node in everything:
        if not _lost(node) or len(lost) == len(everything):
            found.append((node, []))
        elif not most:
            found.append((node, [PREFIX + LOST[ready(node)]]))
    return found


def _lost(node: Obj) -> bool:
    return find_condition(get(node, "status", "conditions", default=()), "Ready") is not None and ready(node) in LOST


def _executing(node: Obj) -> list[str]:
    taints = get(node, "spec", "taints", default=())
    return [t["key"] for t in taints if t["effect"] == "NoExecute" and t["key"].removeprefix(PREFIX) in LOST.values()]


def _set_taints(world: World, node: Obj, effect: str, wanted: list[str]) -> None:
    """Have just these taints of ours, of one effect."""
    before: list[Taint] = list(get(node, "spec", "taints", default=()))
    ours = OURS if effect == "NoSchedule" else tuple(PREFIX + name for name in LOST.values())
    kept = [t for t in before if t["effect"] != effect or t["key"] not in ours or t["key"] in wanted]
    there = [t["key"] for t in kept if t["effect"] == effect]
    kept += [{"effect": effect, "key": k, "timeAdded": world.timestamp} for k in wanted if k not in there]
    if kept != before:
        spec = {k: v for k, v in node["spec"].items() if k != "taints"}
        world.store.put("nodes", {**node, "spec": {**spec, "taints": kept} if kept else spec})


def _tick(world: World, time: int) -> int:
    """When the controller first looks at the nodes after a time (ms)."""
    phase = draws.pick(PERIOD, world.seed, "node monitor")
    return time + (phase - time) % PERIOD


def _plan_look(world: World) -> None:
    table = world.table("nodelifecycle")
    if "look" not in table:
        table["look"] = due = _tick(world, world.now + SECOND)
        world.schedule(due - world.now, "nodelifecycle.look")


def look(world: World) -> None:
    """Write the NoExecute taints of all nodes."""
    world.table("nodelifecycle").pop("look", None)
    for node, wanted in _no_execute(world):
        _set_taints(world, node, "NoExecute", wanted)


def lost(world: World, name: str, since: int) -> None:
    """A kubelet has stopped: it will be noticed when its lease is too old."""
    due = _tick(world, nodes.read_renew_time(world, name) + GRACE)
    world.schedule(due - world.now, "nodelifecycle.unknown", name, since)


def unknown(world: World, name: str, since: int) -> None:
    """The lease of a node has not been renewed for too long."""
    node = world.store.get("nodes", "", name)
    if node is None or world.table("nodes_down").get(name) != since or ready(node) == "Unknown":
        return
    text = "Kubelet stopped posting node status."
    seen = nodes.refresh(world, node)
    changed = [
        c if c["type"] == "NetworkUnavailable" else _turned(world, c, "Unknown", "NodeStatusUnknown", text)
        for c in get(seen, "status", "conditions", default=())
    ]
    node = world.store.put("nodes", assoc(seen, ("status", "conditions"), changed))
    text = f"Node {name} status is now: NodeNotReady"
    events.record(world, node, "Normal", "NodeNotReady", text, COMPONENT)
    for pod in world.store.on_node(name):
        _mark(world, pod)
    world.touch()


def _turned(world: World, old: Mapping[str, Any], status: str, reason: str, message: str) -> dict[str, Any]:
    since = old.get("lastTransitionTime") if old["status"] == status else None
    changed = {"status": status, "reason": reason, "message": message}
    return {**old, **changed, "lastTransitionTime": since or world.timestamp}


def _mark(world: World, pod: Obj) -> None:
    """Take a pod of a lost node out of service."""
    conditions = get(pod, "status", "conditions", default=())
    found = find_condition(conditions, "Ready")
    if found is None or found["status"] != "True":
        return
    changed = {**found, "status": "False", "lastTransitionTime": world.timestamp}
    marked = [changed if c["type"] == "Ready" else c for c in conditions]
    pod = world.store.put("pods", assoc(pod, ("status", "conditions"), marked))
    events.record(world, pod, "Warning", "NodeNotReady", "Node is not ready", COMPONENT)


def posted(world: World, name: str) -> None:
    """A kubelet is back and posts its node's status."""
    node = world.store.get("nodes", "", name)
    if node is None:
        return
    news = {type_: (status, reason, text) for type_, status, reason, text in POSTED}
    conditions, told = [], []
    for old in get(node, "status", "conditions", default=()):
        if old["type"] in news and old["status"] == "Unknown":
            told.append(SAID[old["type"]])
            conditions.append({**_turned(world, old, *news[old["type"]]), "lastHeartbeatTime": iso(world.now)})
        else:
            conditions.append(old)
    node = world.store.put("nodes", assoc(node, ("status", "conditions"), conditions))
    kubelet = {**node, "metadata": {**node["metadata"], "uid": name}}
    for reason in told:
        text = f"Node {name} status is now: {reason}"
        events.record(world, kubelet, "Normal", reason, text, "kubelet", name)


def is_node_gone(world: World, pod: Obj) -> bool:
    """Whether the pod's node is not there (any more)."""
    node = get(pod, "spec", "nodeName", default="")
    return bool(node) and not pods_of.is_terminal(pod) and world.store.get("nodes", "", node) is None


controller = NodeLifecycleController()
HANDLERS: dict[str, Handler] = {
    "nodelifecycle.look": look,
    "nodelifecycle.lost": lost,
    "nodelifecycle.unknown": unknown,
    "nodelifecycle.posted": posted,
}
