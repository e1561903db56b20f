"""How much the scripts of a cluster may do: counted, never timed, so that they end at the same place on every machine.

A unit is about a microsecond of ours: a step of a small script is one, a command that the big interpreter runs some
thousand. Each container saves up what it does not use, and so does the cluster as a whole; what is used up comes back
as the world's clock moves. So whatever is written into probes, hooks and commands, and however long a step or the judge
lets time pass, the work is bounded by the time on that clock. To those in the cluster it is a busy processor: a probe
runs out of time, a loop goes on later.

The balances lie in the table `work`: they are forked and saved like all else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.times import SECOND

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

TABLE = "work"
EVERYBODY = "*"
"""The cluster's own balance."""

SAVED, PER_SECOND = 30_000, 1_000
"""Of one container."""

SAVED_BY_ALL, PER_SECOND_FOR_ALL = 600_000, 2_500
"""Of all containers together."""

LEAST = 1_000
"""A container that has less does not begin: what begins has room for what small scripts do."""

MODEST = SAVED * 9 // 10
"""Who has that much left has used little. The last half of what there is for all is kept for those."""

MOST_ROWS = 300


def measure_room(world: World, key: str) -> int:
    """Units that a container may use now; 0 where it has to wait."""
    own, common = _balance(world, key, SAVED, PER_SECOND), _of_all(world)
    room = min(own, common - SAVED_BY_ALL // 2)
    if room < LEAST <= common and own >= MODEST:
        room = min(own - MODEST + LEAST, common)
    return room if room >= LEAST else 0


def measure_left(world: World, key: str) -> int:
    """Units that a container has left, which may be a debt."""
    return _balance(world, key, SAVED, PER_SECOND)


def charge(world: World, key: str, units: int) -> None:
    """A container has used so many units. More than it has is a debt, which has to be worked off."""
    if units <= 0:
        return
    table = world.table(TABLE)
    own, common = _balance(world, key, SAVED, PER_SECOND), _of_all(world)
    table[key] = [own - units, world.now]
    table[EVERYBODY] = [common - units, world.now]
    if len(table) > MOST_ROWS:
        for other in [k for k in table if k != EVERYBODY and _balance(world, k, SAVED, PER_SECOND) == SAVED]:
            del table[other]


def _of_all(world: World) -> int:
    return _balance(world, EVERYBODY, SAVED_BY_ALL, PER_SECOND_FOR_ALL)


def _balance(world: World, key: str, most: int, rate: int) -> int:
    """What one has at this moment: as last noted, and what came back since."""
    row = world.table(TABLE).get(key)
    if row is None:
        return most
    left, at = row
    return min(most, int(left) + (world.now - int(at)) * rate // SECOND)
