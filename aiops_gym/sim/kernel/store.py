"""The objects of a cluster, as etcd holds them: versions, order, indexes, and who is told of a change.

A table maps `namespace/name` to an immutable object. Lists come in the byte order of these keys, as from etcd. Indexes
are derived from the tables and hold tuples, so that a fork copies references only.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from aiops_gym.sim.kernel.objects import Obj, controller_of, key_of, labels_of, namespace_of

Table = dict[str, Any]
Observer = Callable[[str, Obj | None, Obj | None], None]

ADOPTABLE = ("pods", "replicasets.apps")
"""What a controller makes its own where its selector selects it and nobody controls it."""

HISTORY = 1_000
"""Changes kept for watches; older ones are gone, as after an etcd compaction."""


class Change(NamedTuple):
    """One write: old is None for a creation, new is None for a removal."""

    version: int
    resource: str
    old: Obj | None
    new: Obj | None


class Store:
    """All objects of one cluster.

    Args:
        tables: the world's tables; objects of a resource lie in `objects/<resource>`.
        observer: told of each write, after it.
    """

    def __init__(self, tables: dict[str, Table], observer: Observer) -> None:
        self.tables = tables
        self.observer = observer
        self.index: dict[str, tuple[str, ...]] = {}
        self.order: dict[str, list[str]] = {}
        self.history: deque[Change] = deque(maxlen=HISTORY)
        self._meta = tables.setdefault("meta", {})
        self._meta.setdefault("version", 0)
        for resource in list(self.resources()):
            for key, obj in self._table(resource).items():
                self._reindex(resource, key, None, obj)

    def fork(self, tables: dict[str, Table], observer: Observer) -> Store:
        """A store over copied tables, without building the indexes anew."""
        twin = Store.__new__(Store)
        twin.tables, twin.observer = tables, observer
        twin.index = dict(self.index)
        twin.order = {resource: list(keys) for resource, keys in self.order.items()}
        twin.history = self.history.copy()
        twin._meta = tables["meta"]
        return twin

    def follow(self, before: Mapping[str, Table]) -> None:
        """Take note that tables were replaced beside this store: their indexes follow, and no watch saw it happen.

        Args:
            before: the tables as the indexes know them.
        """
        self._meta = self.tables["meta"]
        self.history.clear()
        for resource in list(self.resources()):
            old, new = before.get(f"objects/{resource}", {}), self._table(resource)
            if old is not new:
                for key in [key for key in old if key not in new]:
                    self._reindex(resource, key, old[key], None)
                for key, obj in new.items():
                    if old.get(key) is not obj:
                        self._reindex(resource, key, old.get(key), obj)

    @property
    def version(self) -> int:
        """The newest resourceVersion."""
        return int(self._meta["version"])

    def resources(self) -> Iterator[str]:
        """Names of the resources that have a table."""
        return (name.removeprefix("objects/") for name in self.tables if name.startswith("objects/"))

    def get(self, resource: str, namespace: str, name: str) -> Obj | None:
        """The object, or None."""
        try:
            found: Obj | None = self.tables[f"objects/{resource}"].get(f"{namespace}/{name}")
        except KeyError:
            return None
        return found

    def by_key(self, resource: str, key: str) -> Obj | None:
        """The object with the key `namespace/name`, or None."""
        try:
            found: Obj | None = self.tables[f"objects/{resource}"].get(key)
        except KeyError:
            return None
        return found

    def all(self, resource: str, namespace: str | None = None) -> list[Obj]:
        """All objects of a resource (in one namespace), in etcd's order."""
        table = self._table(resource)
        order = self.order.get(resource, [])
        if namespace is None:
            return [table[key] for key in order]
        return [table[key] for key in order[bisect_left(order, f"{namespace}/") : bisect_left(order, f"{namespace}0")]]

    def owned(self, resource: str, uid: str) -> list[Obj]:
        """Objects of a resource with an owner reference to `uid`."""
        return self._pick(resource, f"owner {resource} {uid}")

    def uncontrolled(self, resource: str, namespace: str) -> list[Obj]:
        """Objects of a namespace that nobody controls; only of the resources that somebody might adopt."""
        return self._pick(resource, f"uncontrolled {resource} {namespace}")

    def labelled(self, resource: str, namespace: str, labels: Mapping[str, str]) -> list[Obj]:
        """Objects that carry all of these labels; none for an empty selector."""
        if not labels:
            return []
        first, *others = [self.index.get(f"label {resource} {k}={v}", ()) for k, v in labels.items()]
        common = set(first).intersection(*others) if others else first
        prefix = f"{namespace}/"
        table = self._table(resource)
        return [table[key] for key in first if key.startswith(prefix) and (common is first or key in common)]

    def on_node(self, node: str) -> list[Obj]:
        """Pods bound to a node."""
        return self._pick("pods", f"node {node}")

    def events_of(self, uid: str) -> list[Obj]:
        """Events about an object."""
        return self._pick("events", f"involved {uid}")

    def put(self, resource: str, obj: Mapping[str, Any]) -> Obj:
        """Write an object: stamp its resourceVersion, replace what was there, tell the observer."""
        self._meta["version"] = version = int(self._meta["version"]) + 1
        new = Obj(obj)
        new["metadata"] = {**obj["metadata"], "resourceVersion": str(version)}
        key = key_of(new)
        table = self._table(resource)
        old = table.get(key)
        table[key] = new
        self._reindex(resource, key, old, new)
        self.history.append(Change(version, resource, old, new))
        self.observer(resource, old, new)
        return new

    def remove(self, resource: str, key: str) -> Obj | None:
        """Remove an object for good; None if there was none."""
        old: Obj | None = self._table(resource).pop(key, None)
        if old is None:
            return None
        self._meta["version"] = version = self.version + 1
        self._reindex(resource, key, old, None)
        self.history.append(Change(version, resource, old, None))
        self.observer(resource, old, None)
        return old

    def _table(self, resource: str) -> Table:
        try:
            return self.tables[f"objects/{resource}"]
        except KeyError:
            return self.tables.setdefault(f"objects/{resource}", {})

    def _pick(self, resource: str, bucket: str) -> list[Obj]:
        keys = self.index.get(bucket)
        if keys is None:  # as for most buckets that are asked for
            return []
        table = self._table(resource)
        return [table[key] for key in keys]

    def _reindex(self, resource: str, key: str, old: Obj | None, new: Obj | None) -> None:
        if old is None:
            insort(self.order.setdefault(resource, []), key)
        elif new is None:
            self.order[resource].remove(key)
        elif _stays(old, new):
            return
        before = _buckets(resource, old) if old is not None else frozenset()
        after = _buckets(resource, new) if new is not None else frozenset()
        if before == after:
            return
        for bucket in before - after:
            rest = tuple(k for k in self.index[bucket] if k != key)
            if rest:
                self.index[bucket] = rest
            else:
                del self.index[bucket]
        for bucket in after - before:
            self.index[bucket] = tuple(sorted((*self.index.get(bucket, ()), key)))


def _stays(old: Obj, new: Obj) -> bool:
    """Whether a write left alone, as the very same values, all that the indexes look at."""
    before, after = old["metadata"], new["metadata"]
    return (
        old.get("spec") is new.get("spec")
        and before.get("labels") is after.get("labels")
        and before.get("ownerReferences") is after.get("ownerReferences")
        and old.get("involvedObject") is new.get("involvedObject")
    )


def _buckets(resource: str, obj: Obj) -> frozenset[str]:
    """The index buckets an object belongs in."""
    found = [f"owner {resource} {ref['uid']}" for ref in obj["metadata"].get("ownerReferences", ())]
    if resource in ADOPTABLE and controller_of(obj) is None:
        found.append(f"uncontrolled {resource} {namespace_of(obj)}")
    if resource == "events":
        found.append(f"involved {obj.get('involvedObject', {}).get('uid', '')}")
    else:
        found += [f"label {resource} {k}={v}" for k, v in labels_of(obj).items()]
    if resource == "pods" and (node := obj.get("spec", {}).get("nodeName")):
        found.append(f"node {node}")
    return frozenset(found)
