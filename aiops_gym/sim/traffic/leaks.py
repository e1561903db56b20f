"""What a program never gives back: memory that grows with its age, whatever it is asked (parameter `leak`)."""

from __future__ import annotations

from aiops_gym.sim.kernel.tables import Instance


def read_leak(process: Instance) -> float:
    """Bytes that a program keeps in each second; 0 for nearly all."""
    return float(process["params"].get("leak", 0.0))


def grown(process: Instance, at: int) -> float:
    """Bytes that it has kept from its start up to a time in ms."""
    return read_leak(process) * max(0, at - process["started"]) / 1000
