"""The agent's course: the questions of the rules, then those about calls, then the answer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aiops_gym.agents.rules.indicators import MINUTE, Evidence, Knowledge, Row, weigh
from aiops_gym.agents.rules.player import CALLS, OPERATIONS, Rules, make_submission, plan_questions
from aiops_gym.agents.rules.question import Question, parse_table
from aiops_gym.agents.rules.verdict import Suspect, answer, choose, rank_suspects
from aiops_gym.openrca import clock
from aiops_gym.types import Call

NEAR = 90
"""Seconds between the first sign in measurements and the first in calls that may be of one failure."""

ALONE = 0.1
"""What a suspect is worth that no call bears out, as a share."""

GROUP = 1.5
"""What is felt by several says so much more."""

LOOK = 150
"""Seconds before a suspect's time at which a close look begins, and half of those after it at which it ends."""

LOOKS = 8
"""Components that are looked at closely."""

NAMED = {"own": ("component",), "look": ("component",), "call": ("caller", "called")}
OWN = ("component", "count", "z", "first")
"""Columns that are read."""


class Moment(NamedTuple):
    """What one row of calls says of something it names.

    Attributes:
        by: what the rows were grouped by.
        time: Unix seconds at which these calls began to be slow or to fail.
        strength: how strongly; 0 where they did not.
    """

    name: str
    by: str
    time: int
    strength: float


class Tracer(Rules):
    """Asks what deviates and whose calls say so too, and names what both explain."""

    name = "tracer"

    def _play(self, question: Question, knowledge: Knowledge) -> Iterator[str]:
        window = (clock.show(question.start * 1000), clock.show(question.end * 1000))
        evidence: list[Evidence] = []
        moments: list[Moment] = []
        for name, arguments, columns, reader in plan_questions(question, knowledge):
            yield str(Call(name, window, arguments))
            evidence += [each for each in reader(parse_table(self.observed, columns)) if each.source != "calls"]
        for by, columns in (("own", OWN), ("call", CALLS), ("operation", OPERATIONS)):
            yield str(Call("slowest_spans", window, {"by": by}))
            moments += read_moments(parse_table(self.observed, columns), by)
        yield str(Call("list_components", (), {"contains": "node-"}))
        felt = {**knowledge.members, **knowledge.felt, **read_placement(self.observed)}
        suspects = rank_suspects(evidence, knowledge)
        for each in choose_looks(suspects, felt):
            around = (clock.show((each.time - LOOK) * 1000), clock.show((each.time + 2 * LOOK) * 1000))
            yield str(Call("slowest_spans", around, {"by": "own", "component": each.component}))
            moments += read_moments(parse_table(self.observed, OWN), "look")
        borne = [_borne(each, moments, felt) for each in suspects]
        ordered = sorted(borne, key=lambda each: (-each.score, each.time, each.component, each.reason))
        while True:
            yield str(make_submission(answer(choose(ordered, question.failures), question, knowledge)))


def choose_looks(suspects: Sequence[Suspect], felt: Mapping[str, Sequence[str]]) -> list[Suspect]:
    """Those whose own calls are looked at once more, for a table has only the strongest moment of each component."""
    alone = {each.component: each for each in reversed(suspects) if each.component not in felt}
    return sorted(alone.values(), key=lambda each: -each.score)[:LOOKS]


def read_moments(rows: Sequence[Row], by: str) -> list[Moment]:
    """What the rows of `slowest_spans` say of components, callers and called ones, and what operations name.

    >>> row = {"component": "docker_001", "operation": "JDBC db_003", "z": "9", "first": "1970-01-01 08:01:00"}
    >>> [(each.name, each.time) for each in read_moments([row], "operation")]
    [('JDBC', 120), ('db_003', 120)]
    """
    found = []
    for row in rows:
        names = row["operation"].split() if by == "operation" else [row[key] for key in NAMED[by]]
        time = clock.parse(row["first"]) // 1000 + MINUTE if row["z"] else 0
        found += [Moment(name, by, time, weigh(float(row["z"] or 0))) for name in names]
    return found


def read_placement(text: str) -> dict[str, tuple[str, ...]]:
    """What runs where, from the ids that `list_components` prints: `node-6.adservice2-0`."""
    found: dict[str, set[str]] = {}
    for node, pod in re.findall(r"^(node-\d+)\.([a-z0-9-]+)", text, re.MULTILINE):
        found.setdefault(node, set()).add(pod)
    return {node: tuple(sorted(pods)) for node, pods in found.items()}


def _borne(suspect: Suspect, moments: Sequence[Moment], felt: Mapping[str, tuple[str, ...]]) -> Suspect:
    """The suspect, worth as much as measurements and calls say both.

    Of several that feel its failure most should say so, and of its calls to others and from them too: one that has a
    single slow call waits for another. Calls between two tell of networks only.
    """
    names = felt.get(suspect.component, (suspect.component,))
    kinds = ("own", "look", "operation", *(("call",) if re.search("network|packet", suspect.reason) else ()))
    said = max(_share(names, [each for each in moments if each.by == by], suspect.time) for by in kinds)
    calls = said * (GROUP if len(names) > 1 else 1.0)
    return suspect._replace(score=math.sqrt(suspect.score * max(calls, ALONE**2 * suspect.score)))


def _share(names: Sequence[str], moments: Sequence[Moment], time: int) -> float:
    """How strongly the rows about some names say that something began at a time: the mean of names, and of rows."""
    total = 0.0
    for name in names:
        rows = [each.strength * (abs(each.time - time) <= NEAR) for each in moments if each.name == name]
        total += sum(rows) / max(1, len(rows))
    return total / len(names)
