"""Rules of thumb that ask no symptom: whom they name, and how often that is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import NamedTuple

from aiops_gym.backends import Simulated
from aiops_gym.catalog.model import Create, Patch, Script
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api import find_by_kind
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.testing.leaks.looks import age_in_seconds, guess_owner

FOLDS = 5
NEVER = float("inf")
YOUNG = 220.0
"""Seconds: what an incident made anew was once the oldest of what is younger."""

RECENT = 240.0
GUARDS = ("networkpolicies.networking.k8s.io", "resourcequotas")


class Guess(NamedTuple):
    """What a rule says of an episode, and what is right.

    Attributes:
        named: components between which the rule would choose by lot.
        target: the right one.
        among: how many there are to choose from.
    """

    named: frozenset[str]
    target: str
    among: int

    @property
    def right(self) -> float:
        """How likely the choice is right; one who knows nothing takes any."""
        if not self.named:
            return 1.0 / self.among
        return (self.target in self.named) / len(self.named)


def _ages(backend: Simulated) -> dict[str, float]:
    objects = backend.world.store.all("deployments.apps", backend.app.namespace)
    named = {obj["metadata"]["name"]: age_in_seconds(backend, obj) for obj in objects}
    return {name: age for name, age in named.items() if name in backend.app.components}


def name_youngest(backend: Simulated) -> frozenset[str]:
    """The youngest deployment."""
    ages = _ages(backend)
    return frozenset({min(ages, key=ages.__getitem__)}) if ages else frozenset()


def name_oldest_of_young(backend: Simulated) -> frozenset[str]:
    """The oldest deployment younger than some minutes."""
    young = {name: age for name, age in _ages(backend).items() if age < YOUNG}
    return frozenset({max(young, key=young.__getitem__)}) if young else frozenset()


def name_young(backend: Simulated) -> frozenset[str]:
    """All deployments younger than some minutes."""
    return frozenset(name for name, age in _ages(backend).items() if age < YOUNG)


def name_last_service(backend: Simulated) -> frozenset[str]:
    """The Service that was written last."""
    objects = backend.world.store.all("services", backend.app.namespace)
    named = {obj["metadata"]["name"]: int(obj["metadata"]["resourceVersion"]) for obj in objects}
    name = max(named, key=named.__getitem__)
    return frozenset({name} & set(backend.app.components))


def name_by_pods(place: int) -> Callable[[Simulated], frozenset[str]]:
    """The component whose youngest pod is at this place among those of all components, the youngest first."""

    def name(backend: Simulated) -> frozenset[str]:
        ages: dict[str, float] = {}
        for pod in backend.world.store.all("pods", backend.app.namespace):
            if owner := _owner(backend, pod):
                ages[owner] = min(ages.get(owner, NEVER), age_in_seconds(backend, pod))
        return frozenset(sorted(ages, key=ages.__getitem__)[place : place + 1])

    return name


def _owner(backend: Simulated, pod: Obj) -> str:
    return backend.app.find_owner(pod["metadata"].get("labels") or {})


def name_youngest_set(backend: Simulated) -> frozenset[str]:
    """The component of the youngest ReplicaSet that has pods."""
    sets = [
        each for each in backend.world.store.all("replicasets.apps", backend.app.namespace) if _owner(backend, each)
    ]
    live = [each for each in sets if each["spec"].get("replicas")]
    return frozenset({_owner(backend, min(live, key=lambda each: age_in_seconds(backend, each)))} if live else ())


def name_youngest_of(kind: str) -> Callable[[Simulated], frozenset[str]]:
    """The component whose name the youngest object of a kind begins with."""

    def name(backend: Simulated) -> frozenset[str]:
        objects = backend.world.store.all(kind, backend.app.namespace)
        mine = [(age_in_seconds(backend, obj), guess_owner(backend.app.components, obj)) for obj in objects]
        named = sorted((age, owner) for age, owner in mine if owner)
        return frozenset(owner for _, owner in named[:1])

    return name


def name_last_settings(backend: Simulated) -> frozenset[str]:
    """The component whose ConfigMap was written last."""
    objects = backend.world.store.all("configmaps", backend.app.namespace)
    named = {int(o["metadata"]["resourceVersion"]): guess_owner(backend.app.components, o) for o in objects}
    owners = [named[version] for version in sorted(named, reverse=True) if named[version]]
    return frozenset(owners[:1])


def name_most_revised(backend: Simulated) -> frozenset[str]:
    """The deployments with the most revisions."""
    return _name_most(backend, lambda obj: int((obj["metadata"].get("annotations") or {}).get(REVISION, "0")))


def name_most_written(backend: Simulated) -> frozenset[str]:
    """The deployments with the highest generation."""
    return _name_most(backend, lambda obj: int(obj["metadata"].get("generation", 1)))


def _name_most(backend: Simulated, read: Callable[[Obj], int]) -> frozenset[str]:
    objects = backend.world.store.all("deployments.apps", backend.app.namespace)
    named = {obj["metadata"]["name"]: read(obj) for obj in objects if obj["metadata"]["name"] in backend.app.components}
    most = max(named.values(), default=0)
    return frozenset(name for name, value in named.items() if value == most)


def name_last_scaled(backend: Simulated) -> frozenset[str]:
    """The deployment of the last event that tells of a rollout."""
    events = backend.world.store.all("events", backend.app.namespace)
    told = [each for each in events if each.get("reason") == "ScalingReplicaSet"]
    if not told:
        return frozenset()
    last = max(told, key=lambda each: str(each.get("lastTimestamp") or each["metadata"]["creationTimestamp"]))
    return frozenset({str(last["involvedObject"]["name"])} & set(backend.app.components))


def name_scraped(backend: Simulated) -> frozenset[str]:
    """The deployments whose pods Prometheus is told to ask."""
    objects = backend.world.store.all("deployments.apps", backend.app.namespace)
    notes = {o["metadata"]["name"]: o["spec"]["template"]["metadata"].get("annotations") or {} for o in objects}
    asked = {name for name, each in notes.items() if each.get("prometheus.io/scrape") == "true"}
    return frozenset(asked & set(backend.app.components))


REVISION = "deployment.kubernetes.io/revision"

RULES: Mapping[str, Callable[[Simulated], frozenset[str]]] = {
    "the youngest deployment": name_youngest,
    f"the oldest deployment younger than {YOUNG:.0f} s": name_oldest_of_young,
    f"any deployment younger than {YOUNG:.0f} s": name_young,
    "the Service written last": name_last_service,
    "the component of the youngest pod": name_by_pods(0),
    "the component of the second youngest pod": name_by_pods(1),
    "the component of the third youngest pod": name_by_pods(2),
    "the component of the youngest ReplicaSet": name_youngest_set,
    "the component of the youngest ConfigMap": name_youngest_of("configmaps"),
    "the component of the youngest policy": name_youngest_of("networkpolicies.networking.k8s.io"),
    "the component of the ConfigMap written last": name_last_settings,
    "the deployments with most revisions": name_most_revised,
    "the deployments with the highest generation": name_most_written,
    "the deployment of the last rollout in events": name_last_scaled,
    "the deployments that Prometheus is told to ask": name_scraped,
}


YOUNGEST = (
    "the youngest deployment",
    "the component of the youngest ReplicaSet",
    "the component of the youngest pod",
    "the component of the second youngest pod",
    "the component of the third youngest pod",
    "the deployment of the last rollout in events",
)
"""Rules by how young a deployment, its ReplicaSet or its pods are."""


def find_youngest_guard(backend: Simulated) -> tuple[str, float, int]:
    """Name and age of the youngest policy or quota, and how many are as young as an incident's; "" where none is."""
    objects = [obj for kind in GUARDS for obj in backend.world.store.all(kind, backend.app.namespace)]
    ages = sorted((age_in_seconds(backend, obj), obj["metadata"]["name"]) for obj in objects)
    if not ages:
        return "", 0.0, 0
    return ages[0][1], ages[0][0], sum(age < RECENT for age, _ in ages)


def find_last_written(backend: Simulated) -> dict[str, tuple[float, float]]:
    """By kind of what an incident writes: whether what was written last is the incident's, and how likely any is."""
    mine: dict[str, set[str]] = {}
    for change in backend.fault.changes if backend.fault else ():
        if isinstance(change, Patch) and change.name and not change.namespace:
            mine.setdefault(change.resource, set()).add(change.name)
        elif isinstance(change, Create) and (
            known := find_by_kind(change.manifest["apiVersion"], change.manifest["kind"])
        ):
            mine.setdefault(known.name, set()).add(str(change.manifest["metadata"]["name"]))
        elif isinstance(change, Script):
            for resource, full in change.writes:
                if "/" not in full:
                    mine.setdefault(resource, set()).add(full)
    found: dict[str, tuple[float, float]] = {}
    for resource in sorted(set(mine) - CONTROLLED):
        objects = backend.world.store.all(resource, backend.app.namespace if RESOURCES[resource].namespaced else "")
        last = max(objects, key=lambda obj: int(obj["metadata"]["resourceVersion"]), default=None)
        if last is not None:
            chance = sum(obj["metadata"]["name"] in mine[resource] for obj in objects) / len(objects)
            found[resource] = (float(last["metadata"]["name"] in mine[resource]), chance)
    return found


CONTROLLED = {"deployments.apps"}
"""What controllers write all the time."""


class Weigher:
    """Somebody who knows healthy manifests by heart, and from many incidents which differences mean something.

    Args:
        seen: differences of each component in each episode, and the target, "" where nothing is wrong.
    """

    def __init__(self, seen: Sequence[tuple[Mapping[str, set[str]], str]]) -> None:
        guilty: Counter[str] = Counter()
        innocent: Counter[str] = Counter()
        self.targets = sum(bool(target) for _, target in seen)
        self.others = sum(len(found) - bool(target) for found, target in seen)
        for found, target in seen:
            for name, paths in found.items():
                (guilty if name == target else innocent).update(paths)
        self.guilty, self.innocent = guilty, innocent

    def weigh(self, paths: set[str]) -> float:
        """How much more likely its differences are at a target than elsewhere (log): the most telling one counts."""
        if not paths:
            return log((self.targets - 0.5 * self.targets + 1) / (self.targets + 2))
        return max(
            log((self.guilty[p] + 0.5) / (self.targets + 1)) - log((self.innocent[p] + 0.5) / (self.others + 1))
            for p in paths
        )


def fold_of(group: str) -> int:
    """The part of the episodes in which all of a group are."""
    return int(hash_to_fraction("fold", group) * FOLDS)
