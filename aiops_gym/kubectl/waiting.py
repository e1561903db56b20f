"""Waiting for the cluster, in its own time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def await_looks(cluster: Cluster, step: float, patience: str) -> Iterator[None]:
    """Wait for each next look of a watch, until its `--request-timeout` ("" or 0: none) or the action's time is up."""
    seconds = float(patience) if patience.isdecimal() else parse_duration(patience or "0")
    end = cluster.now() + (seconds or inf)
    while (left := min(step, end - cluster.now())) > 0 and cluster.wait(left):
        yield
