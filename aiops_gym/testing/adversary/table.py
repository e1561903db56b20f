"""What the adversary measures: masks accepted and good repairs refused in a family, and scripts without a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.testing.adversary.masks import MASKS
from aiops_gym.testing.adversary.play import Verdict, draw_mitigations, draw_split, play, play_script
from aiops_gym.testing.adversary.repairs import list_repairs
from aiops_gym.testing.adversary.universal import generate

HEAD = ("family", "masks accepted", "of", "good repairs refused", "of", "which")
PER_FAMILY, SEEDS = 2, (1, 2, 3)
PROBLEMS = 60
"""Of a split, that a script without a question is tried on: one in twenty is three of them."""
SHOWN = 12
"""Names of offenders in a row of the table; of further ones only their number."""


@dataclass
class Measured:
    """A family under attack and under good care.

    Attributes:
        tried: masks that were played.
        accepted: those of them that the judge accepted, with how often.
        mended: good repairs that were played.
        refused: those of them that the judge refused, with how often.
        mistyped: scripts whose own commands failed; what they say of the judge is nothing.
    """

    family: str
    tried: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    mended: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    mistyped: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, row: Any) -> Measured:
        """From its fields, through JSON."""
        counted = {key: Counter(value) for key, value in row.items() if isinstance(value, dict)}
        return cls(**{**row, **counted})


@dataclass(frozen=True)
class Rote:
    """A script without a question.

    Attributes:
        name: of the script.
        shares: of the mitigations of each split that it repairs, as they are printed.
    """

    name: str
    shares: tuple[str, ...]

    @classmethod
    def read(cls, row: Any) -> Rote:
        """From its fields, through JSON."""
        return cls(row["name"], tuple(row["shares"]))


def measure_family(family: str, per_family: int = PER_FAMILY, seeds: Iterable[int] = SEEDS) -> Measured:
    """Play every mask and every good repair on some problems of a family."""
    found = Measured(family)
    tier = "hard" if registry.faults()[family].features else None
    for problem in draw_mitigations(per_family, family=family, tier=tier):
        for seed in seeds:
            _play_both(found, problem, seed)
    return found


def _play_both(found: Measured, problem: Problem, seed: int) -> None:
    begun = Simulated(problem, seed)
    errs = {recipe.name for recipe in MASKS if recipe.errs}
    for verdict in _tried(problem, seed, begun, masks=True):
        found.tried += 1
        found.accepted.update([verdict.recipe] * verdict.accepted)
        found.mistyped.update([verdict.recipe] * (not verdict.typed and verdict.recipe not in errs))
    for verdict in _tried(problem, seed, begun, masks=False):
        found.mended += 1
        found.refused.update([verdict.recipe] * (not verdict.accepted or not verdict.typed))


def _tried(problem: Problem, seed: int, begun: Simulated, *, masks: bool) -> Iterable[Verdict]:
    played = (play(problem, seed, recipe, begun) for recipe in (MASKS if masks else list_repairs(begun)))
    return (verdict for verdict in played if verdict is not None and verdict.tried)


def measure_script(number: int, count: int = PROBLEMS, seed: int = 1) -> Rote:
    """Try a script without a question on mitigations of each split."""
    shares, name = [], ""
    for split in SPLITS:
        verdicts = []
        for problem in draw_split(count, split):
            made = generate(number, registry.find_app(problem.app))
            name = made.name
            verdicts.append(play_script(problem, seed, made.name, made.script).accepted)
        shares.append(render_share(sum(verdicts), len(verdicts)))
    return Rote(name, tuple(shares))


def make_rows(found: Sequence[Measured]) -> list[tuple[str, ...]]:
    """A row for each family, and one for all."""
    rows = [_row(each) for each in found]
    total = Measured("all")
    for each in found:
        total.tried, total.mended = total.tried + each.tried, total.mended + each.mended
        total.accepted += each.accepted
        total.refused += each.refused
    return [HEAD, *rows, (*_row(total)[:5], "")]


def _row(found: Measured) -> tuple[str, ...]:
    accepted, refused = found.accepted.total(), found.refused.total()
    names = [*sorted(found.accepted), *sorted(found.refused)]
    more = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return (
        found.family,
        str(accepted),
        str(found.tried),
        str(refused),
        str(found.mended),
        "; ".join([*names[:SHOWN], *more]),
    )


def render_share(part: int, whole: int) -> str:
    """A share in per cent, which says all, or none, only where that is so.

    >>> render_share(1423, 1426), render_share(3, 3), render_share(1, 900), render_share(0, 0)
    ('99.79%', '100%', '0.11%', '-')
    """
    text = f"{part / whole:.0%}" if whole else "-"
    return f"{part / whole:.2%}" if text in ("0%", "100%") and 0 < part < whole else text
