"""Jaeger all-in-one: takes spans over UDP and HTTP, keeps them in memory, shows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import iso_micro
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB, HttpAnswer, Program
from aiops_gym.sim.software import jaeger_api

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

PORTS = (5775, 5778, 6831, 6832, 14250, 14268, 14269, 16686)
OPENING = (
    ("cmd/all-in-one/main.go:110", "Archive storage not created", {"reason": "archive storage not supported"}),
    ("flags/service.go:119", "Mounting metrics handler on admin server", {"route": "/metrics"}),
    ("flags/admin.go:130", "Mounting health check on admin server", {"route": "/"}),
    ("flags/admin.go:144", "Starting admin HTTP server", {"http-addr": ":14269"}),
    ("memory/factory.go:78", "Memory storage initialized", {"configuration": {"MaxTraces": 0}}),
    ("server/grpc.go:104", "Starting jaeger-collector gRPC server", {"grpc.host-port": ":14250"}),
    ("server/http.go:56", "Starting jaeger-collector HTTP server", {"http host-port": ":14268"}),
    ("app/agent.go:69", "Starting jaeger-agent HTTP server", {"http-port": 5778}),
    ("app/server.go:290", "Starting HTTP server", {"port": 16686, "addr": ":16686"}),
    ("healthcheck/handler.go:129", "Health Check state change", {"status": "ready"}),
)


class Jaeger(Program):
    """Ready within a second."""

    collector = True

    def start(self, c: Container) -> None:
        """The first line."""
        c.log(f"{iso_micro(c.now)[:-4]}Z maxprocs: Leaving GOMAXPROCS=1: CPU quota undefined")
        c.after(int(c.between(150, 600, "open")), "open")

    def event(self, c: Container, name: str, *arguments: object) -> None:
        """Open all ports."""
        for source, message, fields in OPENING:
            row = {"level": "info", "ts": c.now / 1000, "caller": source, "msg": message, **fields}
            c.log(json.dumps(row, separators=(",", ":")))
        for port in c.params.get("ports", PORTS):
            c.listen(int(port))

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """Spans cost a little work each, and stay in memory."""
        memory = float(process["params"].get("memory", 38 * MIB)) + min(rps, 1_000.0) * 200_000
        return {"cpu": 0.002 + cpu_seconds_per_s + rps * 0.0001, "memory": memory, "threads": 11.0}

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """The page of its UI, and the API behind it."""
        if path in (pages := process["params"].get("pages") or {}):
            return 200, str(pages[path])
        found = self.answer(world, process, "GET", path)
        return found.status, found.body

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer:
        """As `http`, a few milliseconds later; its `base` stands before its paths, or does not."""
        return jaeger_api.answer(world, method, path.removeprefix(str(process["params"].get("base", ""))) or "/")


program = Jaeger()
