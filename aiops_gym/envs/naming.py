"""Which environment plays a problem, or a task."""

from __future__ import annotations

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import POSED, TASKS
from aiops_gym.errors import ArgumentError, unknown
from aiops_gym.ids import RECORDED
from aiops_gym.openrca.problems import system_of

RECORDED_TASKS = {f"openrca_{kwargs['domain']}": f"aiops_gym/{name}-v0" for name, kwargs in RECORDED.items()}
"""Those over recorded telemetry."""

ENVS = {**{task: f"aiops_gym/{task.capitalize()}-v0" for task in POSED}, **RECORDED_TASKS}
"""Task as it is asked for -> environment."""


def find_env(problem: str | None = None, task: str | None = None) -> str:
    """Id of the environment of a problem, or of a task whose problems are drawn; of detection where neither is given.

    Raises:
        ArgumentError: there is no such problem or task, or the problem is one of another task.

    >>> find_env("auth_miss_mongodb-mitigation-1"), find_env("Bank-task_7-0"), find_env(task="localization")
    ('aiops_gym/Mitigation-v0', 'aiops_gym/OpenRCABank-v0', 'aiops_gym/Localization-v0')
    """
    task = task.lower() if task else None
    if problem is None:
        found = task or TASKS[0]
    else:
        system = system_of(problem)
        found = f"openrca_{system[0].name}" if system else registry.find_problem(problem).task
        if task not in (None, found):
            raise ArgumentError(f"{problem} is a problem of {found}, not of {task}")
    if found not in ENVS:
        raise unknown("task", found, ENVS)
    return ENVS[found]
