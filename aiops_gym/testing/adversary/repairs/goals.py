"""What must be so again: the objects that a fault rewrote, as they are now and as they were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aiops_gym.backends import Simulated
from aiops_gym.backends.inject import find_place
from aiops_gym.catalog.model import Create, Patch, Script
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.types import Json

SERVER = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "deletionTimestamp")
"""Metadata that the server writes."""

SHORT = {
    "deployments.apps": "deployment",
    "services": "service",
    "configmaps": "configmap",
    "nodes": "node",
    "namespaces": "namespace",
    "cronjobs.batch": "cronjob",
}
"""How people call a resource."""

PARTS = {"configmap": "data", "namespace": "metadata"}
"""Where the meaning of an object is, where it is not its `spec`."""

Place = tuple[str, str, str]
"""(resource, namespace, name)"""


@dataclass(frozen=True)
class Goal:
    """One object that a fault rewrote.

    Attributes:
        kind: as people type it, `deployment`.
        now: the object as it is.
        right: the object as it was before, with what the server has filled in since; empty where there was none.
        space: its namespace, "" where it lies in none.
    """

    kind: str
    name: str
    now: Json
    right: Json
    space: str = "{namespace}"

    @property
    def part(self) -> str:
        """Where its meaning is: `spec` or `data`."""
        return PARTS.get(self.kind, "spec")


def find_goals(begun: Simulated) -> tuple[Goal, ...]:
    """The objects that the incident's fault patched, each once; of a hard one all that it wrote in any way, and made.

    What came of that and is no writing of the fault, but of what it told a program, comes last.
    """
    assert begun.fault is not None
    changes = begun.fault.changes
    patched = [(c.resource, find_place(c, begun.app), c.name) for c in changes if isinstance(c, Patch) and c.name]
    hard = begun.problem.tier == "hard"
    found = (_find_goal(begun, place) for place in dict.fromkeys([*patched, *(_list_further(begun) if hard else ())]))
    return tuple(goal for goal in found if goal is not None and goal.now != goal.right)


def _list_further(begun: Simulated) -> Iterator[Place]:
    """What scripts and programs of an incident wrote, and what it created."""
    fault = begun.fault
    assert fault is not None
    for change in fault.changes:
        if isinstance(change, Script):
            yield from (_read_place(begun, *each) for each in change.writes)
        elif isinstance(change, Create):
            resource = next(r.name for r in RESOURCES.values() if r.kind == change.manifest["kind"])
            yield _read_place(begun, resource, str(change.manifest["metadata"]["name"]))
    yield from (_read_place(begun, *each) for each in fault.mends if each[1] != "*")


def _read_place(begun: Simulated, resource: str, full: str) -> Place:
    space, _, name = full.rpartition("/")
    return resource, (space or begun.app.namespace) if RESOURCES[resource].namespaced else "", name


def _find_goal(begun: Simulated, place: Place) -> Goal | None:
    """What must become of an object; None where there is nothing to be done to it."""
    resource, namespace, name = place
    now, before = begun.world.store.get(*place), begun.before_the_incident().store.get(*place)
    if now is None or (before is not None and resource not in SHORT) or "deletionTimestamp" in now["metadata"]:
        return None
    space = "{namespace}" if namespace == begun.app.namespace else namespace
    return Goal(SHORT.get(resource, resource), name, _bare(now), _bare(before) if before is not None else {}, space)


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
