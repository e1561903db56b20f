"""OpenAPI v3 documents, made from the fields that the server knows: enough to validate and to explain."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha512

import orjson

from aiops_gym import caches
from aiops_gym.sim.kube_api.descriptions import describe
from aiops_gym.sim.kube_api.discovery import group_resources
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.schema import Field, fields, type_of
from aiops_gym.types import Json

PREFIX = "io.k8s."
VALUES: Mapping[str, Mapping[str, Json]] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "num": {"type": "number", "format": "double"},
    "[str]": {"type": "array", "items": {"type": "string"}},
    "bytes": {"type": "string", "format": "byte"},
    "time": {"type": "string", "format": "date-time"},
}
MACHINERY = "io.k8s.apimachinery.pkg."
SHARED: Mapping[str, tuple[str, Mapping[str, Json]]] = {
    "quantity": (f"{MACHINERY}api.resource.Quantity", {"oneOf": [{"type": "string"}, {"type": "number"}]}),
    "intstr": (
        f"{MACHINERY}util.intstr.IntOrString",
        {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
    ),
    "fields": (f"{MACHINERY}apis.meta.v1.FieldsV1", {"type": "object"}),
}
"""Values whose type has a name of its own, which `kubectl explain` tells."""
PARAMETERS = ("dryRun", "fieldManager", "fieldValidation", "force", "pretty")
BODIES = {
    "post": ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf"),
    "put": ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf"),
    "patch": (
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
    ),
}


def _paths() -> dict[str, tuple[str, str]]:
    """(group, version) by the path below `/openapi/v3/`."""
    return {
        f"apis/{group}/{version}" if group else f"api/{version}": (group, version)
        for group, versions in group_resources().items()
        for version in versions
    }


@cache
def make_index() -> bytes:
    """`/openapi/v3`: where the documents are, with a name for their bytes."""
    found = {
        path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={sha512(make_document(path) or b'').hexdigest().upper()}"}
        for path in _paths()
    }
    return orjson.dumps({"paths": found})


@caches.function(256, "describing a group's resources")
def make_document(path: str) -> bytes | None:
    """One group's document, None if there is none.

    >>> make_document("apis/apps/v2") is None
    True
    """
    known = _paths().get(path)
    if known is None:
        return None
    group, version = known
    seen: dict[str, Json] = {}
    operations: dict[str, Json] = {}
    for resource in group_resources()[group][version]:
        root = f"/{path}/namespaces/{{namespace}}" if resource.namespaced else f"/{path}"
        name = type_of(resource.api_version, resource.kind)
        _collect(name, seen)
        key = _named(name or f"{resource.group}.{resource.kind}")
        schema = seen.setdefault(key, {"type": "object"})
        seen[key] = {**schema, "x-kubernetes-group-version-kind": [_gvk(resource)]}
        operations[f"{root}/{resource.plural}"] = _operations(resource, key, ("get", "post"))
        operations[f"{root}/{resource.plural}/{{name}}"] = _operations(resource, key, ("get", "put", "patch", "delete"))
    seen |= {name: {**schema, **_told(kind)} for kind, (name, schema) in SHARED.items()}
    info = {"title": "Kubernetes", "version": "v1.32.1"}
    return orjson.dumps({"openapi": "3.0.0", "info": info, "paths": operations, "components": {"schemas": seen}})


def _gvk(resource: Resource) -> dict[str, str]:
    return {"group": resource.group, "kind": resource.kind, "version": resource.version}


def _named(type_name: str) -> str:
    return PREFIX + type_name


def _collect(type_name: str, seen: dict[str, Json]) -> None:
    """A type and all that it is made of."""
    known = fields(type_name)
    if not known or _named(type_name) in seen:
        return
    schema: dict[str, Json] = {"type": "object", "properties": {}} | _told(type_name)
    seen[_named(type_name)] = schema
    schema["properties"] = {name: _property(type_name, name, declared) for name, declared in sorted(known.items())}
    if required := sorted(name for name, declared in known.items() if declared.required):
        schema["required"] = required
    for declared in known.values():
        _collect(declared.type, seen)


def _told(type_name: str, field: str = "") -> dict[str, Json]:
    text = describe(type_name, field)
    return {"description": text} if text else {}


def _property(type_name: str, name: str, declared: Field) -> dict[str, Json]:
    shape, told = _shape(name, declared), _told(type_name, name)
    return ({"allOf": [shape]} if told and "$ref" in shape else shape) | told  # what stands beside a $ref is not read


def _shape(name: str, declared: Field) -> dict[str, Json]:
    inner: dict[str, Json] = dict(VALUES.get(declared.type, {"type": "object"}))
    shared = SHARED.get("fields" if name == "fieldsV1" else declared.type)
    if shared is not None:
        inner = {"$ref": f"#/components/schemas/{shared[0]}"}
    if fields(declared.type):
        inner = {"allOf": [{"$ref": f"#/components/schemas/{_named(declared.type)}"}], "default": {}}
    if declared.shape == "map":
        return {"type": "object", "additionalProperties": inner}
    if declared.shape != "list":
        return inner
    found: dict[str, Json] = {"type": "array", "items": inner}
    if declared.map_keys:
        found |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(declared.map_keys)}
    if declared.merge_key:
        found |= {"x-kubernetes-patch-merge-key": declared.merge_key, "x-kubernetes-patch-strategy": "merge"}
    return found


def _operations(resource: Resource, key: str, methods: tuple[str, ...]) -> dict[str, Json]:
    return {method: _operation(resource, key, method) for method in methods}


def _operation(resource: Resource, key: str, method: str) -> dict[str, Json]:
    reference = {"$ref": f"#/components/schemas/{key}"}
    answer = {"description": "OK", "content": {"application/json": {"schema": reference}}}
    found: dict[str, Json] = {
        "operationId": f"{method}{resource.group.partition('.')[0].title()}{resource.version.title()}{resource.kind}",
        "responses": {"200": answer},
        "x-kubernetes-group-version-kind": _gvk(resource),
    }
    if method in BODIES:
        found["parameters"] = [
            {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}} for name in PARAMETERS
        ]
        schema = {"type": "object"} if method == "patch" else reference
        found["requestBody"] = {"content": {media: {"schema": schema} for media in BODIES[method]}, "required": True}
    return found
