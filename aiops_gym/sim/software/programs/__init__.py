"""What can run in a container, one kind a file; a kind's name is its module's, and the folder is the registry."""

from __future__ import annotations

from functools import cache

from aiops_gym.errors import BackendError
from aiops_gym.scan import list_modules, scan_one
from aiops_gym.sim.machine.program import Program


@cache
def list_kinds() -> tuple[str, ...]:
    """Names of all kinds, sorted."""
    return list_modules(__name__)


@cache
def find(kind: str) -> Program:
    """The program of a kind. Raises BackendError for one that does not exist."""
    if kind not in list_kinds():
        raise BackendError(f"no program of kind {kind!r}; there are {', '.join(list_kinds())}")
    program: Program = scan_one(__name__, kind, "program")
    return program
