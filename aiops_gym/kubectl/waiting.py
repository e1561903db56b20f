"""Waiting for the cluster, in its own time."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Literal

from aiops_gym.clients.flags import parse_duration
from aiops_gym.types import Cluster

End = Literal["done", "timeout", "stopped"]
STEPS = ((2.0, 0.1), (30.0, 0.25), (float("inf"), 1.0))
"""(waited less than, look again after), in seconds: kubectl watches; looking often is as good, and cheaper later on."""


def wait_until(cluster: Cluster, done: Callable[[], bool], timeout: float) -> End:
    """Wait until something is done, for at most `timeout` seconds (0 = for ever).

    Returns:
        `stopped` when the action's own time is used up: return at once then.
    """
    waited = 0.0
    while not done():
        if timeout and waited >= timeout:
            return "timeout"
        step = next(step for limit, step in STEPS if waited < limit)
        if timeout:
            step = min(step, timeout - waited)
        if not cluster.wait(step):
            return "stopped"
        waited += step
    return "done"


def find_end(cluster: Cluster, patience: str) -> float:
    """Unix seconds at which a request with this `--request-timeout` ends: never, where it is 0 or not given."""
    seconds = float(patience) if patience.isdecimal() else parse_duration(patience or "0")
    return cluster.now() + seconds if seconds else inf


def look_again(cluster: Cluster, step: float, end: float) -> bool:
    """Wait for the next look of a watch; False when its request has ended, or the action's own time is used up."""
    step = min(step, end - cluster.now())
    return step > 0 and cluster.wait(step)
