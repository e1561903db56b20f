"""Is anything wrong?"""

from __future__ import annotations

from typing import Any

from aiops_gym.catalog.model import App
from aiops_gym.tasks.base import Case, IncidentTask, Truth, make_results, refuse
from aiops_gym.tasks.form import Field, Form
from aiops_gym.types import Verdict


class Detection(IncidentTask):
    """Yes or no, case and blanks forgiven."""

    name = "detection"
    clock = "TTD"
    role = "find out whether anything is wrong with a running application."
    ask = (
        "Look at the application and decide whether there is an anomaly in it.\n"
        'Submit "Yes" if there is one, and "No" if the application is healthy.'
    )
    answers = (('submit("Yes")', "there is an anomaly"), ('submit("No")', "there is none"))

    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """Any text; AIOpsLab ends the episode on anything."""
        if isinstance(answer, str) or evaluation == "aiopslab":
            return answer
        raise refuse('submit("Yes") or submit("No") is expected', answer)

    def judge(self, answer: Any, case: Case) -> Verdict:
        """1 or 0."""
        (expected,) = self.solution(case.truth)
        right = isinstance(answer, str) and answer.strip().lower() == expected.lower()
        grade = "Correct" if right else "Incorrect" if isinstance(answer, str) else "Invalid Format"
        reward = float(right)
        parts = {"answer": reward}
        return Verdict(reward, right, make_results(right, expected, answer, **{"Detection Accuracy": grade}), parts)

    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """One word."""
        return ("No" if truth.healthy else "Yes",)

    def form(self, app: App) -> Form:
        """One word."""
        asked = Field("answer", "Is there an anomaly in the application? (yes or no)", ("Yes", "No"))
        return Form((asked,), lambda said: (said["answer"],))


task = Detection()
