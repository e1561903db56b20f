"""Volumes that must be there before a pod may start, and references to configuration in its environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

FIRST_RETRY = SECOND // 2
LONGEST_RETRY = 122 * SECOND
"""From half a second, doubling (`pkg/util/goroutinemap/exponentialbackoff`)."""

KINDS = {"configMap": ("configmaps", "name", "config"), "secret": ("secrets", "secretName", "secret")}


def find_missing(world: World, pod: Obj) -> dict[str, str]:
    """Volume name -> why it cannot be mounted."""
    found = {}
    for volume in pod["spec"].get("volumes") or ():
        for problem in _problems(world, pod, volume):
            found[volume["name"]] = problem
            break
    return found


def _problems(world: World, pod: Obj, volume: Mapping[str, Json]) -> Iterator[str]:
    for kind, (resource, field, word) in KINDS.items():
        if source := volume.get(kind):
            yield from _lacking(world, pod, source, source.get(field) or "", resource, word)
    for source in get(volume, "projected", "sources", default=()):
        for kind, (resource, _, word) in KINDS.items():
            if inner := source.get(kind):
                yield from _lacking(world, pod, inner, inner.get("name") or "", resource, word)


def _lacking(world: World, pod: Obj, source: Mapping[str, Json], name: str, resource: str, word: str) -> Iterator[str]:
    if source.get("optional"):
        return
    obj = world.store.get(resource, namespace_of(pod), name)
    if obj is None:
        yield f'{resource.removesuffix("s")} "{name}" not found'
        return
    keys = {**(obj.get("data") or {}), **(obj.get("binaryData") or {})}
    for item in source.get("items") or ():
        if item["key"] not in keys:
            yield f"{'configmap ' if word == 'config' else ''}references non-existent {word} key: {item['key']}"


def find_unset(world: World, pod: Obj, container: Mapping[str, Json]) -> str:
    """Why the container's environment cannot be made, "" if it can."""
    for source in container.get("envFrom") or ():
        for kind, resource in (("configMapRef", "configmaps"), ("secretRef", "secrets")):
            reference = source.get(kind)
            if not reference or reference.get("optional"):
                continue
            if world.store.get(resource, namespace_of(pod), reference.get("name", "")) is None:
                return f'{resource.removesuffix("s")} "{reference.get("name", "")}" not found'
    for entry in container.get("env") or ():
        for kind, resource, word in (
            ("configMapKeyRef", "configmaps", "ConfigMap"),
            ("secretKeyRef", "secrets", "Secret"),
        ):
            reference = get(entry, "valueFrom", kind)
            if not reference or reference.get("optional"):
                continue
            name = reference.get("name", "")
            obj = world.store.get(resource, namespace_of(pod), name)
            if obj is None:
                return f'{resource.removesuffix("s")} "{name}" not found'
            if reference["key"] not in {**(obj.get("data") or {}), **(obj.get("binaryData") or {})}:
                return f"couldn't find key {reference['key']} in {word} {namespace_of(pod)}/{name}"
    return ""
