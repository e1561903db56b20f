"""What a program never gives back: memory that grows with its age, whatever it is asked.

Parameter `leak`, or what the program was told: `leak` {rate, since, until} in `configured`.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.traffic.configuration import configured


class Leak(NamedTuple):
    """How a program keeps memory.

    Attributes:
        rate: bytes that it keeps in each second.
        since: ms; its start, or when it was told to.
        until: ms; when it was told to stop, and gave all of them back.
    """

    rate: float
    since: float
    until: float = inf

    def grown(self, at: int) -> float:
        """Bytes that it keeps at a time in ms."""
        return self.rate * max(0, at - self.since) / 1000 if at < self.until else 0.0


def find_leak(process: Instance) -> Leak:
    """The last leak that a program had; one of 0 bytes a second for nearly all."""
    told = configured(process).get("leak")
    if told:
        return Leak(float(told["rate"]), int(told["since"]), told.get("until", inf))
    return Leak(float(process["params"].get("leak", 0.0)), int(process["started"]))


def read_leak(process: Instance) -> float:
    """Bytes that a program keeps in each second now."""
    leak = find_leak(process)
    return leak.rate if leak.until == inf else 0.0
