"""What moves a world, gathered from the rooms that hold it.

Control loops are found in `sim/kube_control/controllers`: a new file there is all it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from aiops_gym.scan import scan
from aiops_gym.sim import traffic
from aiops_gym.sim.docker_host import lifecycle, projects
from aiops_gym.sim.kernel.world import Client, Dynamics, Handler, Utility
from aiops_gym.sim.kube_control import events, kubelet_server
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.software import programs
from aiops_gym.sim.telemetry import journal, writes
from aiops_gym.sim.telemetry.targets import index_families


def make_dynamics(utility: Utility | None = None, clients: Mapping[str, Client] | None = None) -> Dynamics:
    """The dynamics of all simulated clusters.

    Args:
        utility: runs what images have and the machine does not know; given by whoever has a shell.
        clients: what asks the API from inside containers, by its command.
    """
    index_families()  # with the rest of the code, and not while somebody waits for the answer to a first query
    handlers: dict[str, Handler] = {**runtime.HANDLERS, **traffic.HANDLERS, **events.HANDLERS}
    handlers |= {**lifecycle.HANDLERS, **projects.HANDLERS}
    for served in _found("HANDLERS"):
        handlers |= served
    observers = [observe for several in _found("OBSERVERS") for observe in several]
    return Dynamics(
        controllers=_found("controller"),
        handlers=handlers,
        observers=[*observers, traffic.observe],
        reactions=_found("react"),
        recorders=[journal.react, writes.react],
        utility=utility,
        programs=programs.find,
        kubelet=kubelet_server.Server(),
        clients=clients,
        for_show=("endpointslice", "endpointslicemirroring", "resourcequota"),
    )


@cache
def _found(attribute: str) -> tuple[Any, ...]:
    """What the modules of `sim/kube_control/controllers` offer, in the order of their names."""
    return tuple(scan("aiops_gym.sim.kube_control.controllers", attribute).values())
