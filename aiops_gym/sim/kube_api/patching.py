"""patch: four ways to say what should change, one way to put it in place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import managed_fields, write
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.decode import DecodeError, Decoder, copy_json
from aiops_gym.sim.kube_api.patch import (
    PatchError,
    apply_json_patch,
    apply_merge_patch,
    apply_server_side,
    apply_strategic_merge,
    go,
)
from aiops_gym.sim.kube_api.pods import security
from aiops_gym.sim.kube_api.read import find_object
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.sim.kube_api.status import ApiError, bad_request, quote, unsupported_media_type
from aiops_gym.types import Json, Request

STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

MOST_OPERATIONS = 10_000
"""Operations of one JSON patch."""


def patch(world: World, resource: Resource, request: Request) -> Answer:
    """Patch an object, or its status, for a client."""
    kind = request.content_type.partition(";")[0].strip()
    if kind not in (STRATEGIC, MERGE, JSON_PATCH, APPLY):
        raise unsupported_media_type()
    if kind == APPLY and not request.subresource:
        return _apply(world, resource, request)
    old = find_object(world, resource, request.namespace, request.name)
    changed = apply_patch(old, request.body, kind, type_of(resource.api_version, resource.kind))
    return _put(world, resource, request, old, changed, kind)


def apply_patch(old: Obj | Mapping[str, Any], body: Json, kind: str, type_name: str) -> Json:
    """The JSON that a patch makes of an object. Raises ApiError."""
    if kind == JSON_PATCH:
        return _json_patched(old, body)
    if not isinstance(body, dict):
        raise bad_request("invalid JSON document" if kind == STRATEGIC else _not_a_map(body))
    if kind == MERGE:
        return apply_merge_patch(old, body)
    if kind == APPLY:
        return apply_server_side(old, body, type_name)
    if not type_name:
        raise unsupported_media_type()
    try:
        return apply_strategic_merge(old, body, type_name)
    except PatchError as error:
        if str(error) in ("invalid JSON document", "patch format of retainKeys is invalid"):
            raise bad_request(str(error)) from None
        raise ApiError(500, "", str(error)) from None


def _not_a_map(body: Json) -> str:
    kind = "array" if isinstance(body, list) else "string" if isinstance(body, str) else "number"
    return f"error decoding patch: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"


def _json_patched(old: Mapping[str, Any], body: Json) -> Json:
    if isinstance(body, list) and len(body) > MOST_OPERATIONS:
        many = f"The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {len(body)}"
        raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: {many}", {})
    try:
        return apply_json_patch(old, body)
    except PatchError as error:
        if str(error).startswith("json: "):
            raise bad_request(f"error decoding patch: {error}") from None
        text = "the server rejected our request due to an error in our request"
        raise ApiError(422, "Invalid", text, {}) from None


def _put(world: World, resource: Resource, request: Request, old: Obj, changed: Json, kind: str) -> Answer:
    decoder = Decoder(patched=kind == STRATEGIC)
    try:
        if not isinstance(changed, dict):
            raise DecodeError("json: cannot unmarshal into Go value")
        draft = write.decode_draft(resource, changed, decoder)
    except DecodeError as error:
        raise _rejected(_shown(request, changed, kind), str(error)) from None
    if decoder.unknown and request.query.get("fieldValidation") == "Strict":
        raise _rejected(_shown(request, changed, kind), f"strict decoding error: {', '.join(decoder.unknown)}")
    for name in ("name", "namespace"):
        given, own = draft["metadata"].get(name), old["metadata"].get(name)
        if given != own and (given or own):
            raise bad_request(f"the {name} of the object ({given or ''}) does not match the {name} on the URL ({own})")
    draft["metadata"].setdefault("resourceVersion", old["metadata"]["resourceVersion"])
    obj = write.replace(world, resource, draft, old, request.subresource, bool(request.query.get("dryRun")))
    told = [] if request.query.get("fieldValidation") == "Ignore" else decoder.unknown
    return write.add_warnings(Answer(200, obj), [*told, *security.list_warnings(world, resource.name, obj, old)])


def _shown(request: Request, changed: Json, kind: str) -> str:
    """What was refused: a strategic patch itself, or the object that another patch would have made."""
    return go(request.body) if kind == STRATEGIC else json.dumps(changed, separators=(",", ":"), ensure_ascii=False)


def _rejected(shown: str, why: str) -> ApiError:
    cause = {"reason": "FieldValueInvalid", "message": f"Invalid value: {quote(shown)}: {why}", "field": "patch"}
    return ApiError(422, "Invalid", f' "" is invalid: patch: {cause["message"]}', {"causes": [cause]})


def _apply(world: World, resource: Resource, request: Request) -> Answer:
    """Server-side apply: make what is missing, merge what is there, drop what this manager no longer asks for."""
    manager, intent = request.query["fieldManager"], _intent(resource, request)
    old = world.store.get(resource.name, request.namespace if resource.namespaced else "", request.name)
    who, name = managed_fields.Manager(manager, managed_fields.APPLY), type_of(resource.api_version, resource.kind)
    wanted = managed_fields.find_owned(intent, name)
    if old is None:
        answer = write.post(world, resource, _with_body(request, intent))
        owners = {who: wanted}
    else:
        present = managed_fields.read(world, resource, old)
        merged = managed_fields.remove_fields(
            apply_server_side(old, intent, name), _dropped(present, who, wanted), name
        )
        put, gone = managed_fields.compare_fields(old, merged, name)
        owners = managed_fields.apply_ownership(present, who, put, gone, wanted, request.query.get("force") == "true")
        answer = _put(world, resource, request, old, merged, APPLY)
    if not request.query.get("dryRun"):
        managed_fields.write(world, resource, answer.body, owners, who)
    return answer


def _intent(resource: Resource, request: Request) -> dict[str, Json]:
    """What an apply asks for, with the name and namespace of its URL. Raises BadRequest."""
    body = request.body
    if not isinstance(body, dict):
        raise bad_request("error decoding YAML: the object provided is unrecognized")
    intent: dict[str, Json] = copy_json(body)
    if not isinstance(intent.get("metadata") or {}, dict):
        raise bad_request("error decoding YAML: json: cannot unmarshal into Go struct field .metadata")
    version, kind = str(intent.get("apiVersion") or ""), str(intent.get("kind") or "")
    if version != resource.api_version:
        what = f"Specified patch version: {version}, expected: {resource.api_version}"
        raise bad_request(f"Incorrect version specified in apply patch. {what}")
    meta = intent["metadata"] = dict(intent.get("metadata") or {})
    if meta.get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    if kind != resource.kind:
        group, _, number = version.rpartition("/")
        named = f"{group}/{number}, Kind={kind}"
        where = f"{request.namespace}/{request.name}; {named}"
        why = f"failed to create typed patch object ({where}): no corresponding type for {named}"
        raise ApiError(500, "", why)
    places = (("name", request.name), ("namespace", request.namespace if resource.namespaced else ""))
    for name, wanted in places:
        given = meta.setdefault(name, wanted) if wanted else meta.pop(name, wanted)
        if given != wanted:
            raise bad_request(f"the {name} of the object ({given}) does not match the {name} on the URL ({wanted})")
    return intent


def _dropped(
    owners: managed_fields.Owners, who: managed_fields.Manager, wanted: managed_fields.Paths
) -> managed_fields.Paths:
    """What a manager asked for before and does not any more, and nobody else has."""
    others = frozenset[managed_fields.Path]().union(*(paths for other, paths in owners.items() if other != who))
    kept = {path[:depth] for path in others | wanted for depth in range(1, len(path) + 1)}
    return frozenset(path for path in owners.get(who, ()) if path not in kept)


def _with_body(request: Request, body: Json) -> Request:
    return Request(
        request.verb, request.resource, request.namespace, request.name, request.subresource, body, query=request.query
    )
