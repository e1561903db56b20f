"""The commands of the sandbox that are ours, one a file; the folder is the registry."""

from __future__ import annotations

from aiops_gym.clients.context import CommandModule
from aiops_gym.scan import scan


def _found() -> dict[str, CommandModule]:
    others = scan(__name__, "NAMES")
    return {name: run for module, run in scan(__name__, "run").items() for name in others.get(module, (module,))}


COMMANDS = _found()
