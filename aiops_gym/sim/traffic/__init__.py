"""What users ask, what comes of it, and the requests that follow: from the state of the world alone.

`observe` notes each change of the outcomes in a timeline; all else is a pure function of (seed, timeline, window).
"""

from __future__ import annotations

from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.traffic import load, panics, quotas, strain, timeline
from aiops_gym.sim.traffic.strain import upset
from aiops_gym.sim.traffic.stream import Request, list_requests
from aiops_gym.sim.traffic.timeline import Interval, list_intervals

__all__ = [
    "HANDLERS",
    "Interval",
    "Request",
    "compute_latency",
    "compute_success",
    "list_intervals",
    "list_requests",
    "name_current",
    "observe",
    "upset",
]


HANDLERS: dict[str, Handler] = {**panics.HANDLERS, **strain.HANDLERS, **load.HANDLERS}


def observe(world: World) -> None:
    """Note the present outcomes: an observer of the world, called when something changed."""
    quotas.note(world)
    timeline.note(world)
    panics.plan(world)


def compute_success(world: World) -> dict[str, float]:
    """Expected probability that a request of each operation succeeds, as things are now."""
    return dict(timeline.read_current(world)["success"])


def compute_latency(world: World) -> dict[str, float]:
    """Mean milliseconds that a successful request of each operation takes, as things are now."""
    return dict(timeline.read_current(world)["latency"])


def name_current(world: World) -> str:
    """A name for all that holds now: while it is the same, so are success and latency."""
    timeline.read_current(world)
    return timeline.read_newest(world)[0]
