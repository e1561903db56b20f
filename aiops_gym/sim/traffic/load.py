"""How much users ask at a moment: a rate, the hour of the day where that counts, and bursts.

Table `load`: `rate` {value: requests per second of all operations together}, `tide` {swing: by what share of it the
rate rises and falls in a day, peak: hour in UTC}, `burst` {factor: times as much}, `flood KEY` {operation, rate}: what
a program of the world asks besides. Between two changes the rate is
constant; a tide changes it a few times in an hour.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi

from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND
from aiops_gym.sim.kernel.world import Handler, World

TURN = 10 * MINUTE
"""After which a tide is looked at again."""


def rate(world: World) -> float:
    """Requests per second of all operations together."""
    rows = world.table("load")
    found = float(rows["rate"]["value"]) if "rate" in rows else world.blueprint.rate
    if tide := rows.get("tide"):
        hour = world.now // TURN * TURN / HOUR
        found *= 1.0 + tide["swing"] * cos(2.0 * pi * (hour - tide["peak"]) / 24.0)
    found = found * rows["burst"]["factor"] if "burst" in rows else found
    return found + sum(list_extra(world).values())


def list_extra(world: World) -> Mapping[str, float]:
    """Requests per second by operation that programs of the world ask on top of that, see `flood`."""
    rows = world.tables.get("load") or {}
    found: dict[str, float] = {}
    for name, row in rows.items():
        if name.startswith("flood "):
            found[row["operation"]] = found.get(row["operation"], 0.0) + row["rate"]
    return found


def share(world: World) -> dict[str, float]:
    """Each operation's share of all requests."""
    extra, usual = list_extra(world), {each.name: each.weight for each in world.blueprint.operations}
    if not extra:
        return usual
    total = rate(world)
    own = total - sum(extra.values())
    return {name: (weight * own + extra.get(name, 0.0)) / total for name, weight in usual.items()}


def flood(world: World, key: str, operation: str, rate_: float) -> None:
    """A program asks for an operation so often a second from now on, until it says otherwise."""
    rows = world.table("load")
    if rate_ > 0.0:
        rows[f"flood {key}"] = {"operation": operation, "rate": rate_}
    else:
        rows.pop(f"flood {key}", None)
    world.touch()


def swell(world: World, swing: float, peak: float) -> None:
    """From now on users follow the hour.

    Args:
        world: in which they do.
        swing: share of the usual rate by which it rises and falls, 0 to 1.
        peak: hour of the day, in UTC, at which they ask most.
    """
    world.table("load")["tide"] = {"swing": swing, "peak": peak}
    _turn(world)


def burst(world: World, factor: float, seconds: float) -> None:
    """For some time users ask so many times as much."""
    world.table("load")["burst"] = {"factor": factor}
    world.touch()
    world.schedule(round(seconds * SECOND), "traffic.ebb")


def _turn(world: World) -> None:
    """The tide has moved on."""
    if "tide" in world.table("load"):
        world.touch()
        world.schedule(TURN - world.now % TURN, "traffic.tide")


def _ebb(world: World) -> None:
    """A burst is over."""
    world.table("load").pop("burst", None)
    world.touch()


HANDLERS: dict[str, Handler] = {"traffic.tide": _turn, "traffic.ebb": _ebb}
