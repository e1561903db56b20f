"""How often objects were written: by whomever, through the API server, which counts its requests.

Table `writes`: `VERB resource` -> [how many before those, [[scrape (ms) that sees them first, how many], ...]], oldest
first. Reading changes nothing, so that reads are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry.journal import KEPT, floor

PATCHED = frozenset(["pods", "nodes", "events"])
"""Resources whose objects kubelets and recorders of events patch; controllers put theirs."""

EXPIRING = "events"
"""The resource whose objects go by themselves: nobody asks for that."""


def react(world: World, resource: str, old: Obj | None, new: Obj | None) -> None:
    """Count a write."""
    if new is None and resource == EXPIRING:
        return
    verb = "POST" if old is None else "DELETE" if new is None else "PATCH" if resource in PATCHED else "PUT"
    table, seen = world.table("writes"), floor(world.now) + MINUTE
    before, rows = table.get(f"{verb} {resource}", (0, ()))
    if rows and rows[-1][0] == seen:
        rows = [*rows[:-1], [seen, rows[-1][1] + 1]]
    else:
        recent = [row for row in rows if row[0] > world.now - KEPT]
        before += sum(many for _, many in rows[: len(rows) - len(recent)])
        rows = [*recent, [seen, 1]]
    table[f"{verb} {resource}"] = [before, rows]


def count_writes(world: World, times: NDArray[np.int64]) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Verb, resource, and how many there had been at each time."""
    for key, (before, rows) in sorted(world.table("writes").items()):
        verb, _, resource = key.partition(" ")
        sums = np.cumsum([before, *(many for _, many in rows)]).astype(np.float64)
        yield verb, resource, sums[np.searchsorted([seen for seen, _ in rows], times, side="right")]
