"""Server-side printing: objects as the rows that `kubectl get` lays out.

What a row says is worked out once for an object and kept in its memo, with the range of times in which its ages stay
the same; a list of old pods then costs a look at the clock for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.age import age_window
from aiops_gym.sim.kube_api.kind import Since
from aiops_gym.sim.kube_api.kinds import kind_of
from aiops_gym.types import Json

_ROW = caches.slot(
    f"{__name__}.row", "writing ages into a row", ends="a write to the object, or a time when an age reads otherwise"
)
_CELLS = caches.slot(f"{__name__}.cells", "reading the cells of a row from an object")

FOREVER = 1 << 62


@cache
def definitions(resource: str) -> list[dict[str, Json]]:
    """The column definitions of a resource."""
    return [
        {"name": c.name, "type": c.type, "format": c.format, "description": c.description, "priority": c.priority}
        for c in kind_of(resource).columns
    ]


def make_table(resource: str, objects: Iterable[Obj], now: int, version: str) -> dict[str, Json]:
    """A `meta.k8s.io/v1` Table of objects at a time (ms)."""
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": version},
        "columnDefinitions": definitions(resource),
        "rows": make_rows(resource, objects, now),
    }


def make_rows(resource: str, objects: Iterable[Obj], now: int) -> list[dict[str, Json]]:
    """The rows of objects at a time (ms). They are shared: read them only."""
    found = []
    for obj in objects:
        memo = obj.memo
        known = memo.get(_ROW)
        if known is None or not known[0] <= now < known[1]:
            known = memo[_ROW] = _row(resource, obj, now)
        found.append(known[2])
    return found


def _row(resource: str, obj: Obj, now: int) -> tuple[int, int, dict[str, Json]]:
    """A row, and from when until when (ms) it reads like this."""
    memo = obj.memo
    kept = memo.get(_CELLS)
    if kept is None:
        cells = kind_of(resource).cells(obj)
        kept = memo[_CELLS] = cells, [(at, cell) for at, cell in enumerate(cells) if type(cell) is Since]
    start, end, printed = -FOREVER, FOREVER, kept[0].copy()
    for at, (time, before, after) in kept[1]:
        text, low, high = age_window((now - time) // 1000)
        low, high = time + low * 1000, time + high * 1000
        start, end = low if low > start else start, high if high < end else end
        printed[at] = f"{before}{text}{after}"
    return start, end, {"cells": printed, "object": obj}
