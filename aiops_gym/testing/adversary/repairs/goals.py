"""What must be so again: the objects that a fault rewrote, as they are now and as they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aiops_gym.backends import Simulated
from aiops_gym.catalog.model import Patch
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.types import Json

SERVER = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "deletionTimestamp")
"""Metadata that the server writes."""

SHORT = {"deployments.apps": "deployment", "services": "service", "configmaps": "configmap", "nodes": "node"}
"""How people call a resource."""


@dataclass(frozen=True)
class Goal:
    """One object that a fault rewrote.

    Attributes:
        kind: as people type it, `deployment`.
        now: the object as it is.
        right: the object as it was before, with what the server has filled in since.
    """

    kind: str
    name: str
    now: Json
    right: Json

    @property
    def part(self) -> str:
        """Where its meaning is: `spec` or `data`."""
        return "data" if self.kind == "configmap" else "spec"


def find_goals(begun: Simulated) -> tuple[Goal, ...]:
    """The objects that the incident's fault patched, each once."""
    assert begun.fault is not None
    patched = dict.fromkeys((c.resource, c.name) for c in begun.fault.changes if isinstance(c, Patch) and c.name)
    found = []
    for resource, name in patched:
        namespace = "" if resource == "nodes" else begun.app.namespace
        now = begun.world.store.get(resource, namespace, name)
        before = begun.before_the_incident().store.get(resource, namespace, name)
        if now is not None and before is not None:
            found.append(Goal(SHORT[resource], name, _bare(now), _bare(before)))
    return tuple(found)


def _bare(obj: Obj) -> Json:
    """An object as somebody would write it down."""
    meta = {key: _plain(value) for key, value in obj["metadata"].items() if key not in SERVER}
    kept = {k: v for k, v in (meta.pop("annotations", None) or {}).items() if not k.startswith("deployment.")}
    kept.pop("kubectl.kubernetes.io/last-applied-configuration", None)
    if kept:
        meta["annotations"] = kept
    body = {key: _plain(value) for key, value in obj.items() if key not in {"metadata", "status"}}
    if body["kind"] == "Service":
        body["spec"] = {k: v for k, v in body["spec"].items() if k not in ("clusterIP", "clusterIPs")}
    return {**body, "metadata": meta}


def _plain(value: Any) -> Json:
    """The same as dicts and lists."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def diff_to_json_patch(now: Json, right: Json, path: str = "") -> list[Json]:
    """The operations of RFC 6902 that make one of the other; lists of other lengths are replaced as a whole.

    >>> diff_to_json_patch({"a": 1, "b": 2}, {"a": 3})
    [{'op': 'remove', 'path': '/b'}, {'op': 'replace', 'path': '/a', 'value': 3}]
    """
    if isinstance(now, dict) and isinstance(right, dict):
        gone = [{"op": "remove", "path": f"{path}/{_escaped(key)}"} for key in now if key not in right]
        added = [
            {"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}
            for key, value in right.items()
            if key not in now
        ]
        inner = [
            op
            for key, value in right.items()
            if key in now
            for op in diff_to_json_patch(now[key], value, f"{path}/{_escaped(key)}")
        ]
        return [*gone, *added, *inner]
    if isinstance(now, list) and isinstance(right, list) and len(now) == len(right):
        return [
            op
            for index, (old, new) in enumerate(zip(now, right, strict=True))
            for op in diff_to_json_patch(old, new, f"{path}/{index}")
        ]
    return [] if now == right else [{"op": "replace", "path": path, "value": right}]


def diff_to_merge_patch(now: Json, right: Json) -> Json:
    """The patch of RFC 7386 that makes one of the other.

    >>> diff_to_merge_patch({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}})
    {'a': {'c': None}}
    """
    found: Json = {key: None for key in now if key not in right}
    for key, value in right.items():
        if key not in now:
            found[key] = value
        elif now[key] != value:
            both = isinstance(value, dict) and isinstance(now[key], dict)
            found[key] = diff_to_merge_patch(now[key], value) if both else value
    return found


def diff_to_strategic_patch(now: Json, right: Json) -> Json:
    """The same as a strategic merge patch: containers by name, other lists as a whole.

    >>> diff_to_strategic_patch({"containers": [{"name": "a", "b": 1}]}, {"containers": [{"name": "a"}]})
    {'containers': [{'b': None, 'name': 'a'}]}
    """
    found: Json = {key: None for key in now if key not in right}
    for key, value in right.items():
        old = now.get(key)
        if old == value:
            continue
        if key == "containers" and isinstance(old, list) and len(old) == len(value):
            found[key] = [{**diff_to_strategic_patch(a, b), "name": b["name"]} for a, b in zip(old, value, strict=True)]
        elif isinstance(value, dict) and isinstance(old, dict):
            found[key] = diff_to_strategic_patch(old, value)
        elif isinstance(value, list) and isinstance(old, list) and all(isinstance(each, dict) for each in value):
            found[key] = [{"$patch": "replace"}, *value]
        else:
            found[key] = value
    return found


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
