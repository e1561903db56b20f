"""On which layer does the fault lie, and of which kind is it?"""

from __future__ import annotations

from itertools import permutations, zip_longest
from typing import Any

from aiops_gym.catalog.model import App, Problem
from aiops_gym.tasks.base import Case, IncidentTask, Truth, make_results, refuse
from aiops_gym.tasks.form import NOTHING, Field, Form
from aiops_gym.types import Verdict

LAYERS = ("Hardware", "Operating System", "Virtualization", "Application")
KINDS = (
    "Misconfiguration",
    "Code Defect",
    "Authentication Issue",
    "Network/Storage Issue",
    "Operation Error",
    "Dependency Problem",
)


SEVERAL = "\nIf several things are wrong, give under each key a list of names, both lists in the same order."

MOST = 6
"""Pairs of labels that are looked at in an answer: no incident has more than three."""


class Analysis(IncidentTask):
    """Two labels, half a point each; of several things that are wrong the mean over all of them."""

    name = "analysis"
    clock = "TTA"
    role = "find the root cause of a fault in a running application and to classify it."
    ask = (
        "Submit a dictionary with these two keys:\n"
        f"- system_level: the layer at which the fault occurred, one of {', '.join(LAYERS)}.\n"
        f"- fault_type: the kind of fault, one of {', '.join(KINDS)}.\n"
        "Submit without an argument if nothing is wrong."
    )
    answers = (
        ('submit({"system_level": "your_layer", "fault_type": "your_kind"})', "placeholders for the names above"),
        ("submit()", "nothing is wrong"),
    )
    placeholders = ("your_layer", "your_kind")

    def brief(self, problem: Problem, app: App) -> str:
        """Where several things may be wrong, with how to say so."""
        return super().brief(problem, app) + (SEVERAL if problem.tier == "hard" else "")

    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """A dict, or None where nothing is wrong."""
        if answer is None or isinstance(answer, dict) or evaluation == "aiopslab":
            return answer
        raise refuse(
            'a dict with the keys "system_level" and "fault_type" is expected, or submit() if nothing is wrong', answer
        )

    def judge(self, answer: Any, case: Case) -> Verdict:
        """Half a point a label. In a healthy episode only the empty answer is right."""
        truth = case.truth
        layer: float
        kind: float
        if truth.healthy:
            layer = kind = answer is None
        elif case.problem.tier == "hard":
            layer, kind = _share(answer, truth)
        else:
            layer, kind = _match(answer, truth, also=case.evaluation == "strict")
        score, success = 0.5 * layer + 0.5 * kind, bool(layer == kind == 1)
        keys = {"system_level_correct": layer, "fault_type_correct": kind}
        expected = self.solution(truth)
        shown = make_results(success, expected[0] if expected else None, answer, **keys)
        return Verdict(score, success, shown, {"system_level": 0.5 * layer, "fault_type": 0.5 * kind})

    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """A dict, or nothing."""
        if truth.healthy:
            return ()
        if truth.others:
            every = {"system_level": [t.layer for t in truth.each], "fault_type": [t.kind for t in truth.each]}
            return (every,)
        return ({"system_level": truth.layer, "fault_type": truth.kind},)

    def form(self, app: App) -> Form:
        """A layer and a kind, or `nothing`."""
        layer = Field("system_level", "At which layer did the fault occur?", (*LAYERS, NOTHING), last=NOTHING)
        kind = Field("fault_type", "Of which kind is it?", KINDS)
        return Form((layer, kind), lambda said: () if said["system_level"] == NOTHING else (dict(said),))


def _share(answer: Any, truth: Truth) -> tuple[float, float]:
    """The mean over all that is wrong, each paired with what was said so that most is right; more said dilutes it."""
    said = answer if isinstance(answer, dict) else {}
    layers, kinds = (_list_words(said.get(key)) for key in ("system_level", "fault_type"))
    given: list[Any] = [
        {"system_level": layer, "fault_type": kind} for layer, kind in zip_longest(layers, kinds, fillvalue="")
    ]
    count = max(len(given), len(truth.each))
    wanted = [*truth.each, *[None] * (count - len(truth.each))]
    given += [None] * (count - len(given))
    pairings = (
        [_match(each, what) for each, what in zip(order, wanted, strict=True) if what is not None]
        for order in permutations(given[:MOST])
    )
    best = max(pairings, key=lambda rows: sum(map(sum, rows)))
    return sum(row[0] for row in best) / count, sum(row[1] for row in best) / count


def _list_words(value: Any) -> list[str]:
    """Labels that are a list, or stand in one text with commas between them."""
    words = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return [str(word) for word in words]


def _match(answer: Any, truth: Truth, *, also: bool = True) -> tuple[bool, bool]:
    labels = [(truth.layer, truth.kind), *(truth.also_accept if also else ())]
    return max((_matches(answer, *label) for label in labels), key=sum)


def _matches(answer: Any, layer: str, kind: str) -> tuple[bool, bool]:
    if not isinstance(answer, dict):
        return False, False
    return _same(answer.get("system_level"), layer), _same(answer.get("fault_type"), kind)


def _same(given: Any, label: str) -> bool:
    return isinstance(given, str) and given.strip().lower() == label.strip().lower()


task = Analysis()
