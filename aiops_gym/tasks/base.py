"""What a task is: what is asked, which answers count as answers, and what they are worth.

A module of this folder with an attribute `task` is a task; the module's name is the task's name. Most are posed about
live incidents, one about recorded telemetry.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aiops_gym.catalog.model import App, Fault, Problem
from aiops_gym.errors import ToolError, unknown
from aiops_gym.scan import scan
from aiops_gym.tasks.form import Form
from aiops_gym.types import Call, Verdict

if TYPE_CHECKING:
    from aiops_gym.backends.base import Backend

C = TypeVar("C")
"""What a judge may look at."""

NO_ANSWER: Any = object()
"""In place of an answer where none was given: unlike None, it says nothing, and so it is right nowhere."""

EVALUATIONS = ("strict", "aiopslab")
"""`strict` mends the defects of the original; `aiopslab` gives its verdicts, odd cases included."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is the case, derived from what was injected.

    Attributes:
        target: the component that is hit, "" in a healthy episode.
        aliases: other names that count as the target.
        layer: Analysis' `system_level`.
        kind: Analysis' `fault_type`.
        also_accept: further (layer, kind) labels that earn the points in strict mode.
        healthy: nothing was injected.
        others: what else is wrong.
        places: of one that lies in several components at once, a truth for each of them.
    """

    target: str = ""
    aliases: tuple[str, ...] = ()
    layer: str = ""
    kind: str = ""
    also_accept: tuple[tuple[str, str], ...] = ()
    healthy: bool = False
    others: tuple[Truth, ...] = ()
    places: tuple[Truth, ...] = ()

    @property
    def located(self) -> tuple[Truth, ...]:
        """All components in which something is wrong, in the order in which it befell them."""
        return tuple(place for each in self.each for place in (each.places or (each,)))

    @property
    def each(self) -> tuple[Truth, ...]:
        """All that is wrong, in the order in which it befell."""
        return () if self.healthy else (self, *self.others)


@dataclass(frozen=True, slots=True)
class Case:
    """All that a judge may look at: the question, the truth, and the system as the agent left it.

    Attributes:
        fault: None in a healthy episode.
        evaluation: `strict` or `aiopslab`.
        allow_collateral: how much a repair may change beside the point, see `tasks.mitigation`.
    """

    problem: Problem
    fault: Fault | None
    truth: Truth
    backend: Backend
    evaluation: str = "strict"
    allow_collateral: int = 0


def find_truth(problem: Problem, fault: Fault | None, app: App) -> Truth:
    """The right answers to a problem."""
    if fault is None:
        return Truth(healthy=True)
    found = []
    for (_, target), part in zip(problem.causes, fault.each, strict=True):
        places = tuple(Truth(place, _find_aliases(app, place)) for place in part.places)
        labels = (part.layer, part.kind, part.also_accept)
        found.append(Truth(target, _find_aliases(app, target), *labels, places=places))
    return replace(found[0], others=tuple(found[1:]))


def _find_aliases(app: App, component: str) -> tuple[str, ...]:
    """Other names that count as a component's."""
    alias = app.parameters.get(component, {}).get("alias")
    return (alias,) if alias else ()


class Task(ABC, Generic[C]):
    """Something that is asked, and a judge of the answers.

    Attributes:
        name: `detection`.
        clock: name of the time in the results, `TTD`.
    """

    name: str
    clock: str

    @abstractmethod
    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """The answer in its one form, JSON data.

        Raises:
            ToolError: with code `submission`, when it is no answer; the episode goes on.
        """

    @abstractmethod
    def judge(self, answer: Any, case: C) -> Verdict:
        """What an accepted answer is worth, or `NO_ANSWER`. Never raises on an answer."""

    @abstractmethod
    def nothing(self) -> tuple[Any, ...]:
        """The arguments of the `submit` that says that nothing is wrong, or nothing at all."""

    def deny(self) -> Call:
        """The call that says that nothing is wrong, and ends the episode."""
        return Call("submit", self.nothing())


class IncidentTask(Task[Case]):
    """One of the questions that a live incident can be posed as.

    Attributes:
        role: what the agent is there to do, after "You are an experienced site reliability engineer. Your job is to".
        ask: what to submit.
        answers: calls that submit, with what each says.
        placeholders: words in `answers` that stand for others.
        repairs: whether the system is to be changed before the answer.
        names_components: whether an answer holds names of components.
        lead: what stands before the answers in the prompt.
        rule: what stands behind them.
    """

    role: str
    ask: str
    answers: tuple[tuple[str, str], ...]
    placeholders: tuple[str, ...] = ()
    repairs: bool = False
    names_components: bool = False
    lead: str = "When you are done, submit your answer:"
    rule: str = "A submission ends the episode, right or wrong."

    def brief(self, problem: Problem, app: App) -> str:
        """What the agent is told of the system and of its task."""
        operations = "\n".join(f"- {line}" for line in app.supported)
        return (
            f"You are an experienced site reliability engineer. Your job is to {self.role}\n\n"
            f"Service Details:\n"
            f"Service Name: {app.title}\n"
            f"Namespace: {app.namespace}\n"
            f"Description: {app.description}\n"
            f"Supported Operations:\n{operations}\n\n"
            f"{self.ask}"
        )

    def nothing(self) -> tuple[Any, ...]:
        """What is right where nothing is wrong."""
        return self.solution(Truth(healthy=True))

    @abstractmethod
    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """The arguments of the `submit` that is right."""

    @abstractmethod
    def form(self, app: App) -> Form:
        """What a person is asked for who submits."""


def refuse(expected: str, got: Any) -> ToolError:
    """What to raise for an answer that is none."""
    return ToolError(f"Invalid submission: {type(got).__name__} given, {expected}. The episode goes on.", "submission")


def make_results(success: bool, expected: Any, submitted: Any, **keys: Any) -> Mapping[str, Any]:
    """The results of a verdict: AIOpsLab's keys, and both answers as JSON text, "" for one that was not given."""
    given = "" if submitted is NO_ANSWER else json.dumps(submitted, ensure_ascii=False, sort_keys=True, default=str)
    return {
        **keys,
        "success": success,
        "expected": json.dumps(expected, ensure_ascii=False, sort_keys=True),
        "submitted": given,
    }


@cache
def list_tasks() -> tuple[str, ...]:
    """The tasks that a live incident can be posed as, sorted."""
    return tuple(sorted(name for name, each in _tasks().items() if isinstance(each, IncidentTask)))


@cache
def find(name: str) -> IncidentTask:
    """The task of this name, of those that a live incident can be posed as.

    Raises:
        ArgumentError: there is none.
    """
    if name not in list_tasks():
        raise unknown("task", name, list_tasks())
    task = _tasks()[name]
    assert isinstance(task, IncidentTask)
    return task


def load(name: str) -> Task[Any]:
    """The task of this name, whatever it is posed about. Raises ArgumentError."""
    if name not in _tasks():
        raise unknown("task", name, _tasks())
    return _tasks()[name]


@cache
def _tasks() -> Mapping[str, Task[Any]]:
    return scan("aiops_gym.tasks", "task")
