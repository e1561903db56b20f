"""From evidence to an answer: which component, why, and since when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.agents.rules.indicators import Evidence, Knowledge
from aiops_gym.agents.rules.question import Question

TOGETHER = 360
"""Seconds within which evidence is of one failure."""

APART = 120
"""Seconds between two failures at least."""

TELLING = 0.4
"""Share of the best evidence from which another one tells the time."""

PART = 0.6
"""Share of a group's members that must be hit for the group to be."""


class Suspect(NamedTuple):
    """A component, a reason and a time, and all that speaks for them."""

    component: str
    reason: str
    time: int
    score: float


def rank_suspects(evidence: Sequence[Evidence], knowledge: Knowledge) -> list[Suspect]:
    """All of them, the most suspicious first."""
    by_pair: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for each in evidence:
        if each.score > 0:
            by_pair[each.component, each.reason].append(each)
    found = [_suspect(part) for pair in by_pair.values() for part in _bouts(pair)]
    found = _joined([*found, *_groups(found, knowledge.members)])
    return sorted(found, key=lambda each: (-each.score, each.time, each.component, each.reason))


def choose(found: Sequence[Suspect], count: int) -> list[Suspect]:
    """The most suspicious ones that may be different failures."""
    chosen: list[Suspect] = []
    for gap in (TOGETHER, APART, 0):
        for each in found:
            if len(chosen) < count and each not in chosen and all(abs(each.time - o.time) >= gap for o in chosen):
                chosen.append(each)
    return sorted(chosen, key=lambda each: each.time)


def answer(chosen: Sequence[Suspect], question: Question, knowledge: Knowledge) -> list[dict[str, object]]:
    """One dict a failure of what is asked for. Of a failure without evidence, the middle of the window is said."""
    found = list(chosen[: question.failures])
    while len(found) < question.failures:
        middle = (question.start + question.end) // 2 + knowledge.lead
        found.append(Suspect(question.components[0], question.reasons[0], middle, 0.0))
    return [_said(each, question, knowledge) for each in found]


def _said(suspect: Suspect, question: Question, knowledge: Knowledge) -> dict[str, object]:
    time = min(max(suspect.time - knowledge.lead, question.start), question.end)
    said = {"component": suspect.component, "reason": suspect.reason, "time": time}
    return {name: said[name] for name in ("component", "reason", "time") if name in question.asked}


def _bouts(evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Evidence for one pair, by failure."""
    bouts: list[list[Evidence]] = []
    for each in sorted(evidence, key=lambda each: (each.time, each.source)):
        if not bouts or each.time - bouts[-1][0].time > TOGETHER:
            bouts.append([])
        bouts[-1].append(each)
    return bouts


def _suspect(evidence: Sequence[Evidence]) -> Suspect:
    best: dict[str, float] = {}
    for each in evidence:
        best[each.source] = max(best.get(each.source, 0.0), each.score)
    telling = TELLING * max(best.values())
    time = min(each.time for each in evidence if each.score >= telling)
    return Suspect(evidence[0].component, evidence[0].reason, time, sum(best.values()))


def _joined(found: Sequence[Suspect]) -> list[Suspect]:
    """Suspects of whom the same is said twice at one time, once: of a group, by its members and by itself."""
    joined: list[Suspect] = []
    for each in sorted(found, key=lambda each: (-each.score, each.time)):
        for at, other in enumerate(joined):
            if each[:2] == other[:2] and abs(each.time - other.time) < TOGETHER:
                joined[at] = other._replace(score=other.score + each.score)
                break
        else:
            joined.append(each)
    return joined


def _groups(found: Sequence[Suspect], members: Mapping[str, Sequence[str]]) -> list[Suspect]:
    """Groups of which most members are suspected of the same at the same time."""
    groups = []
    for name, parts in members.items():
        by_reason: dict[str, list[Suspect]] = defaultdict(list)
        for each in found:
            if each.component in parts:
                by_reason[each.reason].append(each)
        for reason, some in by_reason.items():
            best = max(some, key=lambda each: each.score)
            near = [each for each in some if abs(each.time - best.time) < TOGETHER and each.score > best.score / 3]
            if len({each.component for each in near}) >= PART * len(parts):
                groups.append(Suspect(name, reason, min(each.time for each in near), best.score * 1.5))
    return groups
