"""What a run of fine-tuning was asked for: everything that its result depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from aiops_gym.catalog.model import TASKS
from aiops_gym.errors import AiopsGymError, ArgumentError, unknown
from aiops_gym.version import __version__

TINY = "tiny"
"""In place of the name of a model: one of two million weights, made for the lessons and untrained."""

SMALL: Mapping[str, Any] = {
    "warm": 2,
    "warm_rate": 1.5e-3,
    "rate": 2e-5,
    "completion": 768,
    "batch": 16,
    "warm_batch": 8,
    "steps": 12,
    "exams": 2,
}
"""What is set otherwise for it: a small network takes larger steps, and ends no answer before it has learned to; two
cores should be done with three seeds in little more than an hour."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A run of one seed."""

    model: str = TINY  # or a name or folder of transformers
    tasks: tuple[str, ...] = ("detection", "localization")
    budget: int = 8_192  # tokens of its context, as environments take it
    lessons: int = 600  # problems of the train split that the teacher plays
    warm: int = 3  # passes over the lessons
    warm_rate: float = 1e-5  # step size of the warm-up at its start; it falls to 0
    warm_batch: int = 4  # conversations of one of its steps
    steps: int = 40  # of GRPO
    rate: float = 1e-6  # its step size
    group: int = 8  # rollouts from one start, forks of one world
    starts: int = 4  # of one step
    batch: int = 4  # rollouts that pass through the model at once
    completion: int = 6_144  # tokens of a rollout behind its prompt, at most
    turns: int = 8  # calls of tools of a rollout, at most
    exams: int = 4  # in the course of GRPO, evenly
    exam: int = 16  # problems of each group in an exam
    vllm: int = 0  # 1 generates with vLLM in the same process, which needs a graphics card
    seed: int = 0  # of weights, data and generation
    version: str = __version__

    def __post_init__(self) -> None:
        """Raises ArgumentError for what cannot be."""
        for task in self.tasks:
            if task not in TASKS:
                raise unknown("task", task, TASKS)
        whole = [each.name for each in fields(self) if each.type == "int" and each.name not in ("seed", "vllm")]
        small = [name for name in whole if getattr(self, name) < 1 + (name == "group")]
        if small:
            raise ArgumentError(f"too small: {', '.join(small)}; a group has two rollouts, all else is one or more")
        for what, part in ((self.group * self.starts, self.batch), (self.steps, self.exams)):
            if what % part:
                raise ArgumentError(f"{what} does not divide by {part}: group * starts by batch, steps by exams")

    @classmethod
    def of(cls, model: str, given: Mapping[str, Any]) -> Self:
        """The defaults for a model, and what is given otherwise. Raises ArgumentError."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise unknown("setting", name, known)
        return cls(**{"model": model, **(SMALL if model == TINY else {}), **given})

    @property
    def part(self) -> int:
        """Steps of GRPO between two exams."""
        return self.steps // self.exams

    def adopt(self, path: Path) -> None:
        """Keep the settings, or compare them with those that are kept. Raises AiopsGymError for another run."""
        mine = json.loads(json.dumps(asdict(self)))
        if not path.exists():
            path.write_text(json.dumps(mine, indent=1) + "\n", encoding="utf-8")
        kept = json.loads(path.read_text(encoding="utf-8"))
        differences = [
            f"{name} was {kept.get(name)!r}, is {mine[name]!r}" for name in mine if kept.get(name) != mine[name]
        ]
        if differences:
            raise AiopsGymError(f"{path.parent} holds another run: {'; '.join(differences)}")
