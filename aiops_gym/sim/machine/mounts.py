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


def find_container_spec(pod: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """A container of a pod by name, empty if there is none."""
    spec = pod.get("spec", {})
    kinds = (spec.get(kind) or () for kind in ("containers", "initContainers", "ephemeralContainers"))
    for container in (one for kind in kinds for one in kind):
        if container["name"] == name:
            found: Mapping[str, Json] = container
            return found
    return {}


def read_mounts(world: World, pod: Mapping[str, Json], container: Mapping[str, Json], at: str = "") -> dict[str, str]:
    """Text files that a container sees through its ConfigMap, Secret, downward and token mounts; one with `at`."""
    volumes = {v["name"]: v for v in get(pod, "spec", "volumes", default=())}
    found: dict[str, str] = {}
    for mount in container.get("volumeMounts") or ():
        folder = mount["mountPath"].rstrip("/")
        if at and not at.startswith(folder):
            continue
        data = _volume_files(world, pod, volumes.get(mount["name"], {}))
        if part := mount.get("subPath"):
            found |= {folder: data[part]} if part in data else {}
        else:
            found |= {f"{folder}/{name}": text for name, text in data.items()}
    return found


def _volume_files(world: World, pod: Mapping[str, Json], volume: Mapping[str, Json]) -> dict[str, str]:
    if source := volume.get("configMap"):
        return _keys(source, _data(world, "configmaps", pod, source.get("name", "")))
    if source := volume.get("secret"):
        return _keys(source, _data(world, "secrets", pod, source.get("secretName", "")))
    if source := volume.get("downwardAPI"):
        return {
            item["path"]: read_field(pod, item["fieldRef"]["fieldPath"])
            for item in source.get("items", ())
            if "fieldRef" in item
        }
    found: dict[str, str] = {}
    for source in get(volume, "projected", "sources", default=()):
        found |= _projected(world, pod, source)
    return found


def _projected(world: World, pod: Mapping[str, Json], source: Mapping[str, Json]) -> dict[str, str]:
    if token := source.get("serviceAccountToken"):
        text = draws.hexes(64, world.seed, "token", pod["metadata"]["uid"])
        return {token.get("path", "token"): f"eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.{text}.{text[::-1]}"}
    if inner := source.get("configMap"):
        return _keys(inner, _data(world, "configmaps", pod, inner.get("name", "")))
    if inner := source.get("secret"):
        return _keys(inner, _data(world, "secrets", pod, inner.get("name", "")))
    items = get(source, "downwardAPI", "items", default=())
    return {item["path"]: read_field(pod, item["fieldRef"]["fieldPath"]) for item in items if "fieldRef" in item}


def _keys(source: Mapping[str, Json], data: Mapping[str, str]) -> dict[str, str]:
    if items := source.get("items"):
        return {item["path"]: data[item["key"]] for item in items if item["key"] in data}
    return dict(data)


def _data(world: World, resource: str, pod: Mapping[str, Json], name: str) -> dict[str, str]:
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
