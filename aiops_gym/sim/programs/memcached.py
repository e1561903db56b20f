"""memcached: a cache in memory. Says nothing."""

from __future__ import annotations

from aiops_gym.sim.container import Container
from aiops_gym.sim.program import MIB, Process, Program

PORT = 11211


class Memcached(Program):
    """Listens at once."""

    def start(self, c: Container) -> None:
        """Open the port, `-p` of the command line or the usual one."""
        argv = list(c.argv)
        given = argv[argv.index("-p") + 1] if "-p" in argv[:-1] else ""
        c.listen(int(given) if given.isdigit() else PORT)

    def usage(self, process: Process, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """The cache fills with its use."""
        memory = float(process["params"].get("memory", 3 * MIB)) + min(rps, 2_000.0) * 4_000
        return {"cpu": 0.0006 + cpu_seconds_per_s, "memory": memory, "threads": 10.0}


program = Memcached()
