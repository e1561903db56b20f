"""Gymnasium environments for incident response: agents that learn to run production systems.

Importing this registers the environment ids; everything heavy is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import WrapperSpec

from aiops_gym.ids import INCIDENT, INCIDENT_STEPS, RECORDED, STEPS, TASKS
from aiops_gym.version import __version__

if TYPE_CHECKING:
    from aiops_gym import errors, openrca, sessions, shell, testing, tools
    from aiops_gym.catalog.registry import problems
    from aiops_gym.runs import Episode, run_episode

__all__ = [
    "Episode",
    "__version__",
    "errors",
    "openrca",
    "problems",
    "run_episode",
    "sessions",
    "shell",
    "testing",
    "tools",
]

_GRADED = WrapperSpec("GradedAtLimit", "aiops_gym.envs.limit:GradedAtLimit", {})

_LAZY = {
    "Episode": "aiops_gym.runs",
    "problems": "aiops_gym.catalog.registry",
    "run_episode": "aiops_gym.runs",
}
_ROOMS = ("errors", "openrca", "sessions", "shell", "testing", "tools")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"aiops_gym.{name}")
    raise AttributeError(f"module 'aiops_gym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _register(name: str, entry_point: str, kwargs: dict[str, Any], steps: int = STEPS) -> None:
    id_ = f"aiops_gym/{name}-v0"
    if id_ not in gymnasium.registry:
        gymnasium.register(
            id_, entry_point=entry_point, max_episode_steps=steps, additional_wrappers=(_GRADED,), kwargs=kwargs
        )


for _task in TASKS:
    _register(_task, "aiops_gym.envs.live:LiveEnv", {"task": _task.lower()})
_register(INCIDENT, "aiops_gym.envs.incident:IncidentEnv", {}, INCIDENT_STEPS + 1)  # it ends by itself before
for _name, _kwargs in RECORDED.items():
    _register(_name, "aiops_gym.envs.recorded:RecordedEnv", _kwargs)
