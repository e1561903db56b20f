"""What a run of fine-tuning was asked for: everything that its result depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from aiops_gym.catalog.model import TASKS
from aiops_gym.errors import AiopsGymError, ArgumentError
from aiops_gym.version import __version__

TINY = "tiny"
"""In place of the name of a model: one of two million weights, made for the lessons and untrained."""

SMALL: Mapping[str, Any] = {
    "warm_rate": 1.5e-3,
    "rate": 2e-4,
    "completion": 1_024,
    "batch": 16,
    "warm_batch": 8,
}
"""What is set otherwise for it: a small network takes larger steps, and ends no answer before it has learned to."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A run of one seed.

    Attributes:
        model: a name or folder of transformers, or `tiny`.
        tasks: that it learns, all at once.
        budget: tokens of its context, see `budget` of the environments.
        lessons: problems of the train split that the teacher plays.
        warm: passes over the lessons.
        warm_rate: step size of the warm-up at its start; it falls to 0.
        warm_batch: conversations of one of its steps.
        steps: of GRPO.
        rate: its step size.
        group: rollouts from one start, forks of one world.
        starts: worlds of one step.
        batch: rollouts that pass through the model at once.
        completion: tokens of a rollout behind its prompt, at most.
        turns: calls of tools of a rollout, at most.
        exams: of GRPO, evenly over its steps.
        exam: problems of each group in an exam.
        vllm: 1 generates with vLLM in the same process, which needs a graphics card.
        seed: of weights, data and generation.
    """

    model: str = TINY
    tasks: tuple[str, ...] = ("detection", "localization")
    budget: int = 8_192
    lessons: int = 600
    warm: int = 3
    warm_rate: float = 1e-5
    warm_batch: int = 4
    steps: int = 48
    rate: float = 1e-6
    group: int = 8
    starts: int = 4
    batch: int = 4
    completion: int = 6_144
    turns: int = 8
    exams: int = 4
    exam: int = 20
    vllm: int = 0
    seed: int = 0
    version: str = __version__

    def __post_init__(self) -> None:
        """Raises ArgumentError for what cannot be."""
        for task in self.tasks:
            if task not in TASKS:
                raise ArgumentError(f"there is no task {task!r}; there are {', '.join(TASKS)}")
        for name in (
            "budget",
            "lessons",
            "group",
            "starts",
            "batch",
            "completion",
            "turns",
            "exams",
            "exam",
            "warm_batch",
        ):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be 1 or more")
        if self.group < 2:
            raise ArgumentError("a group of one rollout has nothing to be compared with")
        if self.group * self.starts % self.batch:
            raise ArgumentError(
                f"{self.group} rollouts of {self.starts} starts do not divide into batches of {self.batch}"
            )
        if self.steps % self.exams:
            raise ArgumentError(f"{self.steps} steps do not divide into {self.exams} parts with an exam after each")

    @classmethod
    def of(cls, model: str, given: Mapping[str, Any]) -> Self:
        """The defaults for a model, and what is given otherwise. Raises ArgumentError."""
        known = {each.name: each.type for each in fields(cls)}
        for name in given:
            if name not in known:
                raise ArgumentError(f"there is no setting {name!r}; there are {', '.join(known)}")
        return cls(**{"model": model, **(SMALL if model == TINY else {}), **given})

    def with_seed(self, seed: int) -> Self:
        """The same of another seed."""
        return replace(self, seed=seed)

    @property
    def part(self) -> int:
        """Steps of GRPO between two exams."""
        return self.steps // self.exams

    def adopt(self, path: Path) -> None:
        """Keep the settings, or compare them with those that are kept. Raises AiopsGymError for another run."""
        mine = json.loads(json.dumps(asdict(self)))
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(mine, indent=1) + "\n", encoding="utf-8")
        kept = json.loads(path.read_text(encoding="utf-8"))
        differences = [
            f"{name} was {kept.get(name)!r}, is {mine[name]!r}" for name in mine if kept.get(name) != mine[name]
        ]
        if differences:
            raise AiopsGymError(f"{path.parent} holds another run: {'; '.join(differences)}")
