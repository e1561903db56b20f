"""What belongs to others: the volumes, Secrets and settings that were there, and who newly takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.backends.intent.powers import list_containers, read_template
from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.world import World

ROOT_CA = "kube-root-ca.crt"
"""A ConfigMap that everybody may have."""

VOLUMES = {"configMap": ("configmaps", "name"), "secret": ("secrets", "secretName")}
REFERENCES = {
    "configMapRef": "configmaps",
    "configMapKeyRef": "configmaps",
    "secretRef": "secrets",
    "secretKeyRef": "secrets",
}

NOT_THE_SOURCE = {
    *("claimRef", "accessModes", "capacity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeMode"),
    *("nodeAffinity", "mountOptions", "volumeAttributesClassName"),
}
"""Fields of a PersistentVolume that do not say where its data lies."""


def list_taken(was: Obj | None, is_: Obj, before: World, now: World) -> list[str]:
    """What a workload takes that was another one's, in words: data on volumes, Secrets and, of one there was, settings.

    Who debugs may read settings; a workload of the app that reads another one's is built anew.
    """
    old = set(_list_named(was)) if was is not None else set()
    space, found = namespace_of(is_), []
    lying = {text for text in (_find_data(before, space, name) for name in _claims(was)) if text} if was else set()
    theirs = {_say_source(volume) for volume in before.store.all("persistentvolumes")} - lying
    for name in _claims(is_):
        if _find_data(now, space, name) in theirs:
            found.append(f"the data of claim {name} is mounted")
    for resource, name in sorted({*_list_named(is_)} - old - {("configmaps", ROOT_CA)}):
        if (resource == "secrets" or was is not None) and before.store.get(resource, space, name) is not None:
            found.append(f"{resource[:-1]} {name} is read")
    return found


def _claims(obj: Obj) -> list[str]:
    volumes = (read_template(obj).get("spec") or {}).get("volumes") or ()
    return [str(each["persistentVolumeClaim"]["claimName"]) for each in volumes if each.get("persistentVolumeClaim")]


def _find_data(world: World, namespace: str, name: str) -> str:
    """Where the data of a claim lies, in a form that can be compared; "" where it is bound to nothing."""
    claim = world.store.get("persistentvolumeclaims", namespace, name)
    volume = get(claim or Obj(), "spec", "volumeName")
    found = world.store.get("persistentvolumes", "", str(volume)) if volume else None
    return _say_source(found) if found is not None else ""


def _say_source(volume: Obj) -> str:
    source = {
        kind: {key: value for key, value in (where or {}).items() if key not in ("type", "fsType")}
        for kind, where in (volume.get("spec") or {}).items()
        if kind not in NOT_THE_SOURCE
    }
    return json.dumps(source, sort_keys=True)


def is_known_source(volume: Obj, before: World) -> bool:
    """Whether a PersistentVolume leads to data of one that there was."""
    return _say_source(volume) in {_say_source(each) for each in before.store.all("persistentvolumes")}


def _list_named(obj: Obj) -> Iterator[tuple[str, str]]:
    """(resource, name) of the Secrets and ConfigMaps that a workload's pods read."""
    spec: Mapping[str, Any] = read_template(obj).get("spec") or {}
    for volume in spec.get("volumes") or ():
        for each in (volume, *(get(volume, "projected", "sources", default=()))):
            for kind, (resource, key) in VOLUMES.items():
                if each.get(kind):
                    yield resource, str(each[kind].get(key) or each[kind].get("name"))
    for each in spec.get("imagePullSecrets") or ():
        yield "secrets", str(each.get("name"))
    for container in list_containers(spec):
        entries = [*(container.get("envFrom") or ()), *(get(e, "valueFrom") or {} for e in container.get("env") or ())]
        for entry in entries:
            for kind, resource in REFERENCES.items():
                if entry.get(kind):
                    yield resource, str(entry[kind].get("name"))
