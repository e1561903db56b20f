"""What can be run in a container beside its process: the small tools of its image, and those of its programs."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import Tool, find


def tools_of(world: World, key: str) -> Mapping[str, Tool]:
    """Commands that can be run in a container beside its process, by name."""
    c = Container(world, key)
    image = c.image()
    found: dict[str, Tool] = {}
    if image is not None and image.shell:
        found |= {
            name: tool for name, tool in executables.load_commands().items() if executables.has_executable(image, name)
        }
    for binary in image.binaries.values() if image is not None else ():
        found |= find(world, binary.program).tools(c)
    return found
