"""delete: at once, or after a grace period, finalizers, and the content of a namespace."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj, assoc, dissoc, get, key_of, name_of, uid_of
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import webhooks
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.kinds import kind_of
from aiops_gym.sim.kube_api.read import find_object, select_objects
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.schema import split_words
from aiops_gym.sim.kube_api.status import bad_request, conflict, forbidden, invalid, success, unsupported
from aiops_gym.types import Request

RETURNED = split_words(
    "pods services serviceaccounts persistentvolumes persistentvolumeclaims podtemplates resourcequotas"
)
"""Resources of which a finished deletion answers with the object instead of a Status."""

POLICIES = {"Background": "", "Foreground": "foregroundDeletion", "Orphan": "orphan"}
PERMANENT = frozenset(["default", "kube-system", "kube-public", "kube-node-lease"])


def delete(
    world: World,
    resource: str,
    namespace: str,
    name: str,
    grace: int | None = None,
    propagation: str = "Background",
) -> Obj:
    """Delete an object on behalf of a controller; what it looks like now, or looked like last. Raises ApiError.

    Args:
        world: whose object it is.
        resource: its resource.
        namespace: "" for cluster-scoped objects.
        name: of the object.
        grace: seconds a pod is given to end; None for its own choice, 0 for none at all.
        propagation: what becomes of its dependents: `Background`, `Foreground` or `Orphan`.
    """
    return _delete(
        world, RESOURCES[resource], find_object(world, RESOURCES[resource], namespace, name), grace, propagation
    )


def delete_one(world: World, resource: Resource, request: Request) -> Answer:
    """Delete one object for a client."""
    old = find_object(world, resource, request.namespace, request.name)
    grace, propagation, dry_run = _options(resource, request, old)
    if dry_run:
        return Answer(200, old if resource.name in RETURNED else success(resource, name_of(old), uid_of(old)))
    obj = _delete(world, resource, old, grace, propagation)
    gone = world.store.by_key(resource.name, key_of(old)) is None
    if gone and resource.name not in RETURNED:
        return Answer(200, success(resource, name_of(old), uid_of(old)))
    return Answer(200, obj)


def delete_collection(world: World, resource: Resource, request: Request) -> Answer:
    """Delete all objects that a request chooses."""
    items = []
    for old in select_objects(world, resource, request):
        grace, propagation, dry_run = _options(resource, request, old)
        items.append(old if dry_run else _delete(world, resource, old, grace, propagation))
    metadata = {"resourceVersion": str(world.store.version)}
    kind = f"{resource.kind}List"
    return Answer(200, {"kind": kind, "apiVersion": resource.api_version, "metadata": metadata, "items": items})


def _options(resource: Resource, request: Request, old: Obj) -> tuple[int | None, str, bool]:
    body = request.body if isinstance(request.body, dict) else {}
    grace = body.get("gracePeriodSeconds", request.query.get("gracePeriodSeconds"))
    if isinstance(grace, str):
        if not grace.isascii() or not grace.removeprefix("-").isdigit() or len(grace) > 18:
            raise bad_request(f'strconv.ParseInt: parsing "{grace}": invalid syntax')
        grace = int(grace)
    if grace is not None and (not isinstance(grace, int) or isinstance(grace, bool)):
        raise bad_request("gracePeriodSeconds is not a number")
    propagation = body.get("propagationPolicy", request.query.get("propagationPolicy", "Background"))
    if propagation not in POLICIES:
        fault = unsupported("propagationPolicy", str(propagation), ["Foreground", "Background", "Orphan", "nil"])
        options = Resource(
            name="deleteoptions.meta.k8s.io", plural="deleteoptions", singular="deleteoptions", kind="DeleteOptions",
            group="meta.k8s.io", version="v1", namespaced=False,
        )  # fmt: skip
        raise invalid(options, "", [fault])
    wanted = body["preconditions"] if isinstance(body.get("preconditions"), dict) else {}
    if wanted.get("uid") not in (None, uid_of(old)):
        why = f"the UID in the precondition ({wanted['uid']}) does not match the UID in record ({uid_of(old)}). "
        raise conflict(resource, name_of(old), f"{why}The object might have been deleted and then recreated")
    if wanted.get("resourceVersion") not in (None, old["metadata"]["resourceVersion"]):
        raise conflict(resource, name_of(old))
    return grace, propagation, bool(request.query.get("dryRun") or body.get("dryRun"))


def _delete(world: World, resource: Resource, old: Obj, grace: int | None, propagation: str) -> Obj:
    webhooks.validate(world, resource, None, old)
    if resource.name == "namespaces":
        return _namespace(world, resource, old)
    seconds = _grace(resource, old, grace)
    if propagation == "Orphan":
        _orphan(world, uid_of(old))
    finalizers = list(get(old, "metadata", "finalizers", default=[]))
    if propagation == "Foreground" and "foregroundDeletion" not in finalizers and _has_dependents(world, uid_of(old)):
        finalizers.append("foregroundDeletion")
    if seconds == 0 and not finalizers:
        world.store.remove(resource.name, key_of(old))
        return old
    return _mark(world, resource, old, seconds, finalizers)


def _grace(resource: Resource, old: Obj, wanted: int | None) -> int:
    """Seconds until the object may go: only pods that run somewhere take their time."""
    if resource.name != "pods":
        return 0
    if not get(old, "spec", "nodeName") or get(old, "status", "phase") in ("Succeeded", "Failed"):
        return 0
    if wanted is None:
        wanted = int(get(old, "spec", "terminationGracePeriodSeconds", default=30))
    return 1 if wanted < 0 else wanted


def _mark(world: World, resource: Resource, old: Obj, seconds: int, finalizers: list[str]) -> Obj:
    """Set the time of deletion; later requests can bring it nearer, never push it back."""
    before = get(old, "metadata", "deletionGracePeriodSeconds")
    if "deletionTimestamp" in old["metadata"] and before is not None and before <= seconds:
        return old
    meta = {
        **old["metadata"],
        "deletionTimestamp": iso(world.now + seconds * 1000),
        "deletionGracePeriodSeconds": seconds,
    }
    if finalizers:
        meta["finalizers"] = finalizers
    if kind_of(resource.name).generation and before is None:
        meta["generation"] = meta.get("generation", 0) + 1
    return world.store.put(resource.name, assoc(old, ("metadata",), meta))


def _namespace(world: World, resource: Resource, old: Obj) -> Obj:
    name = name_of(old)
    if name in PERMANENT:
        raise forbidden(resource, name, "this namespace may not be deleted")
    if "deletionTimestamp" in old["metadata"]:
        return old
    meta = {**old["metadata"], "deletionTimestamp": iso(world.now)}
    status = {**old.get("status", {}), "phase": "Terminating"}
    return world.store.put(resource.name, {**old, "metadata": meta, "status": status})


def _dependents(world: World, uid: str) -> list[tuple[str, Obj]]:
    return [(resource, obj) for resource in sorted(world.store.resources()) for obj in world.store.owned(resource, uid)]


def _has_dependents(world: World, uid: str) -> bool:
    return any(
        ref.get("blockOwnerDeletion")
        for _, obj in _dependents(world, uid)
        for ref in obj["metadata"]["ownerReferences"]
        if ref["uid"] == uid
    )


def _orphan(world: World, uid: str) -> None:
    """Make the dependents of an owner nobody's."""
    for resource, obj in _dependents(world, uid):
        rest = [ref for ref in obj["metadata"]["ownerReferences"] if ref["uid"] != uid]
        path = ("metadata", "ownerReferences")
        world.store.put(resource, assoc(obj, path, rest) if rest else dissoc(obj, path))
