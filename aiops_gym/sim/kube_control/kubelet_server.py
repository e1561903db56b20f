"""What the kubelets answer to others: to the API server, to metrics-server, and to `ps` and `top` in a container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.controllers import node
from aiops_gym.sim.telemetry import exposition, logs, usage


class Server:
    """All kubelets of a world behind one door; see `sim.kernel.world.Kubelet` for what is promised."""

    def log(self, world: World, process: str, **window: Any) -> str:
        """What a process wrote."""
        return logs.read(world, process, **window)

    def heartbeat(self, world: World, obj: Obj) -> Obj:
        """A Node or Lease as its kubelet would have written it by now."""
        return node.refresh(world, obj)

    def pods(self, world: World, objects: Sequence[Obj]) -> list[usage.Used]:
        """What each container of some pods uses."""
        return usage.measure_pods(world, objects)

    def node(self, world: World, obj: Obj) -> tuple[int, int]:
        """What a node uses in all."""
        return usage.measure_node(world, obj)

    def demand(self, world: World, process: str, start: int, end: int) -> tuple[float, float]:
        """What requests ask of a process."""
        return usage.measure_demand(world, process, start, end)

    def metrics(self, world: World, node: str, path: str) -> str | None:
        """What the kubelet of a node, or the API server, tells Prometheus at a path."""
        return exposition.write_node(world, node, path) if node else exposition.write_api_server(world)
