"""What tells a reason: rules about rows of the tools' tables, as data, and the evidence that rows give."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from aiops_gym.openrca import clock

Row = Mapping[str, str]

NOTHING = 4.0
"""Strength of a run that may be chance."""

MINUTE = 60
"""Seconds. Spans and lines are told by the minute in which they are; a measurement tells of the minute before it."""

SINGLE = 0.6
"""What a single sample says, as a share of what a run of them does."""

OLDER = 0.5
"""What deviates from the window's first minute on says, as a share: it may have begun before."""


@dataclass(frozen=True, kw_only=True)
class Symptom:
    """A deviating measurement that speaks for a reason.

    Attributes:
        kpi: searched in the name of the measurement.
        side: `up` or `down`.
        weight: how much it says, about 1.
        least, most: of the difference between during and before, without its sign.
        factor: of the larger of the two to the smaller, at least.
        samples: least and most of the run.
    """

    reason: str
    kpi: str
    side: str = "up"
    weight: float = 1.0
    least: float = 0.0
    most: float = math.inf
    factor: float = 1.0
    samples: tuple[int, int] = (1, 1000)


@dataclass(frozen=True, kw_only=True)
class LogSign:
    """Log lines that speak for a reason when there are more of them than usual."""

    reason: str
    template: str
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Failing:
    """Failing spans that speak for a reason.

    Attributes:
        operation: searched in the operation; its group is the component.
        share: of the window's spans that fail, at least.
    """

    reason: str
    operation: str
    share: float
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Wire:
    """Slow calls to and from a component that speak for a reason; all of the conditions must hold.

    Attributes:
        failed: share of the calls that fail, at least, beyond the usual.
        slower: how much slower they are in the mean, at least.
        uneven: how much more the 95 % quantile grows than the mean does, at least: few calls, but much slower.
    """

    reason: str
    failed: float = -math.inf
    slower: float = 0.0
    uneven: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What the agent knows of one system; magnitudes are those measured on the original data.

    Attributes:
        queries: KPIs to ask the largest deviations of.
        signs: what deviating measurements say.
        logs: what log lines say.
        failing: what failing spans say.
        wires: what slow calls say; the first that fits counts.
        lead: seconds from a failure to its first sign, typically.
        members: of a group that may be named as a whole, by the group's name; empty where there is none.
        felt: what of the calls feels a component's failure, where that is not the component itself.
        answers: what measurements of a component's own answers say; the agent `tracer` asks for them.
        further: what else measurements say, rarely by themselves; `tracer` asks for them as well, by `further_queries`.
        starts: what lines of the log `service` say; `tracer` reads them.
    """

    queries: tuple[str, ...]
    symptoms: tuple[Symptom, ...]
    logs: tuple[LogSign, ...] = ()
    failing: tuple[Failing, ...] = ()
    wires: tuple[Wire, ...] = ()
    lead: int = 120
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    felt: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    answers: tuple[Symptom, ...] = ()
    further: tuple[Symptom, ...] = ()
    further_queries: tuple[str, ...] = ()
    starts: tuple[LogSign, ...] = ()


class Evidence(NamedTuple):
    """One thing that speaks for a reason.

    Attributes:
        time: Unix seconds at which it began.
        score: how much it says.
        source: what it is; of one source only the best counts.
    """

    component: str
    reason: str
    time: int
    score: float
    source: str


def weigh(z: float) -> float:
    """How much a run of this strength says: nothing below `NOTHING`, then slowly more.

    >>> weigh(3.0), round(weigh(40.0), 2)
    (0.0, 2.3)
    """
    return max(0.0, math.log(max(abs(z), 1.0) / NOTHING))


def judge_deviations(
    rows: Sequence[Row], symptoms: Sequence[Symptom], components: Sequence[str], start: int
) -> Iterator[Evidence]:
    """What the rows of `largest_deviations` say.

    Args:
        start: of the window, Unix seconds.
    """
    for row in rows:
        component = find_candidate(row["component"], components)
        if component is None:
            continue
        for symptom in symptoms:
            if row["direction"] == symptom.side and re.search(symptom.kpi, row["kpi"]) and _enough(symptom, row):
                time = _time(row["first"])
                score = symptom.weight * weigh(_number(row["z"])) * (1 if _number(row["samples"]) > 1 else SINGLE)
                yield Evidence(component, symptom.reason, time, score * (1 if time > start else OLDER), row["kpi"])


def judge_templates(rows: Sequence[Row], symptoms: Sequence[LogSign], components: Sequence[str]) -> Iterator[Evidence]:
    """What the rows of `log_templates` say."""
    for row in rows:
        component, z = find_candidate(row["cmdb_id"], components), _number(row["z"])
        for symptom in symptoms:
            if component is not None and z > 0 and re.search(symptom.template, row["template"]):
                time = _time(row["first"]) + MINUTE
                yield Evidence(component, symptom.reason, time, symptom.weight * weigh(z), symptom.template)


def judge_operations(rows: Sequence[Row], symptoms: Sequence[Failing], components: Sequence[str]) -> Iterator[Evidence]:
    """What the rows of `slowest_spans` by operation say."""
    for row in rows:
        failed = _number(row.get("errors", ""))
        for symptom in symptoms if row["z"] else ():
            found = re.search(symptom.operation, row["operation"])
            if found and found[1] in components and failed >= symptom.share * float(row["count"]):
                score = symptom.weight * weigh(float(row["z"]))
                yield Evidence(found[1], symptom.reason, _time(row["first"]) + MINUTE, score, "failing")


def find_candidate(identifier: str, components: Sequence[str]) -> str | None:
    """The candidate that an id of the telemetry names; the pod on a node, never the node that it is on.

    >>> components = ["node-6", "adservice", "adservice-0"]
    >>> ids = ("node-6.adservice-0", "adservice-grpc", "node-6", "node-6.redis-cart-0")
    >>> [find_candidate(each, components) for each in ids]
    ['adservice-0', 'adservice', 'node-6', None]
    """
    if identifier in components:
        return identifier
    parts = (re.sub(r"-(grpc|http)$", "", part) for part in re.split(r"[.:]", identifier))
    return next((part for part in parts if part in components and not part.startswith("node-")), None)


def _enough(symptom: Symptom, row: Row) -> bool:
    before, during = _number(row["before"]), _number(row["during"])
    low, high = sorted((abs(before), abs(during)))
    long = symptom.samples[0] <= _number(row["samples"]) <= symptom.samples[1]
    return long and symptom.least <= abs(during - before) <= symptom.most and high >= symptom.factor * low


def _number(text: str) -> float:
    return float(text) if text else 0.0


def _time(text: str) -> int:
    return clock.parse(text) // 1000
