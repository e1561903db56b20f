"""Gymnasium environments for incident response: agents that learn to run production systems.

Importing this registers the environment ids; everything heavy is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

from aiops_gym.version import __version__

if TYPE_CHECKING:
    from aiops_gym import errors, shell, testing, tools
    from aiops_gym.catalog.registry import problems
    from aiops_gym.runs import Episode, run_episode

__all__ = ["Episode", "__version__", "errors", "problems", "run_episode", "shell", "testing", "tools"]

STEPS = 30
"""Actions of an episode at most."""

TASKS = ("Analysis", "Detection", "Localization", "Mitigation")

_LAZY = {
    "Episode": "aiops_gym.runs",
    "problems": "aiops_gym.catalog.registry",
    "run_episode": "aiops_gym.runs",
}
_ROOMS = ("errors", "shell", "testing", "tools")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"aiops_gym.{name}")
    raise AttributeError(f"module 'aiops_gym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _register() -> None:
    for task in TASKS:
        name = f"aiops_gym/{task}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="aiops_gym.envs.incident:IncidentEnv",
                max_episode_steps=STEPS,
                kwargs={"task": task.lower()},
            )


_register()
