"""What a container sees of the pod it belongs to: its spec, and the text files that volumes mount into it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import get, namespace_of
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World


EARLIER = "earlier_mounts"
"""The table of what pods and containers still see of ConfigMaps and Secrets that have been written since."""


WRITTEN = "*"
"""Whoever sees what is written: of no container's name."""


def place_earlier(uid: str, resource: str, name: str, container: str = "") -> str:
    """The row of what a pod, or one container of it by `subPath`, still sees of an object."""
    return f"{uid}/{container} {resource} {name}"


def look_again(world: World, uid: str, container: str) -> None:
    """A container of a pod is about to start: it, and all volumes of the pod, have what is written now."""
    table = world.table(EARLIER)
    for place in [each for each in table if each.startswith((f"{uid}/ ", f"{uid}/{container} "))]:
        del table[place]


def list_sources(volume: Mapping[str, Json]) -> list[tuple[str, str]]:
    """The (resource, name) of the ConfigMaps and Secrets that a volume holds."""
    found = []
    for source in (volume, *get(volume, "projected", "sources", default=())):
        found += [("configmaps", source["configMap"].get("name", ""))] if source.get("configMap") else []
        if secret := source.get("secret"):
            found.append(("secrets", secret.get("secretName", secret.get("name", ""))))
    return found


def find_container_spec(pod: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """A container of a pod by name, empty if there is none."""
    spec = pod.get("spec", {})
    kinds = (spec.get(kind) or () for kind in ("containers", "initContainers", "ephemeralContainers"))
    for container in (one for kind in kinds for one in kind):
        if container["name"] == name:
            found: Mapping[str, Json] = container
            return found
    return {}


def read_mounts(
    world: World, pod: Mapping[str, Json], container: Mapping[str, Json], at: str = "", *, written: bool = False
) -> dict[str, str]:
    """Text files that a container sees through its ConfigMap, Secret, downward and token mounts; one with `at`.

    With `written` as they are in the API, which may be more than its kubelet has brought.
    """
    volumes = {v["name"]: v for v in get(pod, "spec", "volumes", default=())}
    found: dict[str, str] = {}
    for mount in container.get("volumeMounts") or ():
        folder = mount["mountPath"].rstrip("/")
        if at and not at.startswith(folder):
            continue
        part = mount.get("subPath")
        seen_by = WRITTEN if written else container["name"] if part else ""
        data = _volume_files(world, pod, volumes.get(mount["name"], {}), seen_by)
        if part:
            found |= {folder: data[part]} if part in data else {}
        else:
            found |= {f"{folder}/{name}": text for name, text in data.items()}
    return found


def _volume_files(
    world: World, pod: Mapping[str, Json], volume: Mapping[str, Json], container: str = ""
) -> dict[str, str]:
    """What lies in a volume, as a pod sees it or, by `subPath`, a container."""
    for kind in ("configMap", "secret"):
        if source := volume.get(kind):
            return _keys(source, _data(world, pod, *list_sources(volume)[0], container))
    if source := volume.get("downwardAPI"):
        return {
            item["path"]: read_field(pod, item["fieldRef"]["fieldPath"])
            for item in source.get("items", ())
            if "fieldRef" in item
        }
    found: dict[str, str] = {}
    for source in get(volume, "projected", "sources", default=()):
        found |= _projected(world, pod, source, container)
    return found


def _projected(world: World, pod: Mapping[str, Json], source: Mapping[str, Json], container: str) -> dict[str, str]:
    if token := source.get("serviceAccountToken"):
        text = draws.hexes(64, world.seed, "token", pod["metadata"]["uid"])
        return {token.get("path", "token"): f"eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.{text}.{text[::-1]}"}
    for kind in ("configMap", "secret"):
        if inner := source.get(kind):
            return _keys(inner, _data(world, pod, *list_sources(source)[0], container))
    items = get(source, "downwardAPI", "items", default=())
    return {item["path"]: read_field(pod, item["fieldRef"]["fieldPath"]) for item in items if "fieldRef" in item}


def _keys(source: Mapping[str, Json], data: Mapping[str, str]) -> dict[str, str]:
    if items := source.get("items"):
        return {item["path"]: data[item["key"]] for item in items if item["key"] in data}
    return dict(data)


def _data(world: World, pod: Mapping[str, Json], resource: str, name: str, container: str) -> dict[str, str]:
    earlier = world.table(EARLIER)
    if earlier and (row := earlier.get(place_earlier(pod["metadata"]["uid"], resource, name, container))) is not None:
        return decode_data(row, resource == "secrets")
    return decode_data(world.store.get(resource, namespace_of(pod), name), resource == "secrets")


def decode_data(obj: Mapping[str, Json] | None, secret: bool) -> dict[str, str]:
    """The decoded data of a ConfigMap or Secret; empty if there is none."""
    data = (obj or {}).get("data") or {}
    if not secret:
        return {str(k): str(v) for k, v in data.items()}
    return {str(k): base64.b64decode(v).decode("utf-8", "replace") for k, v in data.items()}


def read_field(pod: Mapping[str, Json], path: str) -> str:
    """The text behind a `fieldRef`.

    >>> read_field({"metadata": {"labels": {"app": "geo"}}}, "metadata.labels['app']")
    'geo'
    """
    head, bracket, key = path.partition("['")
    if bracket:
        return str(get(pod, *head.split("."), key.removesuffix("']"), default=""))
    if path in ("status.hostIPs", "status.podIPs"):
        path = path[:-1]
    if path == "spec.serviceAccountName":
        return str(get(pod, "spec", "serviceAccountName", default="default"))
    value = get(pod, *path.split("."), default="")
    if isinstance(value, Mapping):
        return "\n".join(f'{k}="{v}"' for k, v in sorted(value.items()))
    return str(value)
