"""Problems about a running system: one episode each, under the names of the original."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from aiops_gym.adapters.aiopslab.actions import (
    AnalysisActions,
    DetectionActions,
    LocalizationActions,
    MitigationActions,
    TaskActions,
)
from aiops_gym.adapters.aiopslab.responses import InvalidActionError, SubmissionStatus
from aiops_gym.adapters.aiopslab.session import SessionItem
from aiops_gym.catalog.model import App
from aiops_gym.envs.episode import EpisodeEnv
from aiops_gym.envs.tokens import METHOD, count
from aiops_gym.errors import BackendError
from aiops_gym.sessions import Session, Sessions
from aiops_gym.types import Call

Trace = Sequence[SessionItem | Mapping[str, str]]


class Task:
    """One problem. Its episode begins when it is first asked about, with the fault there and users at work.

    Args:
        problem_id: of the catalogue, or of recorded telemetry.
        seed: of the episode, as in `reset(seed=seed)`.
        options: further arguments of the environment.

    Attributes:
        results: of the last `eval`.
    """

    defaults: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, problem_id: str, *, seed: int = 0, **options: Any) -> None:
        self.problem_id, self.seed, self.options = problem_id, seed, {**self.defaults, **options}
        self.results: dict[str, Any] = {}
        self._sessions = Sessions(limit=2, idle=math.inf)  # its own, and one to judge in

    @cached_property
    def session(self) -> Session:
        """The trainer's side of the episode. Raises BackendError where it could not begin."""
        steps = sys.maxsize  # until somebody says how many there are
        opened = self._sessions.create(self.problem_id, seed=self.seed, steps=steps, **self.options)
        if opened.env is None:
            raise BackendError(opened.score().reason)
        return opened

    @property
    def env(self) -> EpisodeEnv[Any]:
        """The environment. Raises BackendError where it is broken or closed."""
        if self.session.env is None:
            raise BackendError(self.session.score().reason or "the episode is closed")
        return self.session.env

    def get_task_description(self) -> str:
        """The system, and what is asked."""
        return self.env.prompt_parts.task

    def get_instructions(self) -> str:
        """How to call an API, and how to submit."""
        return self.env.prompt_parts.instructions

    def get_available_actions(self) -> dict[str, str]:
        """Name -> signature and docstring, sorted."""
        return dict(self.env.prompt_parts.apis)

    def perform_action(self, action_name: str, *args: Any, **kwargs: Any) -> str | SubmissionStatus:
        """Carry out one action, which is a step of the episode. Raises InvalidActionError where there is none such."""
        if action_name not in self.env.tools:
            raise InvalidActionError(action_name)
        return self.perform(Call(action_name, args, kwargs))

    def perform(self, call: Call) -> str | SubmissionStatus:
        """What came of a call."""
        reply = self.session.agent.act(str(call))
        return SubmissionStatus.VALID_SUBMISSION if self.submitted else reply.text

    @property
    def submitted(self) -> bool:
        """Whether an answer was accepted. Raises BackendError where the episode broke."""
        return bool(self.env.last[4]["results"])

    def inject_fault(self) -> None:
        """Nothing: the episode begins with it."""

    def recover_fault(self) -> None:
        """Nothing: each episode has a system of its own."""

    def start_workload(self) -> None:
        """Nothing: users are at work all the time."""

    def close(self) -> None:
        """Forget the episode."""
        self._sessions.close()

    def eval(self, soln: Any, trace: Trace, duration: float) -> dict[str, Any]:
        """What an answer would be worth now; the episode goes on as it was.

        Args:
            soln: as it would be submitted.
            trace: messages, of which steps and tokens are counted.
            duration: seconds that it took.
        """
        (judged,) = self.session.fork()
        judged.agent.act(str(Call("submit", self._arguments(soln))))
        score = judged.score()
        judged.close()
        if score.masked:
            raise BackendError(score.reason)
        found = score.info["results"] or {"success": score.success}
        self.results = {**found, self.env.clock: duration, **self.common_eval(trace)}
        return self.results

    def common_eval(self, trace: Trace) -> dict[str, Any]:
        """Steps and tokens of messages."""
        items = [each if isinstance(each, SessionItem) else SessionItem(**each) for each in trace]
        said = [count(each.content) for each in items if each.role == "assistant"]
        heard = [count(each.content) for each in items if each.role != "assistant"]
        return {"steps": len(said), "in_tokens": sum(heard), "out_tokens": sum(said), "token_method": METHOD}

    def judge(self) -> dict[str, Any]:
        """Results of an episode that ran out of steps, where the environment gives none."""
        return {}

    def _arguments(self, soln: Any) -> tuple[Any, ...]:
        return (soln,)


class LiveTask(Task):
    """A problem about a system that runs."""

    actions_class: ClassVar[type[TaskActions]]
    defaults = {"evaluation": "aiopslab"}  # noqa: RUF012  # declared above

    def __init_subclass__(cls, actions: type[TaskActions]) -> None:
        """A task: its actions."""
        cls.actions_class = actions

    @cached_property
    def actions(self) -> TaskActions:
        """The actions as methods; each call is a step of the episode."""
        return self.actions_class(self)

    @property
    def app(self) -> App:
        """What is running."""
        found: App = self.env.app  # type: ignore[attr-defined]  # of each live environment
        return found

    @property
    def namespace(self) -> str:
        """Where it is running."""
        return self.app.namespace


class DetectionTask(LiveTask, actions=DetectionActions):
    """Is anything wrong?"""


class LocalizationTask(LiveTask, actions=LocalizationActions):
    """Where does the root cause lie?"""


class AnalysisTask(LiveTask, actions=AnalysisActions):
    """Of which kind is it, and on which layer?"""


class MitigationTask(LiveTask, actions=MitigationActions):
    """Is it mended? The system is judged, whatever was submitted."""

    def _arguments(self, soln: Any) -> tuple[Any, ...]:
        return ()


TASKS = {
    each.__name__.removesuffix("Task").lower(): each
    for each in (DetectionTask, LocalizationTask, AnalysisTask, MitigationTask)
}
"""Name of a task -> its problems."""
