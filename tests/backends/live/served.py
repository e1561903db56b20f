"""A served cluster as if it were a real one: its API, its Prometheus and Jaeger, and its clock behind a token."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from aiops_gym.backends.baseline import boot_cluster
from aiops_gym.catalog import registry
from aiops_gym.serve.control import Control, draw_token
from aiops_gym.serve.kubeconfig import NAME
from aiops_gym.serve.server import Around, Door
from aiops_gym.sim.kernel.world import World


class NoIncident:
    """What is judged at the control address of a cluster on which nothing is posed: nothing."""

    task = "none"

    def status(self) -> Mapping[str, Any]:
        """Nothing to tell."""
        return {}


class Served:
    """A cluster behind HTTP.

    Attributes:
        door: to it.
        cluster: the argument of environments.
    """

    def __init__(self, world: World, folder: str, around: Around | None = None) -> None:
        self.door, token = Door(world, Path(folder, "config"), around=around), draw_token()
        self.control = Control(self.door.keeper, self.door.clock, token, NoIncident(), lambda _: None)  # type: ignore[arg-type]
        url = self.door.listen(self.control.app())
        self.cluster = {"kubeconfig": str(self.door.kubeconfig), "clock": url, "clock_token": token, "workload": "none"}
        self.context = NAME
        self.door.open()


@cache
def bare(app_id: str) -> World:
    """A cluster that knows an app and does not have it. Fork it."""
    return boot_cluster(registry.find_app(app_id), 0)


@contextmanager
def serve(app_id: str, around: Around | None = None) -> Iterator[Served]:
    """A bare cluster, served for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        made = Served(bare(app_id).fork(), folder, around)
        try:
            yield made
        finally:
            made.door.close()
