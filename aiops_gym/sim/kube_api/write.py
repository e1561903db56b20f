"""create and update: from a body to a stored object, through defaults, admission and validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, key_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import limits, metadata, quota, webhooks
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.decode import DecodeError, Decoder, copy_json
from aiops_gym.sim.kube_api.kind import Draft, Kind
from aiops_gym.sim.kube_api.kinds import kind_of
from aiops_gym.sim.kube_api.pods import admission, ephemeral, security
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.schema import fields, type_of
from aiops_gym.sim.kube_api.status import (
    ApiError,
    Fault,
    already_exists,
    bad_request,
    conflict,
    forbidden,
    invalid,
    invalid_value,
    not_found,
)
from aiops_gym.types import Request

MOST = {"pods": 400}
MOST_OTHERS = 5_000
"""Objects of one kind for which etcd has room: `scale --replicas=100000` must end, as it does on a real cluster."""


def create(world: World, resource: str, obj: Mapping[str, Any], *, trusted: bool = True) -> Obj:
    """Create an object on behalf of a controller: defaults, names and quota.

    Args:
        world: where.
        resource: of the object.
        obj: as the controller sends it.
        trusted: without proof-reading, as what it is made from was read already.

    Raises ApiError where the server would refuse: the name is taken, the namespace is missing or goes away, a quota is
    used up.
    """
    found = RESOURCES[resource]
    draft = copy_json(obj)
    draft["metadata"] = dict(draft.get("metadata") or {})
    return _insert(world, found, draft, status=draft.get("status"), trusted=trusted)


def post(world: World, resource: Resource, request: Request) -> Answer:
    """Create an object for a client."""
    draft, unknown = decoded(resource, request)
    if resource.namespaced:
        given = draft["metadata"].setdefault("namespace", request.namespace)
        if given != request.namespace:
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    else:
        draft["metadata"].pop("namespace", None)
    if draft["metadata"].get("resourceVersion"):
        raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
    obj = _insert(world, resource, draft, dry_run=bool(request.query.get("dryRun")))
    return add_warnings(Answer(201, obj), [*unknown, *security.list_warnings(world, resource.name, obj, None)])


def add_warnings(answer: Answer, unknown: list[str]) -> Answer:
    """An answer with these warnings, one for each field that was dropped among them."""
    answer.warnings = tuple(unknown)
    return answer


def decoded(resource: Resource, request: Request) -> tuple[Draft, list[str]]:
    """The body as an object of the resource's kind, and the unknown fields that were dropped from it."""
    body = request.body
    if not isinstance(body, Mapping):
        raise bad_request("the object provided is unrecognized (must be of type " + resource.kind + ")")
    given = (body.get("apiVersion") or resource.api_version, body.get("kind") or resource.kind)
    if given[0] != resource.api_version:
        expected = f"the API version in the data ({given[0]}) does not match the expected API version"
        raise bad_request(f"{expected} ({resource.api_version})")
    if given[1] != resource.kind:
        raise bad_request(f'no kind "{given[1]}" is registered for version "{given[0]}" in scheme "legacyscheme"')
    decoder = Decoder()
    try:
        draft = decode_draft(resource, body, decoder)
    except DecodeError as error:
        raise bad_request(_unhandled(resource, str(error))) from None
    if decoder.unknown and request.query.get("fieldValidation") == "Strict":
        raise bad_request(_unhandled(resource, f"strict decoding error: {', '.join(decoder.unknown)}"))
    return draft, [] if request.query.get("fieldValidation") == "Ignore" else decoder.unknown


def _unhandled(resource: Resource, why: str) -> str:
    version = resource.version
    return f'{resource.kind} in version "{version}" cannot be handled as a {resource.kind}: {why}'


def decode_draft(resource: Resource, body: Mapping[str, Any], decoder: Decoder) -> Draft:
    """A private, complete draft from any JSON object. Raises DecodeError."""
    name = type_of(resource.api_version, resource.kind)
    draft = decoder.object(body, name) if fields(name) else copy_json(body)
    draft["apiVersion"], draft["kind"] = resource.api_version, resource.kind
    if not isinstance(draft.get("metadata"), dict):
        draft["metadata"] = {}
    draft["metadata"].pop("managedFields", None)
    return draft


def _insert(
    world: World,
    resource: Resource,
    draft: Draft,
    *,
    status: Mapping[str, Any] | None = None,
    trusted: bool = False,
    dry_run: bool = False,
) -> Obj:
    kind = kind_of(resource.name)
    draft["apiVersion"], draft["kind"] = resource.api_version, resource.kind
    if resource.namespaced:
        _check_namespace(world, resource, draft)
    kind.default(draft)
    if kind.status is not None:
        draft["status"] = {**copy_json(kind.status), **(status or {})}
    metadata.stamp_new(world, resource, draft, kind.generation)
    if not trusted:
        _check(resource, kind, draft, None)
    if world.store.by_key(resource.name, key_of(draft)) is not None:
        raise already_exists(resource, draft["metadata"]["name"])
    kind.admit(world, draft, None)
    _ask_others(world, resource, kind, draft, None, dry_run)
    quota.admit(world, resource, draft, None)
    if len(world.store.order.get(resource.name, ())) >= MOST.get(resource.name, MOST_OTHERS):
        raise ApiError(500, "", "etcdserver: mvcc: database space exceeded")
    return Obj(draft) if dry_run else world.store.put(resource.name, draft)


def _ask_others(
    world: World, resource: Resource, kind: Kind, draft: Draft, old: Obj | None, dry_run: bool = False
) -> None:
    """Webhooks may change a draft, then its namespace and other webhooks may refuse it. Raises ApiError."""
    if webhooks.mutate(world, resource, draft, old, dry_run=dry_run):
        kind.default(draft)
        if resource.name == "pods" and old is None:
            draft["status"]["qosClass"] = admission.qos(draft["spec"])
        _check(resource, kind, draft, old)
    if resource.name == "pods" and old is None:
        limits.check_pod(world, draft)
        security.admit(world, draft)
    webhooks.validate(world, resource, draft, old, dry_run=dry_run)


def _check(resource: Resource, kind: Kind, draft: Draft, old: Obj | None) -> None:
    faults = metadata.validate_metadata(resource, draft) + kind.validate(draft)
    if old is not None:
        faults += kind.validate_update(draft, old)
    refused(resource, draft, faults)


def refused(resource: Resource, draft: Draft, faults: list[Fault]) -> None:
    """Raise Invalid if there are faults."""
    if faults:
        raise invalid(resource, draft["metadata"].get("name", ""), faults)


def _check_namespace(world: World, resource: Resource, draft: Draft) -> None:
    name = draft["metadata"].get("namespace", "")
    namespace = world.store.get("namespaces", "", name)
    if namespace is None:
        raise not_found(RESOURCES["namespaces"], name)
    if namespace["metadata"].get("deletionTimestamp") and resource.name != "events":
        why = f"unable to create new content in namespace {name} because it is being terminated"
        cause = {
            "reason": "NamespaceTerminating",
            "message": f"namespace {name} is being terminated",
            "field": "metadata.namespace",
        }
        raise forbidden(resource, draft["metadata"].get("name", ""), why, [cause])


def put(world: World, resource: Resource, request: Request, old: Obj) -> Answer:
    """Replace an object, or its status, for a client."""
    draft, unknown = decoded(resource, request)
    meta = draft["metadata"]
    if not meta.get("name"):
        raise bad_request(
            f"the name of the object ({request.name} based on URL) was undeterminable: name must be provided"
        )
    if meta["name"] != request.name:
        raise bad_request(
            f"the name of the object ({meta['name']}) does not match the name on the URL ({request.name})"
        )
    if meta.get("namespace", request.namespace) != request.namespace and resource.namespaced:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    obj = replace(world, resource, draft, old, request.subresource, bool(request.query.get("dryRun")))
    return add_warnings(Answer(200, obj), [*unknown, *security.list_warnings(world, resource.name, obj, old)])


def replace(
    world: World, resource: Resource, draft: Draft, old: Obj, subresource: str = "", dry_run: bool = False
) -> Obj:
    """Put a decoded draft in the place of `old`, with the rules of an update."""
    kind, meta = kind_of(resource.name), draft["metadata"]
    _check_preconditions(resource, meta, old)
    metadata.keep_own(draft, old)
    if resource.namespaced:
        meta["namespace"] = old["metadata"]["namespace"]
    if subresource == "status":
        draft = {**copy_json(old), **({"status": draft["status"]} if "status" in draft else {})}
        draft["metadata"] = {**draft["metadata"], **{k: meta[k] for k in ("labels", "annotations") if k in meta}}
        kind.default_status(draft)
        refused(resource, draft, metadata.validate_metadata(resource, draft) + kind.validate_status(draft, old))
    elif subresource == "ephemeralcontainers":
        draft = ephemeral.take_over(draft, old)
        refused(resource, draft, ephemeral.validate(draft, old))
        security.admit(world, draft)
    else:
        if kind.status is not None and "status" in old:
            draft["status"] = old["status"]
        kind.default(draft)
        kind.admit(world, draft, old)
        _check(resource, kind, draft, old)
        _check_finalizers(resource, draft, old)
        _ask_others(world, resource, kind, draft, old, dry_run)
        quota.admit(world, resource, draft, old)
        if kind.generation and draft.get("spec") != old.get("spec"):
            draft["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
    draft["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
    if draft == old:
        return old
    if dry_run:
        return Obj(draft)
    if draft["metadata"].get("deletionTimestamp") and _finished(draft):
        world.store.remove(resource.name, key_of(old))
        return Obj(draft)
    return world.store.put(resource.name, draft)


def _finished(draft: Draft) -> bool:
    """Whether nothing holds back the removal of an object that is being deleted."""
    waits = draft["metadata"].get("finalizers") or draft["metadata"].get("deletionGracePeriodSeconds")
    return not waits and not (draft["kind"] == "Namespace" and draft.get("spec", {}).get("finalizers"))


def _check_preconditions(resource: Resource, meta: Mapping[str, Any], old: Obj) -> None:
    name, uid, version = old["metadata"]["name"], old["metadata"]["uid"], old["metadata"]["resourceVersion"]
    if meta.get("uid") and meta["uid"] != uid:
        why = f"Precondition failed: UID in precondition: {meta['uid']}, UID in object meta: {uid}"
        raise conflict(resource, name, why)
    given = meta.get("resourceVersion")
    if given and given != version:
        if not str(given).isdigit():
            syntax = f'strconv.ParseUint: parsing "{given}": invalid syntax'
            raise invalid(resource, name, [invalid_value("metadata.resourceVersion", str(given), syntax)])
        raise conflict(resource, name)


def _check_finalizers(resource: Resource, draft: Draft, old: Obj) -> None:
    """An object that is being deleted takes no new finalizers."""
    if old["metadata"].get("deletionTimestamp"):
        before = old["metadata"].get("finalizers") or []
        added = [f for f in draft["metadata"].get("finalizers") or [] if f not in before]
        if added:
            why = "no new finalizers can be added if the object is being deleted, found new finalizers"
            shown = ", ".join(f'"{f}"' for f in added)
            fault = invalid_value("metadata.finalizers", added, "").field
            raise ApiError(
                422,
                "Invalid",
                f'{resource.group_kind} "{old["metadata"]["name"]}" is invalid: {fault}: Forbidden: {why} '
                f"[]string{{{shown}}}",
                {"name": old["metadata"]["name"], "kind": resource.kind},
            )
