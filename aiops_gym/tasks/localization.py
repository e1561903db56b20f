"""Where does the root cause lie?"""

from __future__ import annotations

from typing import Any

from aiops_gym.catalog.model import App, Problem
from aiops_gym.tasks.base import Case, IncidentTask, Truth, make_results, refuse
from aiops_gym.tasks.form import NOTHING, Field, Form
from aiops_gym.types import Verdict


class Localization(IncidentTask):
    """Names of components: all of the point for exactly the right one, 1/n when it is among n.

    Of several the point is shared by all that are faulty or named: for those that are both.
    """

    name = "localization"
    clock = "TTL"
    names_components = True
    role = "find the component of a running application in which a fault has its root cause."
    ask = (
        "Find out where the root cause lies and submit the names of the faulty components as a list.\n"
        "Naming more components than are faulty lowers the score. Submit an empty list if nothing is wrong."
    )
    answers = (
        ('submit(["component-a", "component-b"])', "placeholders, not names of this application"),
        ("submit([])", "nothing is wrong"),
    )
    placeholders = ("component-a", "component-b")

    def brief(self, problem: Problem, app: App) -> str:
        """With the names that an answer may hold."""
        return f"{super().brief(problem, app)}\nThe components are: {', '.join(app.components)}."

    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """A list of names; one name counts as a list of it, None as an empty list."""
        if evaluation == "aiopslab":
            return answer
        if isinstance(answer, str):
            return [answer]
        if answer is None:
            return []
        if isinstance(answer, list) and all(isinstance(name, str) for name in answer):
            return answer
        raise refuse('a list of component names is expected, such as submit(["component-a"]), or submit([])', answer)

    def judge(self, answer: Any, case: Case) -> Verdict:
        """1 for the exact set, 1/n when the target is among n names, else 0; of several their share of all names."""
        score, success, among = (
            _upstream(answer, case.truth) if case.evaluation == "aiopslab" else _strict(answer, case.truth)
        )
        (expected,) = self.solution(case.truth)
        keys = {"Localization Accuracy": 100.0 * score, "is_subset": among}
        return Verdict(score, success, make_results(success, expected, answer, **keys), {"answer": score})

    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """A list of names, each once: of one, or of none, but in an incident of several faults."""
        return (list(dict.fromkeys(each.target for each in truth.located)),)

    def form(self, app: App) -> Form:
        """Names, or `nothing`."""
        ask = f"Which components are faulty? (names with blanks between them, or {NOTHING})"
        return Form((Field("names", ask, app.components, many=True),), lambda said: (said["names"],))


def _strict(answer: list[str], truth: Truth) -> tuple[float, bool, bool]:
    """Case and blanks forgiven; all names of the target count as one."""
    faulty = {each.target.lower() for each in truth.located}
    also = ((name.lower(), each.target.lower()) for each in truth.located for name in each.aliases)
    same = {name: target for name, target in also if name not in faulty}  # in an incident of several it may be one
    named = {name.strip().lower() for name in answer}
    named = {same.get(name, name) for name in named}
    if truth.healthy:
        return float(not named), not named, not named
    score = len(named & faulty) / len(named | faulty)
    return score, score == 1.0, faulty <= named


def _upstream(answer: Any, truth: Truth) -> tuple[float, bool, bool]:
    """The best over the accepted names, each graded on its own, as AIOpsLab does."""
    if truth.healthy:
        exact = _names(answer) == []
        return float(exact), exact, exact
    if len(truth.located) > 1 and sorted(map(repr, _names(answer))) == sorted(repr(t.target) for t in truth.located):
        return 1.0, True, True
    return max(_grade(answer, name) for each in truth.located for name in (each.target, *each.aliases))


def _grade(answer: Any, faulty: str) -> tuple[float, bool, bool]:
    exact = answer == faulty if isinstance(answer, str) else _names(answer) == [faulty]
    # A text is a set of letters there, so that the bare right name is exact and yet no superset.
    members: list[Any] = list(answer) if isinstance(answer, str) else _names(answer)
    among = faulty in members
    score = 1.0 if exact else 1.0 / len(members) if among else 0.0
    return score, exact or (among and len(members) == 1), among


def _names(answer: Any) -> list[Any]:
    if isinstance(answer, dict):
        return list(answer)
    return answer if isinstance(answer, list) else [answer]


task = Localization()
