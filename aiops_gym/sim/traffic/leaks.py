"""What a program never gives back: memory that grows with its age, whatever it is asked.

Parameter `leak`, or what the program was told: `leak` {rate, since} in `configured`.
"""

from __future__ import annotations

from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.traffic.configuration import configured


def read_leak(process: Instance) -> float:
    """Bytes that a program keeps in each second; 0 for nearly all."""
    told = configured(process).get("leak")
    return float(told["rate"] if told else process["params"].get("leak", 0.0))


def find_start(process: Instance) -> int:
    """Since when it has kept them, ms: its start, or when it was told to."""
    told = configured(process).get("leak")
    return int(told["since"] if told else process["started"])


def grown(process: Instance, at: int) -> float:
    """Bytes that it has kept up to a time in ms."""
    return read_leak(process) * max(0, at - find_start(process)) / 1000
