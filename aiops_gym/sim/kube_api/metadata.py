"""`metadata`: what the server writes into it, and what may stand in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import names
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import Fault, invalid_value, required, too_long

OWN = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink")
"""What clients may send but never set."""

ANNOTATIONS_LIMIT = 256 * 1024
"""Bytes of all annotations of an object (`TotalAnnotationSizeLimitB`)."""

DNS_LABEL_NAMES = frozenset(["namespaces"])
PATH_NAMES = frozenset(
    f"{r}.rbac.authorization.k8s.io" for r in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
)


def stamp_new(world: World, resource: Resource, draft: Draft, generation: bool) -> None:
    """Give a new object what only the server gives: a name if it has none, uid, creation time."""
    meta = draft["metadata"]
    for name in OWN:
        meta.pop(name, None)
    meta.pop("resourceVersion", None)
    if not meta.get("name") and meta.get("generateName"):
        meta["name"] = _generated(world, resource, meta)
    meta["uid"] = draws.uuid(world.seed, "uid", resource.name, world.count("uid"))
    meta["creationTimestamp"] = iso(world.now)
    if generation:
        meta["generation"] = 1


def _generated(world: World, resource: Resource, meta: Mapping[str, Any]) -> str:
    prefix = str(meta["generateName"])[: 63 - 5]
    while True:
        key = f"{resource.name} {meta.get('namespace', '')}/{prefix}"
        name = prefix + draws.suffix(5, world.seed, "name", key, world.count(f"name {key}"))
        if world.store.get(resource.name, meta.get("namespace", ""), name) is None:
            return name


def keep_own(draft: Draft, old: Obj) -> None:
    """Put back what an update cannot change."""
    meta = draft["metadata"]
    for name in OWN:
        if name in old["metadata"]:
            meta[name] = old["metadata"][name]
        else:
            meta.pop(name, None)
    meta["name"] = old["metadata"]["name"]
    if "generateName" in old["metadata"]:
        meta["generateName"] = old["metadata"]["generateName"]


def name_rule(resource: Resource) -> Callable[[str], list[str]]:
    """What names of a resource's objects have to look like."""
    if resource.name in DNS_LABEL_NAMES:
        return names.validate_dns_label
    if resource.name == "services":
        return names.validate_dns_label_1035
    if resource.name in PATH_NAMES:
        return _path_segment
    return names.validate_dns_subdomain


def _path_segment(name: str) -> list[str]:
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{c}'" for c in "/%" if c in name]


def validate_metadata(resource: Resource, draft: Mapping[str, Any]) -> list[Fault]:
    """What is wrong with the metadata of an object."""
    meta, found = draft["metadata"], []
    name, prefix = meta.get("name", ""), meta.get("generateName", "")
    rule = name_rule(resource)
    if prefix and not name:
        found += [invalid_value("metadata.generateName", prefix, why) for why in rule(prefix.rstrip("-") or "a")]
    if not name and not prefix:
        found.append(required("metadata.name", "name or generateName is required"))
    elif name:
        found += [invalid_value("metadata.name", name, why) for why in rule(name)]
    found += validate_labels(meta.get("labels") or {}, "metadata.labels")
    found += validate_annotations(meta.get("annotations") or {}, "metadata.annotations")
    return found + _reference_faults(meta)


def validate_labels(labels: Mapping[str, str], path: str) -> list[Fault]:
    """What is wrong with labels."""
    found = []
    for key, value in labels.items():
        found += [invalid_value(path, key, why) for why in names.validate_qualified_name(key)]
        found += [invalid_value(path, value, why) for why in names.validate_label_value(value)]
    return found


def validate_annotations(annotations: Mapping[str, str], path: str) -> list[Fault]:
    """What is wrong with annotations."""
    found = [invalid_value(path, key, why) for key in annotations for why in names.validate_qualified_name(key.lower())]
    if sum(len(k) + len(v) for k, v in annotations.items()) > ANNOTATIONS_LIMIT:
        found.append(too_long(path, ANNOTATIONS_LIMIT))
    return found


def _reference_faults(meta: Mapping[str, Any]) -> list[Fault]:
    found = []
    for index, reference in enumerate(meta.get("ownerReferences") or ()):
        path = f"metadata.ownerReferences[{index}]"
        for name in ("apiVersion", "kind", "name", "uid"):
            if not reference.get(name):
                found.append(invalid_value(f"{path}.{name}", "", "must not be empty"))
    for finalizer in meta.get("finalizers") or ():
        found += [
            invalid_value("metadata.finalizers", finalizer, why) for why in names.validate_qualified_name(finalizer)
        ]
        if "/" not in finalizer and finalizer not in ("orphan", "foregroundDeletion", "kubernetes"):
            why = "name is neither a standard finalizer name nor is it fully qualified"
            found.append(invalid_value("metadata.finalizers", finalizer, why))
    return found
