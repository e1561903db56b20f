"""Which problem an episode is about: a function of what the environment was made with and of the episode's seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.errors import ArgumentError
from aiops_gym.sim.kernel.draws import pick


class Choice:
    """The problems that an environment poses.

    Args:
        task: `detection`, ...
        problem: an id, a list of ids of which each is as likely, or None for all of the task and healthy episodes.
        split: says which are drawn when `problem` is None: AIOpsLab's (None), or all of `train` or `test`.
        app: says of which application they are drawn; None for all.
        tier: says how hard they are; None for all but the hard ones.

    Raises:
        ArgumentError: an id, a split or a tier that does not exist, or one of another task.
    """

    def __init__(
        self,
        task: str,
        problem: str | Sequence[str] | None,
        split: str | None,
        app: str | None = None,
        tier: str | None = None,
    ) -> None:
        if problem is not None and not problem:
            raise ArgumentError("the list of problems is empty")
        self.task = task
        self.split, self.app, self.tier = split, app, tier
        self.ids = list_ids(problem)
        for each in self.ids:
            self.find(each)
        if not self.ids:
            registry.problems(task, app, split, tier)
            if app is not None or tier is not None:  # of one application or tier there may be none
                registry.draw(task, 0, split, app, tier)

    @property
    def several(self) -> bool:
        """Whether an episode may be about an incident of tier `hard`."""
        return self.tier == "hard" or any(self.find(each).tier == "hard" for each in self.ids)

    def find(self, problem: str) -> Problem:
        """The problem with an id, which must be one of the task."""
        if not isinstance(problem, str):
            hint = ": pass its `.id`" if isinstance(problem, Problem) else ""
            raise ArgumentError(f"a problem is given by its id, not by {type(problem).__name__}{hint}")
        found = registry.find_problem(problem)
        if found.task != self.task:
            raise ArgumentError(f"{problem} is a problem of {found.task}, and this environment poses {self.task}")
        return found

    def draw(self, seed: int) -> Problem:
        """The problem of the episode with this seed."""
        if not self.ids:
            return registry.draw(self.task, seed, self.split, self.app, self.tier)
        return self.find(self.ids[pick(len(self.ids), seed, "problem") if len(self.ids) > 1 else 0])


def list_ids(problem: str | Iterable[str] | None) -> tuple[str, ...]:
    """The ids that are given: one, several, or none. What can be no id is among them, for `find` to refuse."""
    given = () if problem is None else problem
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
