"""One incident as it is on call: a page, looks, a repair, and a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import isfinite
from typing import Any

from aiops_gym.backends.base import Paged
from aiops_gym.catalog.model import INCIDENT
from aiops_gym.envs.episode import whole
from aiops_gym.envs.live import FIX_SECONDS, LOOKS, LiveEnv
from aiops_gym.envs.page import print_page
from aiops_gym.envs.parts import PromptParts
from aiops_gym.envs.seam import Incident
from aiops_gym.envs.state import State
from aiops_gym.errors import ArgumentError, ToolError
from aiops_gym.ids import INCIDENT_STEPS
from aiops_gym.tasks.base import NO_ANSWER, find
from aiops_gym.tasks.incident import LIMIT, REPORT, Page, check_weights, list_causes, trace, write_diagnosis
from aiops_gym.tasks.stages import Handled
from aiops_gym.types import Call, Result, Verdict

HARM_LIMIT = 45.0
"""Minutes of failing requests since the page after which somebody else takes over."""

OUT_OF = "You have no {} left, and somebody else takes over. The episode is over."

CLOSED = "The incident is resolved already, and what was judged stays judged. Write the report."


class IncidentEnv(LiveEnv):
    """An application runs in a cluster, a page was sent, and something may be wrong with it.

    ## Action Space
    Text with exactly one fenced block that holds exactly one API call, such as `exec_shell("kubectl get pods -A")`.
    A text that is none is answered with the reason; it never raises.

    ## Observation Space
    Text: the whole prompt with the page after `reset`, then what the call printed.

    ## Rewards
    0 until the end, then the weighted stages, from 0 to 1.

    ## Starting State
    The moment at which the page is sent: when an alert fires that did not fire before, some minutes after the
    beginning; or, where none does within eleven minutes, when a user complains. In a healthy episode there was an
    incident that somebody has mended by then.

    ## Episode End
    Terminated by `report` or `no_incident`, or with the score as it stands when a limit is reached. Truncated by
    Gymnasium's TimeLimit alone, and graded then too.

    ## Arguments
    `problem` is an id, a list of ids or None for all, `split` is None, "train" or "test", `app` is None or the
    application that problems are drawn of, `tier` is None, "basic", "standard" or "hard". `backend`, `context`,
    `noise`, `observation_limit`, `log_dedup`, `action_format`, `allow_collateral` and `budget` are as in Mitigation;
    `evaluation` is "strict". `tools` is "all", or "basic" for the tools of AIOpsLab. `weights` are those of the stages,
    `detection`, `path`, `repair`, `harm` and `time`; they are divided by their sum. `steps` is the number of actions,
    `time_limit` seconds of the cluster's time, and `harm_limit` minutes of failing requests, after which the episode
    ends.

    ## Version History
    v0: first version.
    """

    def __init__(
        self,
        problem: str | Sequence[str] | None = None,
        split: str | None = None,
        backend: str = "simulated",
        context: str | None = None,
        noise: bool = True,
        observation_limit: int = 16_000,
        log_dedup: int = 5,
        action_format: str = "tolerant",
        evaluation: str = "strict",
        render_mode: str | None = None,
        app: str | None = None,
        allow_collateral: int = 0,
        tools: str = "all",
        budget: int | None = None,
        weights: Mapping[str, float] | None = None,
        steps: int = INCIDENT_STEPS,
        time_limit: float = LIMIT,
        harm_limit: float = HARM_LIMIT,
        tier: str | None = None,
    ) -> None:
        if evaluation == "aiopslab":
            raise ArgumentError("AIOpsLab poses no incident from the page to the report: evaluation is 'strict'")
        super().__init__(
            task=INCIDENT,
            problem=problem,
            split=split,
            backend=backend,
            context=context,
            noise=noise,
            observation_limit=observation_limit,
            log_dedup=log_dedup,
            action_format=action_format,
            evaluation=evaluation,
            render_mode=render_mode,
            app=app,
            allow_collateral=allow_collateral,
            tools=tools,
            budget=budget,
            tier=tier,
        )
        self.weights = check_weights(weights)
        self.steps = whole("steps", steps, 1)
        self.time_limit, self.harm_limit = _more("time_limit", time_limit), _more("harm_limit", harm_limit)

    def reference_actions(self) -> list[str]:
        """Action texts that solve the current episode, for tests and demonstrations."""
        state, backend = self._running()
        case = self._case(state, backend)
        looks = case.fault.looks if case.fault else LOOKS
        calls = [Call("exec_shell", (command.replace("{namespace}", backend.app.namespace),)) for command in looks]
        if case.fault is None:
            return [str(call) for call in (*calls, Call("no_incident"))]
        said = write_diagnosis(list_causes(case), trace(case))
        repair = Call("exec_shell", (case.fault.fixes[0], FIX_SECONDS))
        calls = [Call("acknowledge"), *calls, Call("diagnose", tuple(said.values())), repair]
        return [str(call) for call in (*calls, Call("resolve"), Call("report", (REPORT,)))]

    def explanation(self) -> dict[str, str]:
        """For whoever has finished the episode: the `fault`, the right `answer` and a `repair`, "" for none."""
        case = self._case(*self._running())
        if case.fault is None:
            return {**super().explanation(), "answer": Call("no_incident").line}
        said = write_diagnosis(list_causes(case), trace(case))
        return {**super().explanation(), "answer": Call("diagnose", tuple(said.values())).line}

    def _parts(self, problem: str, backend: Incident) -> PromptParts:
        told = super()._parts(problem, backend)
        assert isinstance(backend, Paged)
        return replace(told, task=f"{told.task}\n\n{print_page(backend.page)}")

    def _call(self, action: Any, backend: Incident) -> tuple[str, Result]:
        """As anywhere; what is said of the incident is remembered."""
        tool, result = super()._call(action, backend)
        state, _ = self._running()
        handled = Handled.from_json(state.handled)
        if result.answer is not None and not result.final:
            try:
                handled = self._say(handled, tool, result.answer, backend)
            except ToolError as error:
                return tool, Result(str(error), error.code)
        elif tool and self.tools[tool].kind != "read" and not result.final:
            handled = replace(handled, after=handled.resolved is not None)
        state.handled = handled.to_json()
        return tool, result

    def _say(self, handled: Handled, call: str, answer: Mapping[str, Any], backend: Incident) -> Handled:
        if handled.resolved is not None and call == "resolve":
            raise ToolError(CLOSED, "arguments")
        said = handled.say(round(backend.now() - backend.began, 3), call, answer)
        return replace(said, left=backend.assess()) if call == "resolve" else said

    def _ends(self, state: State, backend: Incident) -> str:
        assert isinstance(backend, Paged)
        spent = {
            "actions": state.step >= self.steps,
            "time": state.time >= self.time_limit,
            "trust of your users": backend.count_minutes() >= self.harm_limit,
        }
        return next((OUT_OF.format(what) for what, is_spent in spent.items() if is_spent), "")

    def _judge(self, answer: Any, state: State, backend: Incident) -> Verdict:
        closed = dict(answer) if answer is not NO_ANSWER else {}
        handled = replace(Handled.from_json(state.handled), **closed)
        given = {each.name: getattr(handled, each.name) for each in fields(Handled)}
        page = Page(**given, limit=self.time_limit, weights=self.weights)
        return find(self.task).judge(page, self._case(state, backend))

    def _judge_unsubmitted(self, state: State, backend: Incident) -> Verdict | None:
        """An incident is graded as it stands, whatever ends the episode."""
        return self._judge(NO_ANSWER, state, backend)


def _more(what: str, value: float) -> float:
    """A number above 0. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
        raise ValueError(f"{what} must be a number above 0, not {value!r}")
    return float(value)
