"""What moves a world, gathered from the rooms that hold it.

Control loops are found in `sim/kube_control/controllers`: a new file there is all it takes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType

from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.world import Exec, Handler, Laws
from aiops_gym.sim.kube_control import controllers, events, kubelet_server
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.software import programs


def laws(exec_: Exec | None = None) -> Laws:
    """The laws of all simulated clusters.

    Args:
        exec_: runs a command inside a container, for exec probes and `kubectl exec`; given by whoever has a shell.
    """
    modules = _modules()
    handlers: dict[str, Handler] = {**runtime.HANDLERS, **traffic.HANDLERS, **events.HANDLERS}
    for module in modules:
        handlers |= getattr(module, "HANDLERS", {})
    observers = [observe for module in modules for observe in getattr(module, "OBSERVERS", ())]
    return Laws(
        controllers=[module.controller for module in modules if hasattr(module, "controller")],
        handlers=handlers,
        observers=[*observers, traffic.observe],
        reactions=[module.react for module in modules if hasattr(module, "react")],
        exec_=exec_,
        programs=programs.find,
        kubelet=kubelet_server.Server(),
    )


@lru_cache(maxsize=1)
def _modules() -> tuple[ModuleType, ...]:
    """The modules of `sim/kube_control/controllers`, in the order of their names."""
    return tuple(_scan(controllers))


def _scan(package: ModuleType) -> Iterator[ModuleType]:
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        yield importlib.import_module(f"{package.__name__}.{info.name}")
