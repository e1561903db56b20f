"""What a training run was asked for: everything that its result depends on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any, Self

from aiops_gym import files
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import TASKS
from aiops_gym.envs.choice import Choice
from aiops_gym.envs.naming import RECORDED_TASKS
from aiops_gym.errors import AiopsGymError, ArgumentError
from aiops_gym.learning.ablations import check_ablation
from aiops_gym.learning.stack import GAMMA, PRICE
from aiops_gym.openrca.profiles import HARD
from aiops_gym.tools.registry import SETS
from aiops_gym.version import __version__

ALGORITHMS = ("maskable-ppo", "ppo")

RECIPE: Mapping[str, float] = {
    "horizon": 32,
    "batch": 128,
    "epochs": 10,
    "learning_rate": 2e-3,
    "entropy": 0.02,
    "gamma": GAMMA,
    "lambda": 0.95,
    "clip": 0.2,
    "divergence": 0.03,
    "again": 1,
    "curriculum": 1,
    "guided": 0.5,
    "before_repairs": 0,
    "price": PRICE,
}
"""Numbers of the learner: steps of each environment between two updates, size of a minibatch, passes over the steps,
step size at the start (it falls to 0), weight of the entropy, discount, weight of longer returns, range of a change,
divergence from the policy that played at which an update ends, episodes from each start. Then those of the exploration:
whether families that are sometimes solved are drawn more often, for what share of the run answers wait for all looks in
some episodes (in all at the start, in none from then on), whether repairs wait likewise, and the price of a call."""

Range = tuple[str, Callable[[float], bool]]

_SOME: Range = ("a whole number, 1 or more", lambda value: value >= 1 and value == int(value))
_MANY: Range = ("a whole number, 2 or more", lambda value: value >= 2 and value == int(value))
_SHARE: Range = ("from 0 to 1", lambda value: 0 <= value <= 1)
_STEP: Range = ("above 0 and at most 1", lambda value: 0 < value <= 1)
_ABOVE: Range = ("above 0", lambda value: value > 0)
_WEIGHT: Range = ("0 or more", lambda value: value >= 0)
_SWITCH: Range = ("0 or 1", lambda value: value in (0, 1))

RANGES: Mapping[str, Range] = {
    "horizon": _SOME,
    "batch": _MANY,
    "epochs": _SOME,
    "learning_rate": _STEP,
    "entropy": _WEIGHT,
    "gamma": _SHARE,
    "lambda": _SHARE,
    "clip": _ABOVE,
    "divergence": _ABOVE,
    "again": _SOME,
    "curriculum": _SWITCH,
    "guided": _SHARE,
    "before_repairs": _SWITCH,
    "price": _WEIGHT,
}
"""What each of them may be."""

UPDATE = 100_000
"""Steps between two updates at most: each takes some 25 KB of memory."""

OF_TASK: Mapping[str, Mapping[str, float]] = {"mitigation": {"again": 4, "before_repairs": 1}}
"""What is different for a task: a mitigation ends in so many ways that it helps to see several from one start, while
the tasks that end with a name learn more from other starts; and whoever begins to repair before the looks finds the
repairs of a few families, and stops looking."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A training run.

    Attributes:
        task: `detection`, `localization`, `analysis` or `mitigation`; or `openrca_bank`, `openrca_market`,
            `openrca_telecom` over recorded telemetry.
        algorithm: one of `ALGORITHMS`.
        steps: actions in all environments together; rounded up to whole updates.
        seed: of the networks, the environments and the evaluations.
        envs: environments that are played at the same time.
        split: whose problems are drawn; None for the fixed ones.
        tier: likewise; None for all but the hard ones.
        tools: which there are, `basic` or `all`; over recorded telemetry always all.
        problems: ids to draw from instead.
        root: folder of recorded telemetry; "" for the synthetic data of `profile`.
        profile: `hard` or `easy`.
        every: steps between two checkpoints, rounded up to whole updates.
        evaluate: steps between two evaluations, rounded up to whole checkpoints; 0 for none but the last.
        sample: problems with a fault in an evaluation.
        without: what is left out of what it sees, a name of `ablations.ABLATIONS`; "" for nothing.
        recipe: what differs from `RECIPE`.
        version: of the package.
    """

    task: str
    algorithm: str = ALGORITHMS[0]
    steps: int = 100_000
    seed: int = 0
    envs: int = 16
    split: str | None = "train"
    tier: str | None = None
    tools: str = SETS[0]
    problems: tuple[str, ...] = ()
    root: str = ""
    profile: str = HARD
    every: int = 8_192
    evaluate: int = 16_384
    sample: int = 16
    without: str = ""
    recipe: Mapping[str, float] = field(default_factory=dict)
    version: str = __version__

    def __post_init__(self) -> None:
        """Check all of it but the packages. Raises ArgumentError for names, and ValueError for numbers."""
        for what, given, known in (
            ("task", self.task, (*TASKS, *RECORDED_TASKS)),
            ("algorithm", self.algorithm, ALGORITHMS),
            ("set of tools", self.tools, SETS),
        ):
            if given not in known:
                raise ArgumentError(f"there is no {what} {given!r}; there are {', '.join(known)}")
        check_ablation(self.without)
        for name, value in self.recipe.items():
            if name not in RECIPE:
                raise ArgumentError(f"there is no number {name!r} of the learner; there are {', '.join(RECIPE)}")
            words, fits = RANGES[name]
            if type(value) not in (int, float) or not isfinite(value) or not fits(value):
                raise ValueError(f"{name} must be {words}, not {value!r}")
        if min(self.steps, self.envs, self.every, self.sample) < 1 or self.evaluate < 0:
            raise ValueError("steps, envs, every and sample must be 1 or more, and evaluate 0 or more")
        if not 2 <= self.update <= UPDATE:
            raise ValueError(f"envs x horizon must be from 2 to {UPDATE:,} steps, not {self.update:,}")
        if self.update % self.batch:
            raise ValueError(f"batch {self.batch} must divide the {self.update} steps between two updates")
        if not 0 <= self.seed < 2**32:
            raise ValueError("seed must be from 0 to 2**32 - 1")
        if self.recorded:
            if self.tier or self.without:
                raise ArgumentError(f"{self.task} has no tiers, and nothing of what it sees can be left out")
            return
        registry.problems(self.task, split=self.split, tier=self.tier)
        Choice(self.task, self.problems or None, self.split, tier=self.tier)

    @property
    def recorded(self) -> bool:
        """Whether it is about recorded telemetry."""
        return self.task in RECORDED_TASKS

    def number(self, name: str) -> float:
        """A number of the learner."""
        return {**RECIPE, **OF_TASK.get(self.task, {}), **self.recipe}[name]

    @property
    def batch(self) -> int:
        """Steps of a minibatch."""
        return min(int(self.number("batch")), self.update)

    @property
    def update(self) -> int:
        """Steps between two updates."""
        return self.envs * int(self.number("horizon"))

    @property
    def segment(self) -> int:
        """Steps between two checkpoints: whole updates."""
        return self.update * -(-self.every // self.update)

    @property
    def total(self) -> int:
        """Steps of the run: whole updates."""
        return self.update * -(-self.steps // self.update)

    def looks_first(self, steps: int) -> float:
        """In what share of the episodes answers wait for the looks, after so many steps."""
        guided = self.number("guided") * self.total
        return max(0.0, 1 - steps / guided) if guided else 0.0

    def due(self, steps: int) -> bool:
        """Whether an evaluation belongs to the checkpoint after so many steps."""
        if steps >= self.total or not self.evaluate:
            return steps >= self.total
        return steps // self.evaluate > max(0, steps - self.segment) // self.evaluate

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        data: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return data

    def save(self, path: Path) -> None:
        """Write it, all or nothing."""
        files.write(path, json.dumps(self.to_json(), indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read it. Raises AiopsGymError for a file that holds none."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(**{**data, "problems": tuple(data["problems"])})
        except FileNotFoundError:
            raise AiopsGymError(f"{path.parent} holds no training run: there is no {path.name}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise AiopsGymError(f"{path} holds no settings of a training run: {error!r}") from None

    def differences(self, other: Settings) -> list[str]:
        """What is different in another run, in words; nothing for the same."""
        ours, theirs = self.to_json(), other.to_json()
        names = [each.name for each in fields(self) if ours[each.name] != theirs[each.name]]
        return [f"{name}: {ours[name]!r} before, {theirs[name]!r} now" for name in names]
