"""Whether a pod may run on a node: the scheduler's filters, in its order, with its words.

Taken from `pkg/scheduler/framework/plugins` of Kubernetes 1.32.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiops_gym.sim.api import quantity
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.objects import Obj, get, labels_of, name_of, namespace_of
from aiops_gym.sim.world import World

NO_CLASS = "kubernetes.io/no-provisioner"

Pod = Mapping[str, Any]


class Unfit(Exception):
    """A pod that no node can take, whatever the nodes look like."""


def refusals(world: World, pod: Obj, node: Obj) -> list[str]:
    """Why the node cannot take the pod (first failing filter only), empty if it can."""
    if get(node, "spec", "unschedulable", default=False) and not tolerates(pod, UNSCHEDULABLE):
        return ["node(s) were unschedulable"]
    for taint in get(node, "spec", "taints", default=()):
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not tolerates(pod, taint):
            return [f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"]
    if not selects(pod, node):
        return ["node(s) didn't match Pod's node affinity/selector"]
    there = [other for other in world.store.on_node(name_of(node)) if not pods_of.finished(other)]
    if _ports(pod) & {port for other in there for port in _ports(other)}:
        return ["node(s) didn't have free ports for the requested pod ports"]
    return _lacking(pod, node, there) or _volumes(world, pod, node) or _neighbours(world, pod, node)


UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
HELPLESS = ("Insufficient", "Too many pods", "node(s) didn't have free ports", "node(s) didn't match pod")


def preemption_helps(reason: str) -> bool:
    """Whether evicting pods could help against a refusal; there is never a victim here, but the words differ."""
    return reason.startswith(HELPLESS)


def requests(pod: Obj) -> dict[str, int]:
    """What the pod asks for: `cpu` in thousandths, everything else in units."""
    cached = pod.memo.get("requests")
    if cached is None:
        cached = {}
        for container in pod["spec"].get("containers", ()):
            for name, amount in _amounts(container).items():
                cached[name] = cached.get(name, 0) + amount
        for container in pod["spec"].get("initContainers", ()):
            for name, amount in _amounts(container).items():
                cached[name] = max(cached.get(name, 0), amount)
        pod.memo["requests"] = cached
    return dict(cached)


def _amounts(container: Mapping[str, Any]) -> dict[str, int]:
    return {name: amount(name, text) for name, text in get(container, "resources", "requests", default={}).items()}


def amount(name: str, text: Any) -> int:
    """A quantity as the scheduler counts it."""
    return quantity.milli(str(text)) if name == "cpu" else quantity.whole(str(text))


def used(there: Iterable[Obj]) -> dict[str, int]:
    """What pods ask for together."""
    total: dict[str, int] = {}
    for pod in there:
        for name, number in requests(pod).items():
            total[name] = total.get(name, 0) + number
    return total


def _lacking(pod: Obj, node: Obj, there: list[Obj]) -> list[str]:
    allocatable = get(node, "status", "allocatable", default={})
    reasons = []
    if len(there) + 1 > quantity.whole(str(allocatable.get("pods", "110"))):
        reasons.append("Too many pods")
    taken = used(there)
    for name, number in requests(pod).items():
        if number and number > amount(name, allocatable.get(name, "0")) - taken.get(name, 0):
            reasons.append(f"Insufficient {name}")
    return reasons


def tolerates(pod: Pod, taint: Mapping[str, Any]) -> bool:
    """Whether one of the pod's tolerations is for this taint."""
    return bool(tolerations(pod, taint))


def tolerations(pod: Pod, taint: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pod's tolerations for a taint."""
    return [one for one in pod["spec"].get("tolerations") or () if _is_for(one, taint)]


def _is_for(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    exists = toleration.get("operator", "Equal") == "Exists"
    if not toleration.get("key"):
        return exists
    return toleration["key"] == taint["key"] and (exists or toleration.get("value", "") == taint.get("value", ""))


def selects(pod: Pod, node: Obj) -> bool:
    """Whether the pod's node name, selector and affinity allow the node."""
    if pod["spec"].get("nodeName", name_of(node)) != name_of(node):
        return False
    labels = labels_of(node)
    if any(labels.get(k) != v for k, v in (pod["spec"].get("nodeSelector") or {}).items()):
        return False
    terms = get(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", default=None)
    return terms is None or node_selected(terms, node)


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
        if not all(text.lstrip("-").isdigit() for text in texts):
            return False
        have, bound = int(texts[0]), int(texts[1])
        return have > bound if operator == "Gt" else have < bound
    return pods_of.matches({"matchExpressions": [rule]}, values)


def _ports(pod: Pod) -> set[tuple[int, str]]:
    containers = pod["spec"].get("containers", ())
    return {
        (int(port["hostPort"]), str(port.get("protocol", "TCP")))
        for container in containers
        for port in container.get("ports") or ()
        if port.get("hostPort")
    }


def claims(world: World, pod: Pod) -> list[Obj]:
    """The claims of the pod's volumes. Raises Unfit, with the scheduler's words, if one rules out every node."""
    found, unbound = [], False
    for volume in pod["spec"].get("volumes", ()):
        name = get(volume, "persistentVolumeClaim", "claimName")
        if not name:
            continue
        claim = world.store.get("persistentvolumeclaims", namespace_of(pod), name)
        if claim is None:
            raise Unfit(f'persistentvolumeclaim "{name}" not found')
        if pods_of.terminating(claim):
            raise Unfit(f'persistentvolumeclaim "{name}" is being deleted')
        if get(claim, "status", "phase") == "Lost":
            raise Unfit(f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume_of(claim)}"')
        unbound |= not bound(claim) and not waits(world, claim)
        found.append(claim)
    if unbound:
        raise Unfit("pod has unbound immediate PersistentVolumeClaims")
    return found


def bound(claim: Mapping[str, Any]) -> bool:
    """Whether the claim has its volume."""
    return bool(get(claim, "status", "phase") == "Bound")


def volume_of(claim: Mapping[str, Any]) -> str:
    """`spec.volumeName`."""
    return str(get(claim, "spec", "volumeName", default=""))


def storage_class(world: World, claim: Mapping[str, Any]) -> Obj | None:
    """The StorageClass that a claim names, if it exists."""
    name = str(get(claim, "spec", "storageClassName", default=""))
    return world.store.get("storageclasses.storage.k8s.io", "", name)


def waits(world: World, claim: Mapping[str, Any]) -> bool:
    """Whether the claim is bound only when a pod needs it."""
    class_ = world.store.get(
        "storageclasses.storage.k8s.io", "", str(get(claim, "spec", "storageClassName", default=""))
    )
    return class_ is not None and class_.get("volumeBindingMode") == "WaitForFirstConsumer"


def _volumes(world: World, pod: Obj, node: Obj) -> list[str]:
    for claim in claims(world, pod):
        volume = world.store.get("persistentvolumes", "", volume_of(claim)) if bound(claim) else None
        required = get(volume or {}, "spec", "nodeAffinity", "required")
        if required and not node_selected(required, node):
            return ["node(s) had volume node affinity conflict"]
        if not bound(claim) and not volume_of(claim):
            class_ = storage_class(world, claim)
            if class_ is not None and class_.get("provisioner") == NO_CLASS:
                return ["node(s) didn't find available persistent volumes to bind"]
    return []


def _neighbours(world: World, pod: Obj, node: Obj) -> list[str]:
    affinity = get(pod, "spec", "affinity", default={})
    for kind, wanted, reason in (
        ("podAffinity", True, "node(s) didn't match pod affinity rules"),
        ("podAntiAffinity", False, "node(s) didn't match pod anti-affinity rules"),
    ):
        for term in get(affinity, kind, "requiredDuringSchedulingIgnoredDuringExecution", default=()):
            if _near(world, pod, node, term) != wanted and not (wanted and _itself(world, pod, term)):
                return [reason]
    return []


def _near(world: World, pod: Obj, node: Obj, term: Mapping[str, Any]) -> bool:
    """Whether a pod that the term selects runs in the node's topology domain."""
    domain = labels_of(node).get(term["topologyKey"])
    spaces = term.get("namespaces") or [namespace_of(pod)]
    for other in world.store.all("nodes"):
        if domain is None or labels_of(other).get(term["topologyKey"]) != domain:
            continue
        for there in world.store.on_node(name_of(other)):
            mine = namespace_of(there) in spaces and pods_of.active(there)
            if mine and pods_of.matches(term.get("labelSelector"), labels_of(there)):
                return True
    return False


def _itself(world: World, pod: Obj, term: Mapping[str, Any]) -> bool:
    """The first pod of a group that wants to be with its own kind may go anywhere."""
    selector = term.get("labelSelector")
    if not pods_of.matches(selector, labels_of(pod)):
        return False
    others = world.store.all("pods", namespace_of(pod))
    return not any(get(o, "spec", "nodeName") and pods_of.matches(selector, labels_of(o)) for o in others)
