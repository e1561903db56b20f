"""The agent's course: a few questions, then the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from aiops_gym.agents.base import Planned
from aiops_gym.agents.rules import systems
from aiops_gym.agents.rules.calls import judge_calls, judge_minutes
from aiops_gym.agents.rules.indicators import (
    Evidence,
    Knowledge,
    Row,
    judge_deviations,
    judge_operations,
    judge_templates,
)
from aiops_gym.agents.rules.question import Question, parse_table, read
from aiops_gym.agents.rules.verdict import Suspect, answer, choose, rank_suspects
from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock
from aiops_gym.types import Call

SUMMARIES = """make the environment with tools="all" (command line: --env-kwargs '{"tools": "all"}')"""

CLOSE = 240
"""Seconds of a close look."""

DEVIATIONS = ("component", "kpi", "direction", "z", "first", "samples", "before", "during")
CALLS = ("caller", "called", "count", "mean", "mean_before", "p95", "p95_before", "z", "first")
OPERATIONS = ("component", "operation", "count", "z", "first")
TEMPLATES = ("cmdb_id", "template", "z", "first")
"""Columns that are read."""

READ = ("largest_deviations", "slowest_spans")
"""Tools that it cannot do without; where there are logs it asks for their templates too."""

Reader = Callable[[Sequence[Row]], Iterator[Evidence]]


class Rules(Planned):
    """Asks what deviates, which calls are slow and what the logs say, and names who explains most of it."""

    name = "rules"

    def reset(self, prompt: str) -> None:
        """Learn the question.

        Raises:
            CatalogError: it is none about a recorded incident that the agent knows of, or summaries are not offered.
        """
        try:
            question = read(prompt)
        except KeyError:
            raise CatalogError("the agent 'rules' plays recorded incidents only, such as OpenRCABank-v0") from None
        knowledge = systems.find(question.reasons)
        if knowledge is None:
            raise CatalogError("the agent 'rules' knows nothing of this system")
        self.plan = self._play(question, knowledge)

    def _play(self, question: Question, knowledge: Knowledge) -> Iterator[str]:
        """Actions, one at a time; what the last one printed is in `observed` when the next is asked for."""
        window = (clock.show(question.start * 1000), clock.show(question.end * 1000))
        evidence: list[Evidence] = []
        for name, arguments, columns, reader in plan_questions(question, knowledge):
            yield str(Call(name, window, arguments))
            evidence += reader(parse_table(self.observed, columns))
        for suspect in choose(rank_suspects(evidence, knowledge), question.failures):
            if _calls_seen(suspect, evidence, knowledge):
                minutes = (clock.show(suspect.time * 1000), clock.show((suspect.time + CLOSE) * 1000))
                yield str(Call("slowest_spans", minutes, {"by": "call", "component": suspect.component}))
                rows = parse_table(self.observed, CALLS)
                evidence += judge_minutes(rows, knowledge.wires, suspect.component, suspect.time)
        chosen = choose(rank_suspects(evidence, knowledge), question.failures)
        while True:
            yield str(make_submission(answer(chosen, question, knowledge)))


def _calls_seen(suspect: Suspect, evidence: list[Evidence], knowledge: Knowledge) -> bool:
    """Whether it is a network that is suspected, of a component whose calls are recorded."""
    own = (suspect.component, *knowledge.members.get(suspect.component, ()))
    seen = any(each.source == "calls" and each.component in own for each in evidence)
    return seen and any(suspect.reason == wire.reason for wire in knowledge.wires)


def plan_questions(
    question: Question, knowledge: Knowledge
) -> Iterator[tuple[str, dict[str, Any], tuple[str, ...], Reader]]:
    """Tool, arguments, the columns that its table must have, and what reads it."""
    for kpi in knowledge.queries:
        yield "largest_deviations", {"kpi": kpi}, DEVIATIONS, _deviations(question, knowledge)
    if knowledge.wires:
        yield "slowest_spans", {"by": "call"}, CALLS, _calls(question, knowledge)
    if knowledge.failing:
        yield "slowest_spans", {"by": "operation"}, OPERATIONS, _operations(question, knowledge)
    if knowledge.logs and "log_templates" in question.tools:
        yield "log_templates", {}, TEMPLATES, _templates(question, knowledge)


def _deviations(question: Question, knowledge: Knowledge) -> Reader:
    return lambda rows: judge_deviations(rows, knowledge.symptoms, question.components, question.start)


def _calls(question: Question, knowledge: Knowledge) -> Reader:
    return lambda rows: judge_calls(rows, knowledge.wires, question.components, question.start)


def _operations(question: Question, knowledge: Knowledge) -> Reader:
    return lambda rows: judge_operations(rows, knowledge.failing, question.components)


def _templates(question: Question, knowledge: Knowledge) -> Reader:
    return lambda rows: judge_templates(rows, knowledge.logs, question.components)


def make_submission(failures: list[dict[str, Any]]) -> Call:
    """What `submit` is called with."""
    said = [{**each, **({"timestamp": clock.show(each["time"] * 1000)} if "time" in each else {})} for each in failures]
    for each in said:
        each.pop("time", None)
    return Call("submit", (), said[0]) if len(said) == 1 else Call("submit", (_numbered(said),))


def _numbered(said: list[dict[str, Any]]) -> dict[str, Any]:
    names = {
        "component": "root cause component",
        "reason": "root cause reason",
        "timestamp": "root cause occurrence datetime",
    }
    return {str(at): {names[key]: value for key, value in each.items()} for at, each in enumerate(said, 1)}
