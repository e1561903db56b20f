"""What can run in a container, one kind a file; a kind's name is its module's, and the folder is the registry."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from aiops_gym.errors import BackendError
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import Program, Tool

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World


@cache
def kinds() -> tuple[str, ...]:
    """Names of all kinds, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def find(kind: str) -> Program:
    """The program of a kind. Raises BackendError for one that does not exist."""
    if kind not in kinds():
        raise BackendError(f"no program of kind {kind!r}; there are {', '.join(kinds())}")
    program: Program = importlib.import_module(f"{__name__}.{kind}").program
    return program


def program_of(process: Mapping[str, Any]) -> Program:
    """The program that a row of table `processes` runs."""
    return find(process["program"])


def tools_of(world: World, key: str) -> Mapping[str, Tool]:
    """Commands that can be run in a container beside its process, by name: small tools of its image, and programs'."""
    c = Container(world, key)
    image = c.image()
    found: dict[str, Tool] = {}
    if image is not None and image.shell:
        found |= {name: tool for name, tool in executables.commands().items() if executables.has(image, name)}
    for binary in image.binaries.values() if image is not None else ():
        found |= find(binary.program).tools(c)
    return found
