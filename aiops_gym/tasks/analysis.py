"""On which layer does the fault lie, and of which kind is it?"""

from __future__ import annotations

from typing import Any

from aiops_gym.catalog.model import App
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


class Analysis(IncidentTask):
    """Two labels, half a point each."""

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
        if truth.healthy:
            layer = kind = answer is None
        else:
            labels = [(truth.layer, truth.kind)]
            if case.evaluation == "strict":
                labels.extend(truth.also_accept)
            layer, kind = max((_matches(answer, *label) for label in labels), key=sum)
        score = 0.5 * layer + 0.5 * kind
        keys = {"system_level_correct": layer, "fault_type_correct": kind}
        expected = self.solution(truth)
        shown = make_results(layer and kind, expected[0] if expected else None, answer, **keys)
        return Verdict(score, layer and kind, shown, {"system_level": 0.5 * layer, "fault_type": 0.5 * kind})

    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """A dict, or nothing."""
        return () if truth.healthy else ({"system_level": truth.layer, "fault_type": truth.kind},)

    def form(self, app: App) -> Form:
        """A layer and a kind, or `nothing`."""
        layer = Field("system_level", "At which layer did the fault occur?", (*LAYERS, NOTHING), last=NOTHING)
        kind = Field("fault_type", "Of which kind is it?", KINDS)
        return Form((layer, kind), lambda said: () if said["system_level"] == NOTHING else (dict(said),))


def _matches(answer: Any, layer: str, kind: str) -> tuple[bool, bool]:
    if not isinstance(answer, dict):
        return False, False
    return _same(answer.get("system_level"), layer), _same(answer.get("fault_type"), kind)


def _same(given: Any, label: str) -> bool:
    return isinstance(given, str) and given.strip().lower() == label.strip().lower()


task = Analysis()
