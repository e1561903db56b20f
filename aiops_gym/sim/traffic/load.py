"""How much users ask at a moment: a rate, the hour of the day where that counts, and bursts.

Table `load`: `rate` {value: requests per second of all operations together}, `tide` {swing: by what share of it the
rate rises and falls in a day, peak: hour in UTC}, `burst` {factor: times as much}. Between two changes the rate is
constant; a tide changes it a few times in an hour.
"""

from __future__ import annotations

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
    return found * rows["burst"]["factor"] if "burst" in rows else found


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
