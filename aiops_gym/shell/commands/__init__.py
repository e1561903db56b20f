"""The commands of the sandbox that are ours, one a file; the folder is the registry."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from aiops_gym.clients.context import CommandModule


def _found() -> dict[str, CommandModule]:
    commands: dict[str, CommandModule] = {}
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        loaded = import_module(f"{__name__}.{module.name}")
        if hasattr(loaded, "run"):
            for name in getattr(loaded, "NAMES", (module.name,)):
                commands[name] = loaded.run
    return commands


COMMANDS = _found()
