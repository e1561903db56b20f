"""A simulated world as a cluster: its API and its clock."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.docker_host import api
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Json, Request, Response


class SimulatedCluster:
    """The world's API and clock; see `types.Cluster`."""

    def __init__(self, world: World) -> None:
        self.world = world

    def handle(self, request: Request) -> Response:
        """Answer one API request."""
        return handle(self.world, request)

    def docker(self, method: str, path: str, query: Mapping[str, str] | None = None, body: Json = None) -> Response:
        """Answer one request to the daemon of the host beside the cluster."""
        return api.handle(self.world, method, path, query, body)

    def now(self) -> float:
        """Unix seconds."""
        return self.world.now / 1000

    def wait(self, seconds: float) -> bool:
        """Let time pass; the shell that asks has its own deadline."""
        self.world.run(max(0, round(seconds * 1000)))
        return True
