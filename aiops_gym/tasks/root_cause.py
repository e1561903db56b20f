"""What failed, why, and when?

The criteria are those of OpenRCA's query.csv, and an answer is worth the share of them that it meets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.openrca import answers, scoring
from aiops_gym.openrca.causes import Graph, judge_path
from aiops_gym.openrca.problems import Problem
from aiops_gym.openrca.scoring import KEYS
from aiops_gym.tasks.base import Task, make_results
from aiops_gym.tasks.form import Field, Form
from aiops_gym.types import Verdict


class RootCause(Task[Problem]):
    """A component, a reason and a time for each failure, as far as they are asked for."""

    name = "root_cause"
    clock = "TTR"

    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """A list of dicts, one a failure, as the tool `submit` has made it."""
        return answer

    def judge(self, answer: Any, case: Problem, graph: Graph | None = None) -> Verdict:
        """Points per criterion; success is all of them.

        Args:
            graph: how the failures spread; paths in the answer are compared with it, which is worth nothing.
        """
        found = answers.judge(answer, case.scoring_points)
        keys: dict[str, Any] = {
            "score": found.reward,
            "component_match": found.component_match,
            "reason_match": found.reason_match,
            "time_match": found.time_match,
            "task_index": case.task_index,
            "asked": list(found.asked),
            "passed": list(found.passed),
            "failed": list(found.failed),
            "difficulty": case.difficulty,
            "official_score": found.official,
        }
        paths = [each[answers.PATH] for each in answer if answers.PATH in each] if isinstance(answer, list) else []
        if paths and graph is not None:
            keys["derived"] = judge_path(paths, graph)
        shown = make_results(found.success, self.solution(case), answer, **keys)
        return Verdict(found.reward, found.success, shown, {"criteria": found.reward})

    def nothing(self) -> tuple[Any, ...]:
        """An empty answer."""
        return ()

    def solution(self, case: Problem) -> dict[str, dict[str, str]]:
        """The right answer, with the elements that are asked for, as `submit` takes it."""
        return answers.format_expected(scoring.parse_criteria(case.scoring_points))

    def form(self, case: Problem, candidates: Mapping[str, Sequence[str]]) -> Form:
        """Of each failure the elements that are asked for."""
        wanted = [(row, key) for row in range(1, case.failures + 1) for key in KEYS if ASKED[key] in case.asked]
        fields = []
        for row, key in wanted:
            which = f" of failure {row}" if case.failures > 1 else ""
            ask, choices = f"What is the {key}{which}?", candidates.get(f"{ASKED[key]}s", ())
            if ASKED[key] == "time":
                fields.append(Field(f"{row} {key}", f"{ask} (YYYY-MM-DD HH:MM:SS, in UTC+8)", like=TIME))
            else:
                fields.append(Field(f"{row} {key}", ask, choices))
        return Form(fields, lambda said: ({str(row): _said(said, row) for row in range(1, case.failures + 1)},))


TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"

ASKED = dict(zip(KEYS, ("time", "component", "reason"), strict=True))
"""Key of an answer -> what a question asks for."""


def _said(said: Mapping[str, str], row: int) -> dict[str, str]:
    """One failure's part of what was said."""
    return {key: said[f"{row} {key}"] for key in KEYS if f"{row} {key}" in said}


task = RootCause()
