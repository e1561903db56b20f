"""The agent's course: the questions of the rules, then those about calls, then the answer."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from aiops_gym.agents.rules.calls import judge_minutes
from aiops_gym.agents.rules.indicators import (
    MINUTE,
    Evidence,
    Knowledge,
    Row,
    find_candidate,
    judge_deviations,
    judge_templates,
    weigh,
)
from aiops_gym.agents.rules.player import (
    CALLS,
    DEVIATIONS,
    OPERATIONS,
    TEMPLATES,
    Rules,
    make_submission,
    plan_questions,
)
from aiops_gym.agents.rules.question import Question, parse_table
from aiops_gym.agents.rules.verdict import PART, Suspect, answer, choose, rank_suspects
from aiops_gym.openrca import clock
from aiops_gym.types import Call

NEAR = 90
"""Seconds between the first sign in measurements and the first in calls that may be of one failure."""

UNSEEN, ALONE = 0.1, 0.03
"""What a suspect is worth that no call bears out, as a share: where some were looked at closely, and where all were."""

GROUP = 1.5
"""What is felt by several says so much more."""

LOOK = 150
"""Seconds before a suspect's time at which a close look begins, and half of those after it at which it ends."""

LOOKS = 8
"""Components that are looked at closely."""

AFTER = 300
"""Seconds beyond the window in which is looked as well: a failure shows some time after it began."""

MANY = 20
"""Components in the calls beyond which not the suspects are looked at closely, but all of them in slices."""

SLICE = 300
"""Seconds of a slice: a table has only the strongest moment of each row."""

WHOLE = 1.1
"""A group of which most members show the same is worth so much more than the best of them."""

NAMED = {
    "own": ("component",),
    "look": ("component",),
    "call": ("caller", "called"),
    "operation": ("component", "operation"),
}
OWN = ("component", "count", "z", "first")
SLICED = {"own": OWN, "call": CALLS, "operation": OPERATIONS}
"""Columns that are read."""

MEASURED = 8
"""Components of which all is measured, since their own calls began to be slow."""


class Moment(NamedTuple):
    """What one row of calls says of something it names.

    Attributes:
        by: what the rows were grouped by, and in which look.
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
        knowledge = replace(
            knowledge,
            queries=(*knowledge.queries, *knowledge.further_queries),
            symptoms=(*knowledge.symptoms, *knowledge.further),
        )
        window = (clock.show(question.start * 1000), clock.show((question.end + AFTER) * 1000))
        evidence = yield from self._read_measurements(question, knowledge, window)
        moments: list[Moment] = []
        calls: dict[int, list[Row]] = {}
        yield str(Call("slowest_spans", window, {"by": "own"}))
        own = read_moments(parse_table(self.observed, OWN), "own")
        yield str(Call("list_components", (), {"contains": "node-"}))
        felt = {**knowledge.members, **knowledge.felt, **read_placement(self.observed)}
        if len(own) > MANY:
            moments += yield from self._look_in_slices(question, ("own", "call"), calls)
        else:
            yield str(Call("slowest_spans", window, {"by": "call"}))
            moments += [*own, *read_moments(parse_table(self.observed, CALLS), "call")]
            moments += yield from self._look_in_slices(question, ("operation",), calls)
            moments += yield from self._look_closely(choose_looks(rank_suspects(evidence, knowledge), felt))
        evidence += yield from self._measure(choose_slow(moments, question.components), question, knowledge)
        within = [each for each in evidence if each.time - knowledge.lead <= question.end]
        ordered = decide(within, moments, calls, felt, knowledge)
        while True:
            yield str(make_submission(answer(choose(ordered, question.failures), question, knowledge)))

    def _read_measurements(
        self, question: Question, knowledge: Knowledge, window: tuple[str, str]
    ) -> Generator[str, None, list[Evidence]]:
        """What measurements and logs say, of all."""
        evidence: list[Evidence] = []
        apart = replace(knowledge, wires=())  # calls are looked at by themselves
        for name, arguments, columns, reader in plan_questions(question, apart):
            yield str(Call(name, window, arguments))
            evidence += reader(parse_table(self.observed, columns))
        for kpi in dict.fromkeys(each.kpi for each in knowledge.answers):
            yield str(Call("largest_deviations", window, {"kpi": kpi}))
            rows = [row for row in parse_table(self.observed, DEVIATIONS) if ".destination." in row["component"]]
            evidence += judge_deviations(rows, knowledge.answers, question.components, question.start)
        if knowledge.starts:
            yield str(Call("log_templates", window, {"source": "service"}))
            evidence += judge_templates(parse_table(self.observed, TEMPLATES), knowledge.starts, question.components)
        return evidence

    def _look_closely(self, suspects: Sequence[Suspect]) -> Generator[str, None, list[Moment]]:
        """What the calls of some say around their times."""
        moments: list[Moment] = []
        for each in suspects:
            around = (clock.show((each.time - LOOK) * 1000), clock.show((each.time + 2 * LOOK) * 1000))
            yield str(Call("slowest_spans", around, {"by": "own", "component": each.component}))
            moments += read_moments(parse_table(self.observed, OWN), "look")
        return moments

    def _measure(
        self, slow: Sequence[Moment], question: Question, knowledge: Knowledge
    ) -> Generator[str, None, list[Evidence]]:
        """All that was measured of those whose calls say something: a table of all has the strongest only."""
        evidence: list[Evidence] = []
        for each in slow:
            start = each.time - LOOK
            around = (clock.show(start * 1000), clock.show((each.time + 2 * LOOK) * 1000))
            yield str(Call("largest_deviations", around, {"component": each.name}))
            rows = parse_table(self.observed, DEVIATIONS)
            evidence += judge_deviations(rows, knowledge.symptoms, question.components, start)
        return evidence

    def _look_in_slices(
        self, question: Question, kinds: Sequence[str], calls: dict[int, list[Row]]
    ) -> Generator[str, None, list[Moment]]:
        """What the calls of all say a few minutes at a time; rows of calls are kept by the start of their slice."""
        moments: list[Moment] = []
        for by in kinds:
            columns = SLICED[by]
            before: set[tuple[str, ...]] = set()
            for start in range(question.start, question.end + AFTER, SLICE):
                part = (clock.show(start * 1000), clock.show((start + SLICE) * 1000))
                yield str(Call("slowest_spans", part, {"by": by}))
                if self.observed.startswith("Error"):  # spans of a bank have no operations
                    break
                rows = parse_table(self.observed, columns)
                moments += read_moments(stop_lasting(rows, by, start, before), f"{by} {start}")
                before = {tuple(row[key] for key in NAMED[by]) for row in rows if row["z"]}
                if by == "call":
                    calls[start] = list[Row](rows)
        return moments


def choose_looks(suspects: Sequence[Suspect], felt: Mapping[str, Sequence[str]]) -> list[Suspect]:
    """Those whose own calls are looked at once more, for a table has only the strongest moment of each component."""
    alone = {each.component: each for each in reversed(suspects) if each.component not in felt}
    return sorted(alone.values(), key=lambda each: -each.score)[:LOOKS]


def choose_slow(moments: Sequence[Moment], components: Sequence[str]) -> list[Moment]:
    """Those whose own calls, or whose answers to others', began to be slow or to fail most, each at its strongest."""
    found: dict[str, Moment] = {}
    for each in moments:
        told = each.strength > 0 and not each.by.startswith("call") and find_candidate(each.name, components)
        if told and (each.name not in found or each.strength > found[each.name].strength):
            found[each.name] = each
    return sorted(found.values(), key=lambda each: -each.strength)[:MEASURED]


def decide(
    evidence: Sequence[Evidence],
    moments: Sequence[Moment],
    calls: Mapping[int, Sequence[Row]],
    felt: Mapping[str, Sequence[str]],
    knowledge: Knowledge,
) -> list[Suspect]:
    """The suspects, those first that measurements and calls agree on."""
    told = [tell_network(each, calls, knowledge) for each in evidence]
    said = [borne(each, moments, felt, ALONE if calls else UNSEEN) for each in rank_suspects(told, knowledge)]
    said += list(find_wholes(said, knowledge.members))
    return sorted(said, key=lambda each: (-each.score, each.time, each.component, each.reason))


def tell_network(evidence: Evidence, calls: Mapping[int, Sequence[Row]], knowledge: Knowledge) -> Evidence:
    """What speaks for a network, for that reason which the calls to and from the component tell at its time."""
    known = [wire.reason for wire in knowledge.wires]
    if evidence.reason not in known:
        return evidence
    found = []
    for start, rows in calls.items():
        if start < evidence.time + SLICE - MINUTE and evidence.time - MINUTE < start + SLICE:
            mine = [row for row in rows if evidence.component in (row["caller"], row["called"])]
            found += [each.reason for each in judge_minutes(mine, knowledge.wires, evidence.component, evidence.time)]
    return evidence._replace(reason=min(found, key=known.index, default=evidence.reason))


def find_wholes(said: Sequence[Suspect], members: Mapping[str, Sequence[str]]) -> Iterator[Suspect]:
    """Groups of which most members show the same at one time, before that member which is borne out best."""
    for name, parts in members.items():
        for best in (each for each in said if each.component in parts):
            near = [
                each
                for each in said
                if each.component in parts and each.reason == best.reason and abs(each.time - best.time) <= 2 * NEAR
            ]
            whole = len({each.component for each in near}) >= PART * len(parts)
            if whole and best.score == max(each.score for each in near):
                yield Suspect(name, best.reason, min(each.time for each in near), WHOLE * best.score)


def read_moments(rows: Sequence[Row], by: str) -> list[Moment]:
    """What the rows of `slowest_spans` say of components, callers and called ones, and what operations name.

    >>> row = {"component": "docker_001", "operation": "JDBC db_003", "z": "9", "first": "1970-01-01 08:01:00"}
    >>> [(each.name, each.time) for each in read_moments([row], "operation")]
    [('JDBC', 120), ('db_003', 120)]
    """
    found = []
    for row in rows:
        what = by.partition(" ")[0]
        names = row["operation"].split() if what == "operation" else [row[key] for key in NAMED[what]]
        time = clock.parse(row["first"]) // 1000 + MINUTE if row["z"] else 0
        found += [Moment(name, by, time, weigh(float(row["z"] or 0))) for name in names]
    return found


def stop_lasting(rows: Sequence[Row], by: str, start: int, before: Container[tuple[str, ...]]) -> list[Row]:
    """The rows of a look that begins at `start`; those that went on from the look before say of no beginning."""
    lasting = [
        bool(row["z"]) and clock.parse(row["first"]) // 1000 <= start and tuple(row[key] for key in NAMED[by]) in before
        for row in rows
    ]
    return [{**row, "z": ""} if lasts else row for row, lasts in zip(rows, lasting, strict=True)]


def read_placement(text: str) -> dict[str, tuple[str, ...]]:
    """What runs where, from the ids that `list_components` prints: `node-6.adservice2-0`."""
    found: dict[str, set[str]] = {}
    for node, pod in re.findall(r"^(node-\d+)\.([a-z0-9-]+)", text, re.MULTILINE):
        found.setdefault(node, set()).add(pod)
    return {node: tuple(sorted(pods)) for node, pods in found.items()}


def borne(
    suspect: Suspect, moments: Sequence[Moment], felt: Mapping[str, Sequence[str]], alone: float = ALONE
) -> Suspect:
    """The suspect, worth as much as measurements and calls say both.

    Of several that feel its failure most should say so, and of its calls to others and from them too: one that has a
    single slow call waits for another. Calls between two tell of networks only.
    """
    names = felt.get(suspect.component, (suspect.component,))
    network = re.search("network|packet", suspect.reason)
    kinds = {each.by for each in moments if network or not each.by.startswith("call")}
    said = max((share(names, [each for each in moments if each.by == by], suspect.time) for by in kinds), default=0.0)
    calls = said * (GROUP if len(names) > 1 else 1.0)
    return suspect._replace(score=math.sqrt(suspect.score * max(calls, alone**2 * suspect.score)))


def share(names: Sequence[str], moments: Sequence[Moment], time: int) -> float:
    """How strongly the rows about some names say that something began at a time: the mean of names, and of rows."""
    total = 0.0
    for name in names:
        rows = [each.strength * (abs(each.time - time) <= NEAR) for each in moments if each.name == name]
        total += sum(rows) / max(1, len(rows))
    return total / len(names)
