"""What objects were: their versions of the last hour that a scrape may have seen.

Table `journal`: `resource namespace/name` -> [[until (ms), what of the object was other then], ...], oldest first. The
present version is in the store. What came and went between two scrapes is left out, so that an object has at most one
row a minute, whatever happens to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel.objects import Obj, get, key_of
from aiops_gym.sim.kernel.times import HOUR, MINUTE, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

TRACKED = frozenset(
    [
        "pods",
        "services",
        "nodes",
        "namespaces",
        "persistentvolumeclaims",
        "persistentvolumes",
        "resourcequotas",
        "deployments.apps",
        "replicasets.apps",
        "statefulsets.apps",
        "daemonsets.apps",
        "jobs.batch",
        "cronjobs.batch",
        "horizontalpodautoscalers.autoscaling",
    ]
)
"""Resources of which something is measured over time."""

OFFSET = 17_300
"""Milliseconds after a full minute at which discovered endpoints are scraped."""

KEPT = HOUR + 5 * MINUTE
"""Milliseconds for which a version is kept: a query looks back five minutes from the oldest time it may ask for."""

OBJECTS = 2_000
"""Objects with versions, above which those that nobody can ask for any more are dropped."""

NAMED = ("name", "namespace", "uid", "labels", "annotations", "generation", "creationTimestamp", "deletionTimestamp")
"""What is kept of `metadata`, beside the owners."""

CHANGING = ("labels", "generation", "deletionTimestamp")
"""What of it changes without another object being there."""


class Versions(NamedTuple):
    """What an object was, oldest first.

    Attributes:
        untils: ms until which each but the last was there.
        objects: one more than `untils`; the last is what is there now, None where it is gone.
    """

    untils: Sequence[int]
    objects: Sequence[Mapping[str, Json] | None]


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Keep the version that a write replaces, if a scrape has seen it."""
    if old is None or resource not in TRACKED:
        return
    meta, now, table = old["metadata"], world.now, world.table("journal")
    key = f"{resource} {meta.get('namespace', '')}/{meta['name']}"
    rows = table.get(key, ())
    stays = new is not None and (new["metadata"] is meta or new["metadata"]["uid"] == meta["uid"])
    if not rows and born(old) > floor(now):
        return
    part = _other(old, new) if stays and new is not None else _whole(old)
    if rows and rows[-1][0] > floor(now) and stays:  # a second write since the scrape: what the scrape saw stays
        until, kept = rows[-1]
        if part.keys() - kept.keys():
            table[key] = [*rows[:-1], [until, {**part, **kept}]]
        return
    # What ends has a row to which those before it can be added.
    if part:
        table[key] = [*(row for row in rows if row[0] > now - KEPT), [now, part]]
        if len(table) > OBJECTS:
            _forget(table, now)


def floor(time: int) -> int:
    """The last scrape of discovered endpoints up to a time."""
    return (time - OFFSET) // MINUTE * MINUTE + OFFSET


def born(obj: Mapping[str, Json]) -> int:
    """When an object was made, ms."""
    made = obj["metadata"].get("creationTimestamp")
    return millis(made) if made else 0


def find_gone(world: World, resource: str, key: str, uid: str) -> Mapping[str, Json] | None:
    """What an object was at its end, None where that is not known any more."""
    for _, part in world.table("journal").get(f"{resource} {key}", ()):
        if get(part, "metadata", "uid") == uid and "spec" in part and "status" in part:
            return part  # type: ignore[no-any-return]
    return None


def list_versions(world: World, resource: str, namespace: str = "") -> list[Versions]:
    """What all objects of a resource (in one namespace) were, those that are gone as well, by key."""
    present = {key_of(obj): obj for obj in world.store.all(resource, namespace or None)}
    prefix = f"{resource} {namespace}/" if namespace else f"{resource} "
    past = {key[len(resource) + 1 :]: rows for key, rows in world.table("journal").items() if key.startswith(prefix)}
    keys = sorted({*present, *past}) if past else present
    return [_versions(past.get(key, ()), present.get(key)) for key in keys]


def pick(versions: Versions, times: NDArray[np.int64]) -> list[tuple[Mapping[str, Json], slice]]:
    """The versions that were there at some of the times, each with those times; they are increasing."""
    edges = [*np.searchsorted(times, versions.untils).tolist(), len(times)]
    found, low = [], 0
    for obj, high in zip(versions.objects, edges, strict=True):
        if obj is not None and high > low:
            first = max(low, int(np.searchsorted(times, born(obj))))
            if high > first:
                found.append((obj, slice(first, high)))
        low = max(low, high)
    return found


def _versions(rows: Sequence[Json], present: Obj | None) -> Versions:
    after: Mapping[str, Json] = present or {}
    objects: list[Mapping[str, Json] | None] = [present]
    for _, part in reversed(rows):
        after = {**after, **part}
        objects.append(after)
    return Versions([row[0] for row in rows], objects[::-1])


def _other(old: Obj, new: Obj) -> Json:
    """What of an object a write replaces by something else."""
    part = {name: old.get(name) for name in ("spec", "status") if old.get(name) is not new.get(name)}
    before, after = old["metadata"], new["metadata"]
    if any(before.get(name) != after.get(name) for name in CHANGING):
        part["metadata"] = _metadata(old)
    return part


def _whole(old: Obj) -> Json:
    return {"metadata": _metadata(old), "spec": old.get("spec"), "status": old.get("status")}


def _metadata(old: Obj) -> Json:
    meta = old["metadata"]
    kept = {name: meta[name] for name in NAMED if name in meta}
    return kept | {"ownerReferences": meta.get("ownerReferences", [])}


def _forget(table: dict[str, Json], now: int) -> None:
    for key in [key for key, rows in table.items() if rows[-1][0] <= now - KEPT]:
        del table[key]
