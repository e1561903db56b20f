"""The folder of a training run: its settings, the last checkpoints, the model, and what can be seen of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from aiops_gym import locks
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.settings import Settings

KEPT = 2
"""Checkpoints that are kept, the newest."""

HALF = ".half"


@dataclass
class State:
    """Where a run is; with the model it is all that the rest of the run depends on.

    Attributes:
        steps: done.
        seconds: that it took, of the wall clock.
        curriculum: what the wrapper `Curriculum` of each environment has learned; empty without one.
        training: a row an update: steps, mean return and success of the last episodes.
        evaluations: a row an evaluation.
    """

    steps: int = 0
    seconds: float = 0.0
    curriculum: list[Any] = field(default_factory=list)
    training: list[dict[str, float]] = field(default_factory=list)
    evaluations: list[dict[str, Any]] = field(default_factory=list)


class Folder:
    """Where a run is kept.

    Args:
        path: made when it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.model, self.summary, self.curve = path / "model.zip", path / "summary.json", path / "curve.png"
        self.tensorboard = path / "tensorboard"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else trains in it meanwhile; the lock ends with the process, however that ends."""
        self.checkpoints.mkdir(parents=True, exist_ok=True)
        try:
            held = locks.take(self.path / ".lock", wait=False)
        except BlockingIOError:
            raise AiopsGymError(f"another training run is at work in {self.path}") from None
        with held:
            yield

    def adopt(self, settings: Settings, resume: bool) -> None:
        """Keep the settings, or compare them with those that are kept.

        Raises:
            AiopsGymError: there is a run already that is not to be resumed, or another one.
        """
        path = self.path / "settings.json"
        if path.exists():
            if not resume:
                raise AiopsGymError(f"{self.path} holds a training run: --resume continues it")
            if differences := Settings.load(path).differences(settings):
                raise AiopsGymError(f"{self.path} holds another training run: {'; '.join(differences)}")
        settings.save(path)

    def last(self) -> tuple[Path | None, State]:
        """The newest checkpoint's model and state; without one no model, and the state at the start."""
        found = self._sorted()
        if not found:
            return None, State()
        data = json.loads((found[-1] / "state.json").read_text(encoding="utf-8"))
        return found[-1] / "model.zip", State(**data)

    def keep(self, learner: Any, state: State) -> None:
        """Save a checkpoint, all or nothing, and forget the oldest."""
        place = self.checkpoints / f"{state.steps:010d}-{len(state.evaluations):04d}"
        if place.exists():
            return
        half = self.checkpoints / HALF
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        learner.save(half / "model.zip")
        (half / "state.json").write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
        half.rename(place)
        for old in self._sorted()[:-KEPT]:
            shutil.rmtree(old)

    def finish(self, settings: Settings, state: State) -> dict[str, Any]:
        """Put the newest model and a summary where people look for them. Returns the summary."""
        model, _ = self.last()
        assert model is not None
        half = self.path / ".model.half"
        shutil.copyfile(model, half)
        half.replace(self.model)
        summary = {"settings": settings.to_json(), **asdict(state)}
        del summary["curriculum"]
        half = self.path / ".summary.half"
        half.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
        half.replace(self.summary)
        return summary

    def _sorted(self) -> list[Path]:
        return sorted(each for each in self.checkpoints.glob("*") if each.name != HALF)
