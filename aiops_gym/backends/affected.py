"""Whom the next events concern: what the incident is about, what was changed since, and what depends on it.

What did not change fares as it did before the incident; that healthy worlds survive every event is tested.
So an event befalls the pods that are new or were changed, those that refer to something that was changed, those who
call them, and those whose address somebody wrote down. Where something of wider reach differs (a node, a quota, a
policy, a Service, ...) it befalls all pods of the namespace. Everything is found by owner and by content: a label is
what its pod says of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import orjson

from aiops_gym.backends import leftovers, warmup
from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel.objects import Obj, controller_of, dissoc, get, key_of, name_of, namespace_of, uid_of, walk
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.machine.mounts import decode_data
from aiops_gym.sim.traffic.reach import NAME_SERVER
from aiops_gym.types import Json

KEEPERS = {"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"}
"""Controllers that make a pod anew from its template."""

WORKLOADS = ("deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicationcontrollers", "replicasets.apps")
NAMED = ("configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims")
"""What pods name in their specs."""

DERIVED = {
    *("pods", "events", "endpoints", "endpointslices.discovery.k8s.io", "leases.coordination.k8s.io"),
    *("controllerrevisions.apps", "jobs.batch", "cronjobs.batch"),
    *WORKLOADS,
    *NAMED,
}
"""What controllers make, and what is looked at by pod; the rest reaches further."""

RESTARTED = ("template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
"""What `kubectl rollout restart` writes, and nobody reads."""

DESCRIBED = {"nodes": ("capacity", "allocatable", "addresses")}
"""Fields of a status that others act on."""

ON_DISK = ("hostPath", "local")
"""Kinds of volumes that are a path of a node."""

COUNTED = {"connections", "open", "peers", "services"}
"""State of a program that its clients change by calling it."""


class Affected(NamedTuple):
    """Whom an event befalls.

    Attributes:
        pods: keys of pods.
        owners: (namespace, workload) that these belong to, by which the like is found in the healthy world.
        changed: the app's deployments that say something else than before, in the order of its components.
        wide: whether they are all of the namespace.
    """

    pods: frozenset[str]
    owners: frozenset[tuple[str, str]]
    changed: tuple[str, ...] = ()
    wide: bool = False


Owner = tuple[str, str]


def find_affected(before: World, found: World, world: World, app: App, hurt: Iterable[str]) -> Affected:
    """Whom the next events concern.

    Args:
        before: the world just before the incident.
        found: the world when the agent came: what noise had done by then is nobody's repair.
        world: as it is now.
        app: the application.
        hurt: workloads that the incident is about; they are among them in any case.
    """
    pods = [pod for pod in world.store.all("pods") if _renewable(world, app, pod)]
    owners = {key_of(pod): find_owner(world, pod) for pod in pods}
    changed = _changed_names(found, world)
    touched = {owners[key_of(pod)] for pod in pods if _differs(found, world, pod) or (changed and _names(pod, changed))}
    rewritten = _changed_workloads(found, world)
    touched |= {(app.namespace, name) for name in hurt} | rewritten
    places = _changed_places(found, world)
    touched |= {owners[key_of(pod)] for pod in pods if places and _reads(world, pod, places)}
    wide = _is_wide(found, world) or _is_registry(before, app, touched)
    if wide:
        touched |= {owner for owner in owners.values() if owner[0] == app.namespace} | _name_servers(world)
    touched |= _callers(before, app, touched)
    touched |= _written_down(world, pods, owners, touched, changed)
    return Affected(
        frozenset(key for key, owner in owners.items() if owner in touched),
        frozenset(touched & set(owners.values())),
        tuple(name for name in app.components if (app.namespace, name) in rewritten),
        wide,
    )


def list_alike(world: World, app: App, owners: frozenset[Owner]) -> frozenset[str]:
    """Keys of the pods of the same workloads in another world."""
    spaces = sorted({space for space, _ in owners})
    pods = [pod for space in spaces for pod in world.store.all("pods", space)]
    return frozenset(key_of(pod) for pod in pods if find_owner(world, pod) in owners and _renewable(world, app, pod))


def find_owner(world: World, pod: Obj) -> Owner:
    """The workload that a pod belongs to, followed to its top; the pod itself where nobody made it."""
    space, owner = namespace_of(pod), controller_of(pod)
    if owner is None:
        return space, name_of(pod)
    made = world.store.get("replicasets.apps", space, owner["name"]) if owner["kind"] == "ReplicaSet" else None
    top = controller_of(made) if made is not None else None
    return space, str((top or owner)["name"])


def _renewable(world: World, app: App, pod: Obj) -> bool:
    """Whether a pod runs and is made anew when it goes, or was put into the app's namespace by hand."""
    if pods_of.is_terminal(pod) or pods_of.is_terminating(pod) or leftovers.is_noise(world, pod):
        return False
    owner = controller_of(pod)
    return owner["kind"] in KEEPERS if owner is not None else namespace_of(pod) == app.namespace


def _differs(before: World, world: World, pod: Obj) -> bool:
    """Whether a pod is another than before, or was changed by hand, or something in its containers was."""
    old = before.store.by_key("pods", key_of(pod))
    if old is None or uid_of(old) != uid_of(pod):
        return True
    if old is not pod and _shown(old) != _shown(pod):
        return True
    keys = [f"{uid_of(pod)}/{container['name']}" for container in pod["spec"]["containers"]]
    was, now = before.table("processes"), world.table("processes")
    if any(was.get(key) is not now.get(key) and _run(was.get(key)) != _run(now.get(key)) for key in keys):
        return True
    was, now = before.table("scratch"), world.table("scratch")
    return any(was.get(key) is not now.get(key) for key in keys)


def _shown(pod: Obj) -> Json:
    """What is decided about a pod, and what its kubelet says of it."""
    meta = {key: pod["metadata"].get(key) for key in ("labels", "annotations", "ownerReferences")}
    conditions = [(c["type"], c["status"]) for c in get(pod, "status", "conditions", default=())]
    return meta, pod["spec"], sorted(conditions), get(pod, "status", "podIP")


def _run(row: Mapping[str, Json] | None) -> Json:
    """What a process runs with, but for what comes and goes with its clients."""
    if row is None:
        return None
    state = {key: value for key, value in row["state"].items() if key not in COUNTED}
    return state, [row.get(key) for key in ("id", "argv", "params", "env", "ports")]


def _changed_names(before: World, world: World) -> frozenset[Owner]:
    """(namespace, name) of what pods may name and what differs from before."""
    return frozenset(
        (namespace_of(obj), name_of(obj)) for resource in NAMED for obj in _differing(before, world, resource)
    )


def _differing(before: World, world: World, resource: str) -> list[Obj]:
    """Objects that differ in meaning; of those that are gone, as they were."""
    was, now = before.table(f"objects/{resource}"), world.table(f"objects/{resource}")
    found = [
        obj
        for key, obj in now.items()
        if was.get(key) is not obj and _said(resource, was.get(key)) != _said(resource, obj)
    ]
    return found + [was[key] for key in was.keys() - now.keys()]


def _said(resource: str, obj: Obj | None) -> Json:
    """What an object says, without its history."""
    if obj is None:
        return None
    said = {key: value for key, value in obj.items() if key not in ("metadata", "status")}
    if resource in WORKLOADS:
        said["spec"] = {key: value for key, value in dissoc(obj["spec"], RESTARTED).items() if key != "replicas"}
    known = {key: get(obj, "status", key) for key in DESCRIBED.get(resource, ())}
    conditions = [(c["type"], c["status"]) for c in get(obj, "status", "conditions", default=())]
    return said, known, obj["metadata"].get("labels"), sorted(conditions) if known else []


def _names(pod: Obj, changed: frozenset[Owner]) -> bool:
    space = namespace_of(pod)
    written = orjson.dumps(pod["spec"])
    if not any(name.encode() in written for there, name in changed if there == space):  # most pods: a quick look
        return False
    return any(isinstance(value, str) and (space, value) in changed for _, value in walk(pod["spec"]))


def _changed_places(before: World, world: World) -> frozenset[str]:
    """Where on a node's disk something was written that was not there before."""
    was, now = before.table("volumes"), world.table("volumes")
    changed = [key for key in (*was, *now) if was.get(key) is not now.get(key) and key.startswith("node/")]
    places = {key.partition(":")[0] for key in changed if was.get(key) != now.get(key)}
    return frozenset(place.split("/", 2)[2] for place in places)


def _reads(world: World, pod: Obj, places: frozenset[str]) -> bool:
    """Whether a claim of a pod, or a path of its node that it mounts, leads to one of these places."""
    volumes = list(get(pod, "spec", "volumes", default=()))
    for name in [get(volume, "persistentVolumeClaim", "claimName") for volume in volumes]:
        claim = world.store.get("persistentvolumeclaims", namespace_of(pod), name) if name else None
        found = world.store.get("persistentvolumes", "", get(claim or {}, "spec", "volumeName", default=""))
        volumes += [found["spec"]] if found is not None else []
    paths = [str(get(volume, kind, "path", default="")).strip("/") for volume in volumes for kind in ON_DISK]
    return any(path and place.startswith(path) for path in paths for place in places)


def _changed_workloads(before: World, world: World) -> set[Owner]:
    """Workloads of which anything but the number of pods differs."""
    found = set[Owner]()
    for resource in WORKLOADS:
        for obj in _differing(before, world, resource):
            top = controller_of(obj)
            found.add((namespace_of(obj), str(top["name"]) if top is not None else name_of(obj)))
    return found


def _is_wide(before: World, world: World) -> bool:
    resources = {
        name.removeprefix("objects/") for name in (*before.tables, *world.tables) if name.startswith("objects/")
    }
    return any(_differing(before, world, resource) for resource in sorted(resources - DERIVED))


def _name_servers(world: World) -> set[Owner]:
    """Who answers the questions for addresses."""
    services = [each for each in world.store.all("services") if name_of(each) == NAME_SERVER]
    chosen = [(namespace_of(each), get(each, "spec", "selector", default={})) for each in services]
    return {find_owner(world, pod) for place in chosen for pod in world.store.labelled("pods", *place)}


def _is_registry(before: World, app: App, touched: set[Owner]) -> bool:
    """Whether somebody is among them whom clients need without calling it by name, such as a registry of services."""
    called = {callee for _, callee in warmup.measure_after(before, app).edges}
    mine = {name for space, name in touched if space == app.namespace}
    return any(name not in called and not _calls(before, app, name) for name in mine if name in app.components)


def _calls(before: World, app: App, name: str) -> bool:
    return any(caller == name for caller, _ in warmup.measure_after(before, app).edges)


def _callers(before: World, app: App, touched: set[Owner]) -> set[Owner]:
    edges = warmup.measure_after(before, app).edges
    return {(app.namespace, caller) for caller, callee in edges if (app.namespace, callee) in touched}


def _written_down(
    world: World,
    pods: Iterable[Obj],
    owners: Mapping[str, Owner],
    touched: set[Owner],
    changed: frozenset[Owner],
) -> set[Owner]:
    """The owners of pods whose address stands in what was changed: they must come back with another one."""
    texts = [orjson.dumps(pod["spec"]) for pod in pods if owners[key_of(pod)] in touched]
    for resource in ("configmaps", "secrets"):
        for space, name in sorted(changed):
            found = world.store.get(resource, space, name)
            texts += [text.encode() for text in decode_data(found, resource == "secrets").values()]
    written = b"\n".join(texts)
    own = [pod for pod in pods if not get(pod, "spec", "hostNetwork", default=False)]
    places = {key_of(pod): str(get(pod, "status", "podIP", default="")).encode() for pod in own}
    return {owners[key] for key, ip in places.items() if ip and ip in written}
