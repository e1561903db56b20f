"""The problems by id."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from aiops_gym.adapters.aiopslab.tasks import TASKS, LiveTask, Task
from aiops_gym.catalog import registry
from aiops_gym.errors import CatalogError

P = TypeVar("P", bound=Task)


class Registry(dict[str, Callable[..., P]]):
    """Id -> what makes the problem."""

    def get_problem(self, problem_id: str) -> Callable[..., P] | None:
        """What makes the problem, None where there is none."""
        return self.get(problem_id)

    def get_problem_instance(self, problem_id: str, **options: Any) -> P:
        """A new episode of a problem. Raises ValueError where there is no such id."""
        if (make := self.get_problem(problem_id)) is None:
            raise ValueError(f"Problem ID {problem_id} not found in registry.")
        return make(**options)

    def get_problem_ids(self, task_type: str | None = None) -> list[str]:
        """Those that have the name of a task, or whatever is asked for, in their id; all of them without it."""
        return [each for each in self if (task_type or "") in each]

    def get_problem_count(self, task_type: str | None = None) -> int:
        """How many these are."""
        return len(self.get_problem_ids(task_type))


class ProblemRegistry(Registry[LiveTask]):
    """Lists the problems of AIOpsLab that there are here, and makes these and all others of the catalogue.

    Args:
        options: given to each problem: `seed`, and further arguments of the environment.

    Attributes:
        PROBLEM_REGISTRY: the same mapping, under the name by which programs go through it.

    >>> known = ProblemRegistry()
    >>> known.get_problem_count(), known.get_problem_count("mitigation"), known.get_problem("no such")
    (89, 14, None)
    """

    def __init__(self, **options: Any) -> None:
        self.options, self.PROBLEM_REGISTRY = options, self
        listed = {p.id: p.task for p in registry.problems() if p.registered_upstream}
        super().__init__({id_: partial(TASKS[task], id_, **options) for id_, task in listed.items()})

    def get_problem(self, problem_id: str) -> Callable[..., LiveTask] | None:
        """What makes the problem, listed or not; None where there is none."""
        try:
            found = registry.find_problem(problem_id)
        except CatalogError:
            return None
        return partial(TASKS[found.task], found.id, **self.options) if found.task in TASKS else None

    def get_problem_deployment(self, problem_id: str) -> str:
        """What the application of a problem runs on: Kubernetes, but for those that are a project of Docker."""
        known = self.get_problem(problem_id) is not None
        return "docker" if known and registry.find_app(registry.find_problem(problem_id).app).project else "k8s"
