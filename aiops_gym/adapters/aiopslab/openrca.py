"""Problems about recorded telemetry, under the names of the plan for OpenRCA."""

from __future__ import annotations

import os
from functools import cached_property, partial
from typing import Any, ClassVar, Self

from aiops_gym.adapters.aiopslab.actions import BankActions, MarketActions, RecordedActions, TelecomActions
from aiops_gym.adapters.aiopslab.registry import Registry
from aiops_gym.adapters.aiopslab.tasks import Task, Trace
from aiops_gym.errors import ArgumentError, ToolError
from aiops_gym.openrca import problems_from_query_csv
from aiops_gym.openrca.answers import normalise
from aiops_gym.openrca.dataset import BankDataset, Dataset, MarketDataset, TelecomDataset
from aiops_gym.openrca.queries import TASKS
from aiops_gym.tasks import root_cause
from aiops_gym.tasks.base import NO_ANSWER

Root = str | os.PathLike[str] | None

TASK_EVAL_FIELDS = {task: list(fields) for task, fields in TASKS.items()}
"""What each task is judged by."""


class RCAProblem(Task):
    """One row of a query.csv.

    Args:
        row_id: number of the row, from 0.
        cloudbed: of the market, `cloudbed-1` or `cloudbed-2`.
        root: folder of the data set, as in `gymnasium.make`.
        options: `seed`, and further arguments of the environment.

    Attributes:
        instruction: the question.
        scoring_points: the criteria, for the trainer only.
        task_index: `task_1` to `task_7`.

    Raises:
        ArgumentError: there is no such row.
    """

    CANDIDATE_COMPONENTS: ClassVar[list[str]]
    CANDIDATE_REASONS: ClassVar[list[str]]
    dataset_class: ClassVar[type[Dataset]]
    actions_class: ClassVar[type[RecordedActions]]
    cloudbed = ""

    def __init_subclass__(cls, dataset: type[Dataset], actions: type[RecordedActions]) -> None:
        """A domain: its tables, and its actions."""
        cls.dataset_class, cls.actions_class = dataset, actions
        cls.CANDIDATE_COMPONENTS, cls.CANDIDATE_REASONS = list(dataset.domain.components), list(dataset.domain.reasons)

    def __init__(self, row_id: int, cloudbed: str = "", root: Root = None, **options: Any) -> None:
        self.cloudbed, self.root = cloudbed or self.cloudbed, root
        where = "/".join(filter(None, (self.dataset_class.domain.title, self.cloudbed)))
        found = {each.row: each for each in problems_from_query_csv(where, root)}
        if row_id not in found:
            raise ArgumentError(f"no row {row_id!r}: {where} has the rows 0 to {len(found) - 1}")
        self.question = question = found[row_id]
        self.instruction, self.scoring_points = question.instruction, question.scoring_points
        self.task_index = question.task_index
        super().__init__(question.id, root=root, **options)

    @cached_property
    def dataset(self) -> Dataset:
        """The telemetry as tables, labels too."""
        where: dict[str, Any] = {"cloudbed": self.cloudbed} if self.cloudbed else {}
        return self.dataset_class(root=self.root, **where)

    @cached_property
    def actions(self) -> RecordedActions:
        """The actions as methods; each call is a step of the episode."""
        return self.actions_class(self)

    def eval(self, soln: Any, trace: Trace, duration: float) -> dict[str, Any]:
        """What an answer is worth; without one that can be read, nothing. See `Task.eval`."""
        try:
            answer: Any = normalise((soln,), {})
        except ToolError:
            answer = NO_ANSWER
        self.results = {root_cause.task.clock: duration, **self.common_eval(trace), **self.judge(answer)}
        return self.results

    def judge(self, answer: Any = NO_ANSWER) -> dict[str, Any]:
        """Results of an answer in its one form; without one nothing is met."""
        return dict(root_cause.task.judge(answer, self.question).results)


class BankRCAProblem(RCAProblem, dataset=BankDataset, actions=BankActions):
    """A question about the bank."""


class MarketRCAProblem(RCAProblem, dataset=MarketDataset, actions=MarketActions):
    """A question about one of the clusters of the market, the first unless the other is named."""

    cloudbed = "cloudbed-1"


class TelecomRCAProblem(RCAProblem, dataset=TelecomDataset, actions=TelecomActions):
    """A question about the telecom operator."""


CLASSES = {each.dataset_class.domain.name: each for each in (BankRCAProblem, MarketRCAProblem, TelecomRCAProblem)}


class OpenRCAProblemRegistry(Registry[RCAProblem]):
    """The questions of a file.

    >>> known = OpenRCAProblemRegistry.from_query_csv("Bank")
    >>> known.get_problem_instance(known.get_problem_ids("task_7")[0]).task_index
    'task_7'
    """

    @classmethod
    def from_query_csv(cls, domain: str, root: Root = None) -> Self:
        """All questions of a domain, such as `Bank` or `Market/cloudbed-2`; `Market` has those of both cloudbeds."""
        found = problems_from_query_csv(domain, root)
        return cls({each.id: partial(CLASSES[each.domain], each.row, each.cloudbed, root) for each in found})
