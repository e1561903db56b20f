"""Playing a recipe on a problem: on a fork, so that all recipes meet the same moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.catalog.splits import SPLITS, hash_to_fraction
from aiops_gym.testing.adversary.recipe import NOT_HERE, Recipe, write_script
from aiops_gym.testing.problems import SUBMISSION

PATIENCE = 900.0
"""Seconds that a script may take."""


@dataclass(frozen=True)
class Verdict:
    """What became of a recipe on a problem.

    Attributes:
        tried: False where this world has nothing to which it could be done.
        accepted: whether the judge calls the incident over.
        code: of the script; a recipe whose own commands fail measures nothing.
        output: of the script.
        reasons: why it is not over.
    """

    recipe: str
    problem: str
    seed: int
    tried: bool
    accepted: bool
    code: int
    output: str
    reasons: tuple[str, ...]

    @property
    def typed(self) -> bool:
        """Whether all commands did what they say."""
        return self.code == 0


def play(problem: Problem, seed: int, recipe: Recipe, begun: Simulated | None = None) -> Verdict | None:
    """Play a recipe; None where it makes no sense on the problem.

    Args:
        problem: what is wrong.
        seed: of the episode.
        recipe: what is typed.
        begun: the incident, where it is there already; it stays as it is.
    """
    begun = begun or Simulated(problem, seed)
    script = write_script(recipe, begun)
    if not script:
        return None
    return play_script(problem, seed, recipe.name, script, begun)


def play_script(problem: Problem, seed: int, name: str, script: str, begun: Simulated | None = None) -> Verdict:
    """Play a script, and have the judge look at what became of it."""
    twin = (begun or Simulated(problem, seed)).fork()
    run = twin.shell.run(script, timeout=PATIENCE)
    if run.code == NOT_HERE:
        return Verdict(name, problem.id, seed, False, False, run.code, run.output, ())
    twin.spend(SUBMISSION)
    found = twin.assess(thorough=False)
    return Verdict(name, problem.id, seed, True, found.success, run.code, run.output, found.reasons)


def draw_mitigations(
    per_family: int, split: str | None = None, family: str | None = None, tier: str | None = None
) -> list[Problem]:
    """So many mitigations of each family, drawn by hash: stable when others come or go.

    Args:
        per_family: at most so many of each.
        split: of that split only.
        family: of that family only.
        tier: hard for families that are hard by themselves; without it all others.
    """
    rows: dict[str, list[Problem]] = {}
    chosen = (each for each in SPLITS if split in (None, each))
    for problem in (p for each in chosen for p in registry.problems("mitigation", split=each, tier=tier)):
        if family in (None, problem.fault) and problem.fault and not problem.how:
            rows.setdefault(problem.fault, []).append(problem)
    drawn = {name: sorted(found, key=lambda p: hash_to_fraction("adversary", p.id)) for name, found in rows.items()}
    return [problem for name in sorted(drawn) for problem in drawn[name][:per_family]]


def draw_split(count: int, split: str) -> list[Problem]:
    """So many mitigations of a split, each problem as likely as any other: large families are played more often.

    Args:
        count: at most so many.
        split: whose.
    """
    rows = [problem for problem in registry.problems("mitigation", split=split) if problem.fault]
    return sorted(rows, key=lambda problem: hash_to_fraction("adversary", problem.id))[:count]


def play_all(problem: Problem, seed: int, recipes: Sequence[Recipe]) -> Iterator[Verdict]:
    """Play all recipes that make sense on a problem in this world."""
    begun = Simulated(problem, seed)
    for recipe in recipes:
        verdict = play(problem, seed, recipe, begun)
        if verdict is not None and verdict.tried:
            yield verdict
