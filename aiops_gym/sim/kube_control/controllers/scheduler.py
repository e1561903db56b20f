"""The scheduler: each pod without a node gets one, or is told why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import (
    Obj,
    controller_of,
    get,
    key_of,
    labels_of,
    name_of,
    namespace_of,
    since,
    uid_of,
)
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.scheduling import affinity, filters, likeness, preemption
from aiops_gym.sim.kube_control.scheduling.likeness import Refusal
from aiops_gym.sim.kube_control.writes import annotate, find_condition, without_condition

NAME = "default-scheduler"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
SHARED = ("cpu", "memory")
"""What a node is full of."""

FLUSH = 5 * MINUTE
"""A pod that fitted nowhere is tried again after this time, even if nothing happened."""


class Scheduler:
    """Binds pods to nodes."""

    name = "scheduler"
    watches = ("pods", "nodes", "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A new pod; or those that found no place for a reason which the change may have cured."""
        if resource == "pods":
            if new is not None and _waiting(new) and (old is None or old["spec"] != new["spec"]):
                yield key_of(new)
            changed = _find_pod_changes(old, new)
        elif resource == "nodes":
            changed = _find_node_changes(old, new)
        else:
            changed = [filters.VOLUMES]
        if changed:
            waiting = world.table("unschedulable").items()
            yield from [key for key, entry in waiting if any(part in entry["cures"] for part in changed)]

    def reconcile(self, world: World, key: str) -> None:
        """Try to place one pod."""
        pod = world.store.by_key("pods", key)
        if pod is None or not _waiting(pod):
            world.table("unschedulable").pop(key, None)
            preemption.clear_nomination(world, key)
            return
        entry = world.table("unschedulable").get(key)
        if entry is not None and entry["uid"] == uid_of(pod) and world.now < entry["after"]:
            if not entry["asked"]:
                world.table("unschedulable")[key] = {**entry, "asked": True}
                world.schedule(entry["after"] - world.now, "scheduler.retry", key, uid_of(pod))
            return
        _place(world, pod)


def _waiting(pod: Obj) -> bool:
    mine = get(pod, "spec", "schedulerName", default=NAME) == NAME
    return (
        mine and not get(pod, "spec", "nodeName") and not pods_of.is_terminating(pod) and not pods_of.is_terminal(pod)
    )


def _find_pod_changes(old: Obj | None, new: Obj | None) -> list[str]:
    """What a write of a pod may change for those that wait: one left its node, came to one or has other labels."""
    before, after = _placed(old), _placed(new)
    if before is not None and after is None:
        return [filters.ROOM, filters.NEIGHBOURS]
    if after is None or (before is not None and labels_of(before) == labels_of(after)):
        return []
    return [filters.NEIGHBOURS]


def _placed(pod: Obj | None) -> Obj | None:
    """The pod, if it takes room on a node."""
    return pod if pod is not None and get(pod, "spec", "nodeName") and not pods_of.is_terminal(pod) else None


def _find_node_changes(old: Obj | None, new: Obj | None) -> list[str]:
    """What changed of a node that matters to the scheduler; heartbeats do not."""
    if old is None or new is None:
        return list(filters.PARTS)
    return [name for name, path in filters.PARTS.items() if path and get(old, *path) != get(new, *path)]


def _place(world: World, pod: Obj) -> None:
    known = likeness.recall(world, pod)
    if known is not None:
        _fail(world, pod, *known)
        return
    nodes = world.store.all("nodes")
    if not nodes:
        _fail(world, pod, "no nodes available to schedule pods", filters.PARTS)
        return
    try:
        claims = filters.find_claims(world, pod)
    except filters.Unfit as reason:
        text = _sentence(len(nodes), [str(reason)], {preemption.USELESS: len(nodes)})
        _fail(world, pod, text, [filters.VOLUMES])
        return
    refused = {name_of(node): filters.find_refusals(world, pod, node) for node in nodes}
    fitting = [node for node in nodes if not refused[name_of(node)]]
    if not fitting:
        excuse, tails = preemption.attempt(world, pod, refused)
        present = world.store.by_key("pods", key_of(pod)) or pod
        refusal = Refusal(_explain(list(refused.values()), excuse, tails), filters.find_cures(refused.values()))
        likeness.keep(world, pod, refusal)
        _fail(world, present, *refusal)
        return
    node = max(fitting, key=lambda node: _score(world, pod, node))
    ready = [_claim_ready(world, claim, node) for claim in claims]
    if not all(ready):
        return  # the binding of a claim brings the pod back
    _bind(world, pod, node)


def _explain(refused: Sequence[Sequence[str]], excuse: str, tails: Mapping[str, int]) -> str:
    """The message of FailedScheduling, from the reasons of each node and what came of preemption."""
    counted = Counter(reason for reasons in refused for reason in reasons)
    reasons = sorted(f"{n} {reason}" for reason, n in counted.items())
    if excuse:
        return f"0/{len(refused)} nodes are available: {', '.join(reasons)}. preemption: {excuse}"
    return _sentence(len(refused), reasons, tails)


def _sentence(nodes: int, reasons: Sequence[str], tails: Mapping[str, int]) -> str:
    head = f"0/{nodes} nodes are available: "
    if not tails:
        return f"{head}{', '.join(reasons)}."
    tail = ", ".join(sorted(f"{n} {text}" for text, n in tails.items()))
    return f"{head}{', '.join(reasons)}. preemption: {head}{tail}."


def _score(world: World, pod: Obj, node: Obj) -> tuple[float, ...]:
    """What is preferred, few pods of the same owner, then the emptiest node, then chance."""
    place, owner = name_of(node), (controller_of(pod) or {}).get("uid")
    there = [other for other in world.store.on_node(place) if pods_of.is_active(other)]
    alike = world.store.owned("pods", owner) if owner else ()
    same = sum(
        1
        for other in alike
        if other["spec"].get("nodeName") == place
        and pods_of.is_active(other)
        and (controller_of(other) or {}).get("uid") == owner
    )
    taken, allocatable = filters.sum_used(there, SHARED), get(node, "status", "allocatable", default={})
    shares = [taken[name] / max(1, filters.parse_amount(name, allocatable.get(name, "0"))) for name in SHARED]
    full = sum(shares) / len(shares)
    wanted = filters.score_node(pod, node) + affinity.score_node(world, pod, node)
    return wanted, -same, -round(full, 2), draws.draw(world.seed, "place", f"{uid_of(pod)} {place}")


def _claim_ready(world: World, claim: Obj, node: Obj) -> bool:
    """Whether a claim has its volume; one that waits for its first consumer is told the node."""
    if filters.is_bound(claim):
        return True
    if get(claim, "metadata", "annotations", SELECTED_NODE) != name_of(node):
        world.store.put("persistentvolumeclaims", annotate(claim, {SELECTED_NODE: name_of(node)}))
    table, key = world.table("unschedulable"), ""
    for pod in world.store.all("pods", namespace_of(claim)):
        if _waiting(pod):
            key = key_of(pod)
            table.setdefault(key, _make_entry(world, pod, 0, 0, [filters.VOLUMES]))
    return False


def _bind(world: World, pod: Obj, node: Obj) -> None:
    status = get(pod, "status", default={})
    scheduled = {"lastProbeTime": None, "lastTransitionTime": world.timestamp, "status": "True", "type": "PodScheduled"}
    conditions = [*without_condition(status.get("conditions", []), "PodScheduled"), scheduled]
    spec = {**pod["spec"], "nodeName": name_of(node)}
    world.table("unschedulable").pop(key_of(pod), None)
    preemption.clear_nomination(world, key_of(pod))
    status = {k: v for k, v in status.items() if k != "nominatedNodeName"}
    bound = world.store.put("pods", {**pod, "spec": spec, "status": {**status, "conditions": conditions}})
    text = f"Successfully assigned {key_of(pod)} to {name_of(node)}"
    events.record_series(world, bound, "Normal", "Scheduled", text, "Binding")


def _make_entry(world: World, pod: Obj, tries: int, wait: int, cures: Iterable[str]) -> dict[str, Any]:
    """What is kept of a pod that found no place: when it may be tried again, and what would have to change first."""
    times = {"after": world.now + wait, "flush": world.now + FLUSH}
    return {"uid": uid_of(pod), "tries": tries, "asked": False, "cures": sorted(cures), **times}


def _fail(world: World, pod: Obj, message: str, cures: Iterable[str]) -> None:
    table, key = world.table("unschedulable"), key_of(pod)
    before = table.get(key)
    tries = before["tries"] if before and before["uid"] == uid_of(pod) else 0
    wait = min(10, 2**tries) * SECOND
    table[key] = _make_entry(world, pod, min(tries + 1, 10), wait, cures)
    events.record_series(world, pod, "Warning", "FailedScheduling", message, "Scheduling")
    status = get(pod, "status", default={})
    old = find_condition(status.get("conditions", []), "PodScheduled")
    if old is None or old.get("message") != message:
        changed: dict[str, Any] = {
            "lastProbeTime": None,
            "lastTransitionTime": since(old, world.timestamp) if old else world.timestamp,
            "message": message,
            "reason": "Unschedulable",
            "status": "False",
            "type": "PodScheduled",
        }
        conditions = [*without_condition(status.get("conditions", []), "PodScheduled"), changed]
        world.store.put("pods", {**pod, "status": {"phase": "Pending", **status, "conditions": conditions}})
    world.schedule(FLUSH, "scheduler.retry", key, uid_of(pod))


def retry(world: World, key: str, uid: str) -> None:
    """Try a pod again that fitted nowhere: something has happened since, or the last time is long ago."""
    entry = world.table("unschedulable").get(key)
    if entry is not None and entry["uid"] == uid and world.now >= entry["after" if entry["asked"] else "flush"]:
        world.enqueue("scheduler", key, 0)


controller = Scheduler()
HANDLERS: dict[str, Handler] = {"scheduler.retry": retry}
