"""Which answers would have earned the points as well: other names of a component, further labels of a fault."""

from __future__ import annotations

import json
from typing import Any

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import TASKS
from aiops_gym.errors import CatalogError
from aiops_gym.runs.episode import Episode
from aiops_gym.tasks.base import find, find_truth


def list_accepted(episode: Episode) -> list[str]:
    """In words, as the expected answer is written; nothing where the catalogue knows no others.

    An episode keeps its expected answer alone, so the others come from the catalogue; where that expects another
    answer by now, or the problem is not in it, nothing is said.
    """
    if episode.task not in TASKS:
        return []
    try:
        problem = registry.find_problem(episode.problem_id)
    except CatalogError:
        return []
    right = find_truth(problem, registry.find_fault(problem), registry.find_app(problem.app))
    if _kept(episode.results.get("expected")) != _answer(find(episode.task).solution(right)):
        return []
    if episode.task == "localization":
        return list(right.aliases)
    strict = episode.env_kwargs.get("evaluation", "strict") == "strict"
    labels = right.also_accept if episode.task == "analysis" and strict else ()
    return [json.dumps({"fault_type": kind, "system_level": layer}) for layer, kind in labels]


def _answer(arguments: tuple[Any, ...]) -> Any:
    """What a submission with these arguments says."""
    return arguments[0] if arguments else None


def _kept(expected: Any) -> Any:
    """The expected answer of an episode, which is JSON in a text."""
    try:
        return json.loads(expected) if isinstance(expected, str) else expected
    except ValueError:
        return expected
