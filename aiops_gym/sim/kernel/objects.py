"""Kubernetes objects as immutable JSON data, and how to make a changed one.

A stored object is never changed: a write makes a new one along the path and shares the rest. That is what makes forks,
caches and small snapshots possible. Whatever is derived from an object (a printed row, parsed times, its JSON text) may
be kept in its `memo`, which lives beside the value and is never serialised, compared or copied.

>>> pod = Obj({"metadata": {"name": "geo"}, "status": {"phase": "Pending"}})
>>> running = assoc(pod, ("status", "phase"), "Running")
>>> pod["status"]["phase"], running["status"]["phase"], running["metadata"] is pod["metadata"]
('Pending', 'Running', True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiops_gym import caches


class Obj(dict[str, Any]):
    """A stored object: a dict to read, with a `memo` for what is derived from it."""

    __slots__ = ("_memo",)

    @property
    def memo(self) -> dict[Any, Any]:
        """Derived values; dropped with the object."""
        try:
            return self._memo
        except AttributeError:
            self._memo: dict[Any, Any] = caches.memo()
            return self._memo

    def __reduce__(self) -> tuple[type[Obj], tuple[dict[str, Any]]]:
        return Obj, (dict(self),)

    def __deepcopy__(self, _: dict[int, Any]) -> Obj:
        return self


def get(obj: Mapping[str, Any], *path: str | int, default: Any = None) -> Any:
    """The value at a path, or `default` where any part of it is missing.

    >>> get({"spec": {"ports": [{"port": 80}]}}, "spec", "ports", 0, "port")
    80
    """
    value: Any = obj
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):  # what is there in most cases costs half as much as with a look first
        return default
    return default if value is None else value


def assoc(obj: Any, path: Sequence[str | int], value: Any) -> Any:
    """A copy of `obj` with `value` at `path`, sharing everything else; missing dicts on the way are made."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return [assoc(item, rest, value) if i == step else item for i, item in enumerate(obj)]
    inner = obj.get(step) if obj else None
    changed = {**(obj or {}), step: assoc(inner, rest, value)}
    return Obj(changed) if isinstance(obj, Obj) else changed


def dissoc(obj: Any, path: Sequence[str | int]) -> Any:
    """A copy of `obj` without what is at `path`."""
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        if rest:
            return [dissoc(item, rest) if i == step else item for i, item in enumerate(obj)]
        return [item for i, item in enumerate(obj) if i != step]
    if not obj or step not in obj:
        return obj
    changed = {**obj, step: dissoc(obj[step], rest)} if rest else {k: v for k, v in obj.items() if k != step}
    return Obj(changed) if isinstance(obj, Obj) else changed


def name_of(obj: Mapping[str, Any]) -> str:
    """`metadata.name`."""
    return str(obj["metadata"]["name"])


def namespace_of(obj: Mapping[str, Any]) -> str:
    """`metadata.namespace`, "" for cluster-scoped objects."""
    return str(obj["metadata"].get("namespace", ""))


def key_of(obj: Mapping[str, Any]) -> str:
    """The store's key: `namespace/name`."""
    meta = obj["metadata"]
    return f"{meta.get('namespace', '')}/{meta['name']}"


def uid_of(obj: Mapping[str, Any]) -> str:
    """`metadata.uid`."""
    return str(obj["metadata"]["uid"])


def controller_of(obj: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The owner reference marked `controller`, if there is one."""
    found: Mapping[str, Any]
    for found in obj["metadata"].get("ownerReferences", ()):
        if found.get("controller"):
            return found
    return None


def labels_of(obj: Mapping[str, Any]) -> Mapping[str, str]:
    """`metadata.labels`, empty where there are none."""
    return obj["metadata"].get("labels") or {}


def since(condition: Mapping[str, Any], otherwise: str) -> str:
    """When a condition became what it is; `otherwise` where whoever wrote it (a person may) did not say.

    >>> since({"type": "Ready", "status": "True"}, "2026-03-02T09:00:00Z")
    '2026-03-02T09:00:00Z'
    """
    return str(condition.get("lastTransitionTime") or otherwise)


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """All leaves of a value with their paths."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from walk(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from walk(inner, (*path, index))
    else:
        yield path, value
