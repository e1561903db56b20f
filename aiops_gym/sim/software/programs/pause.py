"""The container that holds a pod's namespaces open: does nothing until it is told to end."""

from __future__ import annotations

from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.machine.program import Program


class Pause(Program):
    """Waits."""

    term_ms = (5, 30)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """Next to nothing."""
        return {"cpu": 0.0, "memory": 450_000.0, "threads": 1.0}


program = Pause()
