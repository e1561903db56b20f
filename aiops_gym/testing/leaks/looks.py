"""What the first cheap looks show of a world, as numbers: ages, counts and versions here, symptoms there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiops_gym.backends import Simulated
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.times import MINUTE, SECOND, millis

Numbers = dict[str, float]

KINDS = (
    "deployments.apps",
    "services",
    "configmaps",
    "secrets",
    "serviceaccounts",
    "networkpolicies.networking.k8s.io",
    "resourcequotas",
)
"""What people write; everything else follows from it."""

STILL = KINDS[1:]
"""Of these the ones that nobody else writes to: their version says when somebody did."""

NEVER = 10_000.0
"""An age in minutes where there is nothing."""


def read_neutral(backend: Simulated) -> Numbers:
    """What is no symptom: how many objects there are, how old they are, and which were written last."""
    world, space = backend.world, backend.app.namespace
    found: Numbers = {}
    for kind in KINDS:
        objects = world.store.all(kind, space)
        ages = sorted(_age(world.now, obj) for obj in objects)
        short = kind.partition(".")[0]
        found[f"{short} count"] = float(len(objects))
        for place in range(3):
            found[f"{short} age {place}"] = ages[place] if place < len(ages) else NEVER
        for limit in (2, 4, 10):
            found[f"{short} younger than {limit}"] = float(sum(age < limit for age in ages))
    for kind in STILL:
        versions = sorted(
            (int(obj["metadata"]["resourceVersion"]) for obj in world.store.all(kind, space)), reverse=True
        )
        found[f"{kind.partition('.')[0]} gap of versions"] = (
            float(versions[0] - versions[1]) if len(versions) > 1 else -1.0
        )
    pods = sorted(_age(world.now, pod) for pod in world.store.all("pods", space))
    found |= {f"pod age {place}": pods[place] if place < len(pods) else NEVER for place in range(3)}
    found["annotated services"] = float(sum("contact" in _notes(obj) for obj in world.store.all("services", space)))
    found["generations"] = float(sum(obj["metadata"].get("generation", 1) for obj in _deployments(backend)))
    found["length of names"] = float(sum(len(n) for n in _names(backend)))
    return found


def read_writes(backend: Simulated) -> Numbers:
    """What `managedFields` tell: how long ago fields were written last, of the app's objects and of all others."""
    now, own, others = backend.world.now, list[float](), list[float]()
    for key, (_, rows) in backend.world.table("managers").items():
        mine = key.split(" ")[1].startswith(f"{backend.app.namespace}/")
        (own if mine else others).extend((now - at) / MINUTE for _, _, at in rows)
    found: Numbers = {}
    for word, ages in (("own", sorted(own)), ("other", sorted(others))):
        found |= {f"{word} write {place}": ages[place] if place < len(ages) else NEVER for place in range(3)}
        found |= {f"{word} writes of {limit}": float(sum(age < limit for age in ages)) for limit in (2, 4, 10)}
    return found


def read_symptoms(backend: Simulated) -> Numbers:
    """What an incident does to the cluster: restarts, what is not ready or missing, warnings."""
    world, space = backend.world, backend.app.namespace
    statuses = [
        s for pod in world.store.all("pods", space) for s in get(pod, "status", "containerStatuses", default=())
    ]
    events = world.store.all("events", space)
    wanted = sum(obj["spec"].get("replicas", 1) for obj in _deployments(backend))
    ready = sum(get(obj, "status", "readyReplicas", default=0) for obj in _deployments(backend))
    warned = [event for event in events if event.get("type") == "Warning"]
    late = [event for event in warned if world.now - millis(_last(event)) < 2 * MINUTE]
    return {
        "restarts": float(sum(status.get("restartCount", 0) for status in statuses)),
        "not ready": float(sum(not status.get("ready") for status in statuses)),
        "missing": float(wanted - ready),
        "warnings": float(len(warned)),
        "late warnings": float(len(late)),
        "events": float(len(events)),
        "pods": float(len(world.store.all("pods", space))),
    }


def are_pods_well(backend: Simulated, name: str) -> bool:
    """Whether a component has pods, all of them ready, and none of their containers has ever ended."""
    pods = backend.world.store.labelled("pods", backend.app.namespace, backend.app.select(name))
    statuses = [get(pod, "status", "containerStatuses", default=()) for pod in pods]
    return bool(pods) and all(
        each and all(status.get("ready") and not status.get("restartCount") for status in each) for each in statuses
    )


def list_differences(backend: Simulated, known: Mapping[tuple[str, str], Obj]) -> dict[str, set[str]]:
    """Fields in which each component differs from objects that somebody knows by heart, without places in lists."""
    space, app = backend.app.namespace, backend.app
    found: dict[str, set[str]] = {name: set() for name in app.components}
    for kind in KINDS:
        for obj in backend.world.store.all(kind, space):
            name = obj["metadata"]["name"]
            owner = name if name in found else guess_owner(app.components, obj)
            old = known.get((kind, name))
            paths = {f"{kind} new"} if old is None else set(_differing(kind, _decided(old), _decided(obj)))
            if owner:
                found[owner] |= paths
    return found


def remember(backend: Simulated, kinds: Sequence[str] = KINDS) -> dict[tuple[str, str], Obj]:
    """The objects of a healthy world by kind and name."""
    world, space = backend.world, backend.app.namespace
    return {(kind, obj["metadata"]["name"]): obj for kind in kinds for obj in world.store.all(kind, space)}


def guess_owner(components: Sequence[str], obj: Obj) -> str:
    """The component whose name an object's begins with, or that a policy selects."""
    name = obj["metadata"]["name"]
    return max((each for each in components if name.startswith(f"{each}-")), key=len, default="")


def _decided(obj: Obj) -> Mapping[str, Any]:
    return {
        "spec": obj.get("spec") or {},
        "data": obj.get("data") or {},
        "labels": obj["metadata"].get("labels") or {},
    }


LEFT_OUT = ("clusterIP", "clusterIPs", "restartedAt", "nodePort")


def _differing(path: str, old: Any, new: Any) -> Iterator[str]:
    """Paths of what differs; a place in a list is left out."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new} - set(LEFT_OUT)):
            if not key.endswith("restartedAt"):
                yield from _differing(f"{path}.{key}", old.get(key), new.get(key))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        if len(old) != len(new):
            yield f"{path} longer"
        for one, other in zip(old, new, strict=False):
            yield from _differing(path, one, other)
    elif old != new:
        yield path


def age_in_seconds(backend: Simulated, obj: Obj) -> float:
    """How long an object has been there."""
    return (backend.world.now - millis(obj["metadata"]["creationTimestamp"])) / SECOND


def _last(event: Obj) -> str:
    return str(event.get("lastTimestamp") or event["metadata"]["creationTimestamp"])


def _age(now: int, obj: Obj) -> float:
    return (now - millis(obj["metadata"]["creationTimestamp"])) / MINUTE


def _notes(obj: Obj) -> Mapping[str, str]:
    return obj["metadata"].get("annotations") or {}


def _deployments(backend: Simulated) -> Sequence[Obj]:
    return backend.world.store.all("deployments.apps", backend.app.namespace)


def _names(backend: Simulated) -> list[str]:
    space = backend.app.namespace
    return [o["metadata"]["name"] for kind in STILL for o in backend.world.store.all(kind, space)]
