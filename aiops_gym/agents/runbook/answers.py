"""What agents that go by rules answer to a question, from what they found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aiops_gym.agents.runbook.question import Question
from aiops_gym.types import Call

Cause = tuple[str, str, str]
"""Its component, and Analysis' `system_level` and `fault_type`."""


def answer(question: Question, causes: Sequence[Cause]) -> tuple[object, ...]:
    """The arguments of the submission that causes call for, the likeliest first."""
    if question.task == "detection":
        return ("Yes" if causes else "No",)
    if question.task == "localization":
        return (_name(question, causes),)
    if question.task == "analysis":
        return tuple(_classify(causes))
    return ()


def handle(question: Question, causes: Sequence[Cause], repair: Iterable[str]) -> Iterator[str]:
    """Actions of an incident, from the causes to the report, with those of the repair among them.

    Who calls a component, rules do not know.
    """
    if not causes:
        yield str(Call("no_incident"))
    yield str(Call("acknowledge"))
    named = _name(question, causes)
    yield str(Call("diagnose", (named, _classify(causes), [named] if named else [])))
    yield from repair
    yield str(Call("resolve"))
    yield str(Call("report", (f"{', '.join(named) or 'The application'} was repaired by rules.",)))


def _name(question: Question, causes: Sequence[Cause]) -> list[str]:
    return [component for component, _, _ in causes if component in question.components][:1]


def _classify(causes: Sequence[Cause]) -> list[dict[str, str]]:
    return [{"system_level": layer, "fault_type": kind} for _, layer, kind in causes[:1]]
