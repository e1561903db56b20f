"""Who may run beside whom: affinity and anti-affinity between pods, and their spread over topology domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
AFFINITY = "node(s) didn't match pod affinity rules"
ANTI = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
SPREAD = "node(s) didn't match pod topology spread constraints"
UNLABELLED = f"{SPREAD} (missing required label)"

Term = Mapping[str, Any]


def find_refusals(world: World, pod: Obj, node: Obj, there: Sequence[Obj]) -> list[str]:
    """Why the pod may not run on the node beside the others, the first reason only; empty if it may.

    Args:
        there: the pods to reckon with on this node.
    """
    beside = _Beside(world, node, there)
    return _spread(world, pod, node, beside) or _affinity(pod, beside) or _existing(pod, beside)


class _Beside:
    """Pods by topology domain, with the given ones in the place of the node's own."""

    def __init__(self, world: World, node: Obj, there: Sequence[Obj]) -> None:
        self.world, self.node, self.there = world, node, there

    def in_domain(self, key: str) -> Iterator[Obj]:
        """Pods in the node's domain."""
        domain = labels_of(self.node).get(key)
        for other in self.world.store.all("nodes") if domain is not None else ():
            if labels_of(other).get(key) == domain:
                yield from self.on(other)

    def on(self, node: Obj) -> Iterable[Obj]:
        """Pods on one node that have not ended."""
        if name_of(node) == name_of(self.node):
            return self.there
        return [pod for pod in self.world.store.on_node(name_of(node)) if not pods_of.is_terminal(pod)]


def _wanted(world: World, owner: Obj, term: Term, pod: Obj) -> bool:
    """Whether a term of `owner` means the pod."""
    spaces = list(term.get("namespaces") or ())
    if (selector := term.get("namespaceSelector")) is not None:
        spaces += [name_of(s) for s in world.store.all("namespaces") if matches(selector, labels_of(s))]
    elif not spaces:
        spaces = [namespace_of(owner)]
    return namespace_of(pod) in spaces and matches(term.get("labelSelector"), labels_of(pod))


def _terms(pod: Obj, kind: str) -> Sequence[Term]:
    affinity = pod["spec"].get("affinity")  # few pods have one, and all are asked
    found: Sequence[Term] = get(affinity, kind, REQUIRED, default=()) if affinity else ()
    return found


def _affinity(pod: Obj, beside: _Beside) -> list[str]:
    world = beside.world
    for term in _terms(pod, "podAffinity"):
        near = any(_wanted(world, pod, term, other) for other in beside.in_domain(term["topologyKey"]))
        if not near and not _first_of_its_kind(world, pod, term):
            return [AFFINITY]
    for term in _terms(pod, "podAntiAffinity"):
        if any(_wanted(world, pod, term, other) for other in beside.in_domain(term["topologyKey"])):
            return [ANTI]
    return []


def _first_of_its_kind(world: World, pod: Obj, term: Term) -> bool:
    """The first pod of a group that wants to be with its own kind may go anywhere."""
    if not _wanted(world, pod, term, pod):
        return False
    return not any(get(o, "spec", "nodeName") and _wanted(world, pod, term, o) for o in world.store.all("pods"))


def _existing(pod: Obj, beside: _Beside) -> list[str]:
    """Pods that are there may have something against the new one."""
    for node in beside.world.store.all("nodes"):
        for other in beside.on(node):
            for term in _terms(other, "podAntiAffinity"):
                domain = labels_of(node).get(term["topologyKey"])
                same = domain is not None and domain == labels_of(beside.node).get(term["topologyKey"])
                if same and _wanted(beside.world, other, term, pod):
                    return [EXISTING]
    return []


def _spread(world: World, pod: Obj, node: Obj, beside: _Beside) -> list[str]:
    for rule in pod["spec"].get("topologySpreadConstraints") or ():
        if rule.get("whenUnsatisfiable", "DoNotSchedule") != "DoNotSchedule":
            continue
        key = rule["topologyKey"]
        domain = labels_of(node).get(key)
        if domain is None:
            return [UNLABELLED]
        counts = _counts(pod, rule, beside)
        least = min(counts.values(), default=0)
        if len(counts) < int(rule.get("minDomains", 1)):
            least = 0
        own = int(matches(rule.get("labelSelector"), labels_of(pod)))
        if counts.get(domain, 0) + own - least > int(rule["maxSkew"]):
            return [SPREAD]
    return []


def _counts(pod: Obj, rule: Term, beside: _Beside) -> dict[str, int]:
    """How many pods that the rule means are in each domain."""
    counts: dict[str, int] = {}
    selector = rule.get("labelSelector")
    extra = {k: labels_of(pod)[k] for k in rule.get("matchLabelKeys") or () if k in labels_of(pod)}
    for node in beside.world.store.all("nodes"):
        domain = labels_of(node).get(rule["topologyKey"])
        if domain is None:
            continue
        for other in beside.on(node):
            mine = namespace_of(other) == namespace_of(pod) and not pods_of.is_terminating(other)
            if mine and matches(selector, labels_of(other)) and extra.items() <= labels_of(other).items():
                counts[domain] = counts.get(domain, 0) + (uid_of(other) != uid_of(pod))
        counts.setdefault(domain, 0)
    return counts


def score_node(world: World, pod: Obj, node: Obj) -> float:
    """How much the pod would like the node for who runs there, and for an even spread."""
    affinity, points = get(pod, "spec", "affinity", default={}), 0.0
    spreads = [
        r for r in pod["spec"].get("topologySpreadConstraints") or () if r.get("whenUnsatisfiable") == "ScheduleAnyway"
    ]
    if not affinity and not spreads:
        return points
    there = [other for other in world.store.on_node(name_of(node)) if not pods_of.is_terminal(other)]
    beside = _Beside(world, node, there)
    for kind, sign in (("podAffinity", 1), ("podAntiAffinity", -1)):
        for one in get(affinity, kind, PREFERRED, default=()):
            term = one["podAffinityTerm"]
            hits = sum(1 for other in beside.in_domain(term["topologyKey"]) if _wanted(world, pod, term, other))
            points += sign * int(one.get("weight", 1)) * hits
    for rule in spreads:
        points -= 100 * _counts(pod, rule, beside).get(labels_of(node).get(rule["topologyKey"], ""), 0)
    return points
