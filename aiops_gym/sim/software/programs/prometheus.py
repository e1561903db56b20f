"""Prometheus: scrapes targets and answers PromQL over HTTP; see `prometheus_api` and `sim/telemetry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.software.prometheus_api import router
from aiops_gym.sim.software.prometheus_api.loading import open_rules

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World
    from aiops_gym.sim.machine.container import Container

PORT = 9090
FORMS = ("query", "query_range", "series", "labels", "format_query", "query_exemplars")
"""Parts of the API that take their form by POST, too."""


class Prometheus(Program):
    """Ready within a second."""

    def start(self, c: Container) -> None:
        """Open the port."""
        c.after(int(c.between(200, 700, "open")), "open")

    def event(self, c: Container, name: str, *arguments: object) -> None:
        """Ready to receive web requests."""
        c.listen(PORT)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """A scrape a minute."""
        memory = float(process["params"].get("memory", 260 * MIB))
        return {"cpu": float(process["params"].get("cpu", 0.03)), "memory": memory, "threads": 14.0}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """The reading part of its HTTP API, version 1."""
        return router.answer(open_rules(world, process), world.now, path)

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """As `http`, a few milliseconds later."""
        return HttpAnswer(*self.http(world, process, path), seconds=0.004)

    def post(self, world: World, process: Process, path: str, body: str) -> HttpAnswer | None:
        """A form is read as the query of the address is."""
        where, _, text = path.partition("?")
        if where.removeprefix("/api/v1/") not in FORMS:
            return HttpAnswer(405, "Method Not Allowed\n", seconds=0.001)
        return self.answer(world, process, "POST", f"{where}?{'&'.join(filter(None, (body, text)))}")


program = Prometheus()
