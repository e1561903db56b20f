"""Whether a pod may run on a node: the scheduler's filters, in its order, with its words.

Taken from `pkg/scheduler/framework/plugins` of Kubernetes 1.32.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.scheduling import affinity

_REQUESTS = caches.slot(f"{__name__}.requests", "adding up what a pod requests")

NO_CLASS = "kubernetes.io/no-provisioner"

Pod = Mapping[str, Any]


class Unfit(Exception):
    """A pod that no node can take, whatever the nodes look like."""


def find_refusals(world: World, pod: Obj, node: Obj, there: list[Obj] | None = None) -> list[str]:
    """Why the node cannot take the pod (first failing filter only), empty if it can.

    Args:
        there: the pods to reckon with instead of those that are on the node.
    """
    if get(node, "spec", "unschedulable", default=False) and not tolerates(pod, UNSCHEDULABLE):
        return ["node(s) were unschedulable"]
    for taint in get(node, "spec", "taints", default=()):
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not tolerates(pod, taint):
            return [f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"]
    if not selects(pod, node):
        return ["node(s) didn't match Pod's node affinity/selector"]
    if there is None:
        there = [other for other in world.store.on_node(name_of(node)) if not pods_of.is_terminal(other)]
    there = [*there, *_expected(world, pod, node)]
    ports = find_ports(pod)
    if ports and ports & {port for other in there for port in find_ports(other)}:
        return ["node(s) didn't have free ports for the requested pod ports"]
    return _lacking(pod, node, there) or _volumes(world, pod, node) or affinity.find_refusals(world, pod, node, there)


def priority(pod: Pod) -> int:
    """`spec.priority`."""
    return int(get(pod, "spec", "priority", default=0))


def _expected(world: World, pod: Obj, node: Obj) -> list[Obj]:
    """Other pods for which room was made on the node, unless they are less important."""
    nominated = world.table("nominated")
    found = []
    for key, (uid, name) in nominated.items():
        other = world.store.by_key("pods", key) if name == name_of(node) else None
        if other is not None and uid_of(other) == uid and uid != uid_of(pod) and priority(other) >= priority(pod):
            found.append(other)
    return found


UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
CURABLE = (
    "Insufficient",
    "Too many pods",
    "node(s) didn't have free ports",
    "node(s) didn't match pod",
    "node(s) didn't satisfy existing pods anti-affinity rules",
)


NODE, LABELS, ROOM, NEIGHBOURS, VOLUMES = "node", "labels", "room", "neighbours", "volumes"
PARTS: Mapping[str, tuple[str, ...]] = {
    NODE: ("spec",),
    LABELS: ("metadata", "labels"),
    ROOM: ("status", "allocatable"),
    NEIGHBOURS: (),
    VOLUMES: (),
}
"""What may change so that a pod fits after all, and where of a node it stands; the rest lies in other objects."""

CURES = (
    ("node(s) were unschedulable", (NODE,)),
    ("node(s) had untolerated taint", (NODE,)),
    ("node(s) didn't match Pod's node affinity", (LABELS,)),
    ("node(s) didn't have free ports", (ROOM,)),
    ("Insufficient", (ROOM,)),
    ("Too many pods", (ROOM,)),
    ("node(s) had volume node affinity conflict", (LABELS, VOLUMES)),
    ("node(s) didn't find available persistent volumes", (LABELS, VOLUMES)),
    ("node(s) didn't", (LABELS, NEIGHBOURS)),
)
"""What a change must touch before a refusal can end (the queueing hints of the plugins); the first that fits."""


def find_cures(refused: Iterable[Sequence[str]]) -> frozenset[str]:
    """What would have to change before one of the nodes could take the pod, from the reasons of each."""
    found = (next(parts for start, parts in CURES if reason.startswith(start)) for why in refused for reason in why)
    return frozenset(part for parts in found for part in parts)


def preemption_helps(reason: str) -> bool:
    """Whether evicting pods could help against a refusal."""
    return reason.startswith(CURABLE)


def sum_requests(pod: Obj) -> Mapping[str, int]:
    """What the pod asks for: `cpu` in thousandths, everything else in units."""
    cached: dict[str, int] | None = pod.memo.get(_REQUESTS)
    if cached is None:
        most, cached = dict[str, int](), dict[str, int]()
        for container in pod["spec"].get("initContainers") or ():
            for name, amount in _amounts(container).items():
                most[name] = max(most.get(name, 0), cached.get(name, 0) + amount)
                if container.get("restartPolicy") == "Always":  # a sidecar runs on beside what follows
                    cached[name] = cached.get(name, 0) + amount
        for container in pod["spec"].get("containers", ()):
            for name, amount in _amounts(container).items():
                cached[name] = cached.get(name, 0) + amount
        cached = {name: max(most.get(name, 0), cached.get(name, 0)) for name in (*cached, *most)}
        pod.memo[_REQUESTS] = cached
    return cached


def _amounts(container: Mapping[str, Any]) -> dict[str, int]:
    return {
        name: parse_amount(name, text) for name, text in get(container, "resources", "requests", default={}).items()
    }


def parse_amount(name: str, text: Any) -> int:
    """A quantity as the scheduler counts it."""
    return quantity.milli(str(text)) if name == "cpu" else quantity.whole(str(text))


def sum_used(there: Iterable[Obj], wanted: Iterable[str]) -> dict[str, int]:
    """What pods ask for together, of the things that are wanted."""
    total = dict.fromkeys(wanted, 0)
    for pod in there if total else ():
        asked = sum_requests(pod)
        for name in total:
            total[name] += asked.get(name, 0)
    return total


def _lacking(pod: Obj, node: Obj, there: list[Obj]) -> list[str]:
    allocatable = get(node, "status", "allocatable", default={})
    reasons = []
    if len(there) + 1 > quantity.whole(str(allocatable.get("pods", "110"))):
        reasons.append("Too many pods")
    wanted = {name: number for name, number in sum_requests(pod).items() if number}
    taken = sum_used(there, wanted)
    for name, number in wanted.items():
        if number > parse_amount(name, allocatable.get(name, "0")) - taken[name]:
            reasons.append(f"Insufficient {name}")
    return reasons


def tolerates(pod: Pod, taint: Mapping[str, Any]) -> bool:
    """Whether one of the pod's tolerations is for this taint."""
    return bool(find_tolerations(pod, taint))


def find_tolerations(pod: Pod, taint: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pod's tolerations for a taint."""
    return [one for one in pod["spec"].get("tolerations") or () if _is_for(one, taint)]


def _is_for(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    exists = toleration.get("operator", "Equal") == "Exists"
    if not toleration.get("key"):
        return bool(exists)
    same = toleration.get("value", "") == taint.get("value", "")
    return bool(toleration["key"] == taint["key"] and (exists or same))


def selects(pod: Pod, node: Obj) -> bool:
    """Whether the pod's node name, selector and affinity allow the node."""
    if pod["spec"].get("nodeName", name_of(node)) != name_of(node):
        return False
    labels = labels_of(node)
    if any(labels.get(k) != v for k, v in (pod["spec"].get("nodeSelector") or {}).items()):
        return False
    terms = get(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", default=None)
    return terms is None or node_selected(terms, node)


def score_node(pod: Pod, node: Obj) -> float:
    """How much the pod prefers the node by its affinity, and shuns it for taints."""
    points = 0.0
    kind = "preferredDuringSchedulingIgnoredDuringExecution"
    for one in get(pod, "spec", "affinity", "nodeAffinity", kind, default=()):
        if _term(one["preference"], node):
            points += int(one.get("weight", 1))
    for taint in get(node, "spec", "taints", default=()):
        if taint.get("effect") == "PreferNoSchedule" and not tolerates(pod, taint):
            points -= 300
    return points


def node_selected(selector: Mapping[str, Any], node: Obj) -> bool:
    """Whether a NodeSelector (terms are ORed) selects a node."""
    return any(_term(term, node) for term in selector.get("nodeSelectorTerms", ()))


def _term(term: Mapping[str, Any], node: Obj) -> bool:
    rules = [(rule, labels_of(node)) for rule in term.get("matchExpressions") or ()]
    rules += [(rule, {"metadata.name": name_of(node)}) for rule in term.get("matchFields") or ()]
    return bool(rules) and all(_rule(rule, values) for rule, values in rules)


def _rule(rule: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    key, operator = rule["key"], rule["operator"]
    if operator in ("Gt", "Lt"):
        texts = (values.get(key, ""), str((rule.get("values") or [""])[0]))
        if not all(is_natural(text.removeprefix("-")) for text in texts):
            return False
        have, bound = int(texts[0]), int(texts[1])
        return have > bound if operator == "Gt" else have < bound
    return matches({"matchExpressions": [rule]}, values)


def find_ports(pod: Pod) -> set[tuple[int, str]]:
    """Ports of the node that the pod takes."""
    containers = pod["spec"].get("containers", ())
    return {
        (int(port["hostPort"]), str(port.get("protocol", "TCP")))
        for container in containers
        for port in container.get("ports") or ()
        if port.get("hostPort")
    }


def find_claims(world: World, pod: Pod) -> list[Obj]:
    """The claims of the pod's volumes. Raises Unfit, with the scheduler's words, if one rules out every node."""
    found, unbound = [], False
    for volume in pod["spec"].get("volumes", ()):
        name = get(volume, "persistentVolumeClaim", "claimName")
        if not name:
            continue
        claim = world.store.get("persistentvolumeclaims", namespace_of(pod), name)
        if claim is None:
            raise Unfit(f'persistentvolumeclaim "{name}" not found')
        if pods_of.is_terminating(claim):
            raise Unfit(f'persistentvolumeclaim "{name}" is being deleted')
        if get(claim, "status", "phase") == "Lost":
            raise Unfit(f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume_of(claim)}"')
        unbound |= not is_bound(claim) and not waits_for_consumer(world, claim)
        found.append(claim)
    if unbound:
        raise Unfit("pod has unbound immediate PersistentVolumeClaims")
    return found


def is_bound(claim: Mapping[str, Any]) -> bool:
    """Whether the claim has its volume."""
    return bool(get(claim, "status", "phase") == "Bound")


def volume_of(claim: Mapping[str, Any]) -> str:
    """`spec.volumeName`."""
    return str(get(claim, "spec", "volumeName", default=""))


def find_storage_class(world: World, claim: Mapping[str, Any]) -> Obj | None:
    """The StorageClass that a claim names, if it exists."""
    name = str(get(claim, "spec", "storageClassName", default=""))
    return world.store.get("storageclasses.storage.k8s.io", "", name)


def waits_for_consumer(world: World, claim: Mapping[str, Any]) -> bool:
    """Whether the claim is bound only when a pod needs it."""
    class_ = world.store.get(
        "storageclasses.storage.k8s.io", "", str(get(claim, "spec", "storageClassName", default=""))
    )
    return class_ is not None and class_.get("volumeBindingMode") == "WaitForFirstConsumer"


def _volumes(world: World, pod: Obj, node: Obj) -> list[str]:
    for claim in find_claims(world, pod):
        volume = world.store.get("persistentvolumes", "", volume_of(claim)) if is_bound(claim) else None
        required = get(volume or {}, "spec", "nodeAffinity", "required")
        if required and not node_selected(required, node):
            return ["node(s) had volume node affinity conflict"]
        if not is_bound(claim) and not volume_of(claim):
            class_ = find_storage_class(world, claim)
            if class_ is not None and class_.get("provisioner") == NO_CLASS:
                return ["node(s) didn't find available persistent volumes to bind"]
    return []
