"""Agents that look once and answer: what a question is worth that one call solves.

Each rule reads the first rows of one table: the component that the row names, the time that it says, and the reason
that a list of measurements tells, or the most frequent one where the row has no measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aiops_gym.agents.base import Agent, Env
from aiops_gym.agents.rules import NEEDS
from aiops_gym.agents.rules import make as make_rules
from aiops_gym.agents.rules.indicators import Knowledge, Row, find_candidate, judge_deviations
from aiops_gym.agents.rules.player import Rules, make_submission
from aiops_gym.agents.rules.question import Question, parse_table
from aiops_gym.agents.rules.verdict import Suspect, answer
from aiops_gym.errors import ArgumentError
from aiops_gym.openrca import clock
from aiops_gym.types import Call

__all__ = ["NEEDS", "RULES", "make"]


class Rule(NamedTuple):
    """One look.

    Attributes:
        columns: of its table that may name the component.
        telling: only rows that a reason's list knows count.
    """

    tool: str
    arguments: Mapping[str, Any]
    columns: tuple[str, ...] = ("component",)
    telling: bool = False


RULES = {
    "deviations": Rule("largest_deviations", {}),
    "telling deviations": Rule("largest_deviations", {}, telling=True),
    "slow components": Rule("slowest_spans", {"by": "component"}),
    "slow calls": Rule("slowest_spans", {"by": "call"}, ("called", "caller")),
    "own time": Rule("slowest_spans", {"by": "own"}),
    "log templates": Rule("log_templates", {}, ("cmdb_id",)),
}
"""Every summary's top row."""


def make(env: Env, seed: int = 0, rule: str = "deviations") -> Agent:
    """Looks once.

    Args:
        rule: one of `RULES`.

    Raises:
        ArgumentError: no such rule, or the environment does not offer summaries.
    """
    if rule not in RULES:
        raise ArgumentError(f"no rule {rule!r}; there are: {', '.join(RULES)}")
    make_rules(env, seed)
    return OneCall(RULES[rule])


class OneCall(Rules):
    """Answers with the first rows of one table."""

    name = "one_call"

    def __init__(self, rule: Rule) -> None:
        super().__init__()
        self.rule = rule

    def _play(self, question: Question, knowledge: Knowledge) -> Iterator[str]:
        rows: list[dict[str, str]] = []
        if self.rule.tool in question.tools:
            window = (clock.show(question.start * 1000), clock.show(question.end * 1000))
            yield str(Call(self.rule.tool, window, self.rule.arguments))
            rows = parse_table(self.observed, self.rule.columns)
        found: dict[str, Suspect] = {}
        for row in rows:
            suspect = self._suspect(row, question, knowledge)
            if suspect is not None:
                found.setdefault(suspect.component, suspect)
        while True:
            yield str(make_submission(answer(list(found.values()), question, knowledge)))

    def _suspect(self, row: Row, question: Question, knowledge: Knowledge) -> Suspect | None:
        named = (find_candidate(row[column], question.components) for column in self.rule.columns)
        component = next((each for each in named if each is not None), None)
        if component is None or not row.get("first"):
            return None
        time = clock.parse(row["first"]) // 1000
        reason = knowledge.symptoms[0].reason
        if self.rule.tool == "largest_deviations":
            told = max(
                judge_deviations([row], knowledge.symptoms, question.components, 0), key=lambda e: e.score, default=None
            )
            if told is None and self.rule.telling:
                return None
            reason = reason if told is None else told.reason
        return Suspect(component, reason, time, 1.0)
