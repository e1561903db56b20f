"""From the page to the report: is it an incident, what caused it, is it over, and what did it cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aiops_gym.backends.base import Assessment, Harm, Paged, Path
from aiops_gym.catalog.model import INCIDENT, App
from aiops_gym.errors import ArgumentError, unknown
from aiops_gym.tasks.analysis import KINDS, LAYERS
from aiops_gym.tasks.base import Case, IncidentTask, Truth, make_results, refuse
from aiops_gym.tasks.form import Field, Form
from aiops_gym.tasks.stages import (
    STAGES,
    Handled,
    rate_detection,
    rate_diagnosis,
    rate_harm,
    rate_time,
)
from aiops_gym.types import Call, Verdict

WEIGHTS: Mapping[str, float] = {"detection": 0.1, "path": 0.3, "repair": 0.4, "harm": 0.1, "time": 0.1}
"""What each stage is worth in the reward, where nobody says otherwise."""

LIMIT = 3600.0
"""Seconds of an episode."""

REPORT = "What was wrong is repaired."
"""What the reference reports: nobody grades the words."""


@dataclass(frozen=True, kw_only=True)
class Page(Handled):
    """How an incident was handled, and by which measure that is graded.

    Attributes:
        limit: seconds of the episode.
        weights: of the stages, which sum up to 1.
    """

    limit: float = LIMIT
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)


class Incident(IncidentTask):
    """Five stages; each is reached or counts nothing."""

    name = INCIDENT
    clock = "TTR"
    role = "take a page about a running application, from the first look to the report."
    ask = (
        "Something may be wrong with the application, or not: some pages mean nothing, or are about what has passed.\n"
        "If it is an incident, acknowledge it, find out what causes it and how users come to notice, repair it, and "
        "report. Meanwhile it goes on.\n"
        "A cause that lies in no one component (a node, a quota, a webhook, how two of them get on) is named by its "
        "kind alone, with an empty list of components; the chain begins at the component that suffers from it first.\n"
        "In a diagnosis, a kind has two keys:\n"
        f"- system_level: the layer at which the fault occurred, one of {', '.join(LAYERS)}.\n"
        f"- fault_type: the kind of fault, one of {', '.join(KINDS)}."
    )
    answers = (
        ("acknowledge()", "something is wrong, and you are on it; look first, for a false alarm costs"),
        (
            'diagnose(["cause"], [{"system_level": "your_layer", "fault_type": "your_kind"}], '
            '[["cause", "caller", "callers_caller"]])',
            "what is wrong, and the chain of components through which users notice; placeholders for the names above",
        ),
        ("resolve()", "the application works again; it is judged as it is then, once and for all"),
        ('report("what happened, why, and what was done")', "the end of an incident, and of the episode"),
        ("no_incident()", "nothing is wrong, or not any more; the end of the episode"),
    )
    placeholders = ("your_layer", "your_kind", "cause", "caller", "callers_caller")
    repairs = True
    names_components = True
    lead = "Besides looking and repairing, you say where things stand:"
    rule = "report and no_incident end the episode, right or wrong."

    def brief(self, problem: Any, app: App) -> str:
        """With the components, which a diagnosis names."""
        return f"{super().brief(problem, app)}\nThe components are: {', '.join(app.components)}."

    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """How the episode is closed, as the tools `report` and `no_incident` say it."""
        if isinstance(answer, Mapping) and answer.get("closed") in ("report", "no_incident"):
            return answer
        raise refuse("report(text) or no_incident() is expected", answer)

    def judge(self, answer: Any, case: Case) -> Verdict:
        """The stages, weighted. Whoever denies an incident gets nothing, whatever else was said."""
        page = answer if isinstance(answer, Page) else Page()
        assert isinstance(case.backend, Paged)
        harm, left = case.backend.count_harm(), _find_left(page, case)
        stages, parts = dict.fromkeys(STAGES, 0.0), {}
        path = Path((), ())
        if case.truth.healthy:
            stages["detection"] = rate_detection(page, True, page.limit)
            stages["harm"] = rate_harm(left, harm) if left and page.closed == "no_incident" else 0.0
            reward = stages["detection"] + page.weights["harm"] * (stages["harm"] - stages["detection"])
        else:
            path = trace(case)
            parts = rate_diagnosis(page.diagnosis, list_causes(case), path)
            if page.closed != "no_incident":
                stages |= _rate_incident(page, case, parts, left, harm)
            reward = sum(page.weights[name] * worth for name, worth in stages.items())
        over = page.closed == "no_incident" if case.truth.healthy else stages["repair"] == 1.0 and page.closed != ""
        if case.truth.healthy:
            over = over and page.detected is None and stages["harm"] > 0
        success = over
        shown = self._show(page, case, path, left, success)
        return Verdict(
            min(1.0, round(reward, 6)), success, shown, {**stages, **parts, **_count(page, case, left, harm)}
        )

    def _show(self, page: Page, case: Case, path: Path, left: Assessment | None, success: bool) -> Mapping[str, Any]:
        expected = None if case.truth.healthy else write_diagnosis(list_causes(case), path)
        times = {"detected_after": page.detected, "resolved_after": page.resolved}
        keys = {name: seconds for name, seconds in times.items() if seconds is not None}
        reasons = "; ".join((*left.reasons, *left.collateral)) if left and page.resolved is not None else ""
        said = {"closed": page.closed, "diagnosis": page.diagnosis or None, "report": page.text}
        return make_results(success, expected, said, reasons=reasons, **keys)

    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """Nothing: what is said is said on the way."""
        return ()

    def deny(self) -> Call:
        """It has a word of its own."""
        return Call("no_incident")

    def form(self, app: App) -> Form:
        """The report alone: all else is typed as a call."""
        asked = Field("text", "What happened, why, and what was done? (in a line; the episode ends with it)")
        return Form((asked,), lambda said: (said["text"],), "report")


def _rate_incident(
    page: Page, case: Case, parts: Mapping[str, float], left: Assessment | None, harm: Harm
) -> dict[str, float]:
    """The stages where something is wrong. Harm and time count for who has mended it: to do nothing does no harm."""
    mended = left is not None and page.resolved is not None and left.cause_gone and left.served
    repaired = bool(mended and left and left.works and len(left.collateral) <= case.allow_collateral)
    return {
        "detection": rate_detection(page, False, page.limit),
        "path": sum(parts.values()) / len(parts),
        "repair": float(repaired),
        "harm": rate_harm(left, harm) if mended and left else 0.0,
        "time": rate_time(page, page.limit) if repaired else 0.0,
    }


def _find_left(page: Page, case: Case) -> Assessment | None:
    """The system as it was resolved; as it is now where it was well then and more was done, or nothing was wrong."""
    if case.truth.healthy:
        return case.backend.assess() if page.closed == "no_incident" else None
    again = page.left is not None and page.left.success and page.after
    return case.backend.assess() if again else page.left


def _count(page: Page, case: Case, left: Assessment | None, harm: Harm) -> dict[str, float]:
    """What was counted, for wrappers to price."""
    alarm = case.truth.healthy and page.detected is not None
    kinds = {name: float(len(getattr(left, name))) if left else 0.0 for name in ("damage", "collateral", "left")}
    return {"false_alarm": float(alarm), "error_minutes": harm.minutes, "error_minutes_idle": harm.idle, **kinds}


def list_causes(case: Case) -> Sequence[Truth]:
    """All that is wrong. A cause in a node or a quota has no target here: only victims could be named."""
    if case.fault is None:
        return ()
    located = ["localization" in part.tasks for part in case.fault.each]
    return [
        truth if is_so else replace(truth, target="", aliases=())
        for truth, is_so in zip(case.truth.each, located, strict=True)
    ]


def trace(case: Case) -> Path:
    """The way from the causes to users."""
    assert isinstance(case.backend, Paged)
    return case.backend.trace([cause.target for cause in list_causes(case)])


def write_diagnosis(causes: Sequence[Truth], path: Path) -> dict[str, Any]:
    """The arguments of the `diagnose` that is right: each edge of the path as a chain of two."""
    chains = [[callee, caller] for caller, callee in path.edges]
    single = [[name] for name in path.nodes if not any(name in chain for chain in chains)]
    kinds = [{"system_level": cause.layer, "fault_type": cause.kind} for cause in causes]
    components = [cause.target for cause in causes if cause.target]
    return {"components": components, "kinds": kinds, "path": [*chains, *single]}


def check_weights(given: Mapping[str, float] | None) -> Mapping[str, float]:
    """The weights of all stages, which sum up to 1; those that are left out are 0.

    Raises:
        ArgumentError: for what is no stage, or no weight.

    >>> check_weights({"repair": 3, "path": 1})["repair"]
    0.75
    """
    if given is None:
        return WEIGHTS
    for name, value in given.items():
        if name not in STAGES:
            raise unknown("stage", name, STAGES)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise ArgumentError(f"the weight of {name} must be a number, 0 or more, not {value!r}")
    total = sum(given.values())
    if total <= 0:
        raise ArgumentError("the weights of the stages are all 0")
    return {name: given.get(name, 0) / total for name in STAGES}


task = Incident()
