"""Doors over HTTP: the simulator's Kubernetes API for kubectl and every other client of it.

`door(backend)` serves a world for as long as a block lasts; `aiops-gym serve` does so for a person.
"""

from aiops_gym.serve.server import Door, door

__all__ = ["Door", "door"]
