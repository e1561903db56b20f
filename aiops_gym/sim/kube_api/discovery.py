"""Which resources there are: the aggregated lists of newer clients, and the many small ones of older."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha512

import orjson

from aiops_gym import caches
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.types import Json

KINDS = {
    "scale": ("autoscaling", "v1", "Scale"),
    "eviction": ("policy", "v1", "Eviction"),
    "token": ("authentication.k8s.io", "v1", "TokenRequest"),
    "binding": ("", "v1", "Binding"),
    "exec": ("", "v1", "PodExecOptions"),
    "attach": ("", "v1", "PodAttachOptions"),
    "portforward": ("", "v1", "PodPortForwardOptions"),
}
VERBS = {
    "log": ("get",),
    "exec": ("create", "get"),
    "attach": ("create", "get"),
    "portforward": ("create", "get"),
    "eviction": ("create",),
    "binding": ("create",),
    "token": ("create",),
    "finalize": ("update",),
    "proxy": ("create", "delete", "get", "patch", "update"),
}
CHANGES = ("get", "patch", "update")


@cache
def group_resources() -> Mapping[str, Mapping[str, tuple[Resource, ...]]]:
    """Resources by group and version, the core group first as ""."""
    found: dict[str, dict[str, tuple[Resource, ...]]] = {}
    for resource in RESOURCES.values():
        versions = found.setdefault(resource.group, {})
        versions[resource.version] = (*versions.get(resource.version, ()), resource)
    return found


def below(resource: Resource, name: str) -> tuple[tuple[str, str, str], tuple[str, ...]]:
    """(group, version, kind) of a subresource's body, and its verbs."""
    return KINDS.get(name, (resource.group, resource.version, resource.kind)), VERBS.get(name, CHANGES)


@cache
def aggregate_groups(core: bool, version: str) -> bytes:
    """Everything below `/api` or `/apis` in one answer."""
    wanted = {group: versions for group, versions in group_resources().items() if (group == "") is core}
    items = [_group(group, versions) for group, versions in wanted.items()]
    head = {"kind": "APIGroupDiscoveryList", "apiVersion": f"apidiscovery.k8s.io/{version}", "metadata": {}}
    return orjson.dumps({**head, "items": items})


@caches.function(256, "a digest of an answer")
def compute_etag(body: bytes) -> str:
    """A name for these bytes."""
    return f'"{sha512(body).hexdigest().upper()}"'


def _group(group: str, versions: Mapping[str, tuple[Resource, ...]]) -> Json:
    meta: dict[str, Json] = {"creationTimestamp": None}
    if group:
        meta["name"] = group
    listed = [
        {"version": version, "resources": [_entry(r) for r in resources], "freshness": "Current"}
        for version, resources in versions.items()
    ]
    return {"metadata": meta, "versions": listed}


def _entry(resource: Resource) -> dict[str, Json]:
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    entry: dict[str, Json] = {
        "resource": resource.plural,
        "responseKind": kind,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short:
        entry["shortNames"] = list(resource.short)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    if resource.subresources:
        entry["subresources"] = [_sub(resource, name) for name in resource.subresources]
    return entry


def _sub(resource: Resource, name: str) -> dict[str, Json]:
    (group, version, kind), verbs = below(resource, name)
    shown = {"group": group, "version": version, "kind": kind}
    return {"subresource": name, "responseKind": shown, "verbs": list(verbs)}


def list_core_versions() -> Json:
    """`/api` for older clients."""
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def list_groups() -> Json:
    """`/apis` for older clients."""
    return {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [_short(group) for group in group_resources() if group],
    }


def list_group_versions(group: str) -> Json:
    """`/apis/<group>`."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_short(group)}


def _short(group: str) -> dict[str, Json]:
    versions = [{"groupVersion": f"{group}/{version}", "version": version} for version in group_resources()[group]]
    return {"name": group, "versions": versions, "preferredVersion": versions[0]}


@cache
def list_resources(group: str, version: str) -> Json:
    """`/api/v1` or `/apis/<group>/<version>`."""
    listed = []
    for resource in group_resources()[group][version]:
        listed.append(_row(resource))
        listed += [_subrow(resource, name) for name in resource.subresources]
    named = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": named, "resources": listed}


def _row(resource: Resource) -> dict[str, Json]:
    row: dict[str, Json] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short:
        row["shortNames"] = list(resource.short)
    if resource.categories:
        row["categories"] = list(resource.categories)
    return row


def _subrow(resource: Resource, name: str) -> dict[str, Json]:
    (group, version, kind), verbs = below(resource, name)
    row: dict[str, Json] = {
        "name": f"{resource.plural}/{name}",
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": kind,
        "verbs": list(verbs),
    }
    return {**row, "group": group, "version": version} if name in KINDS else row
