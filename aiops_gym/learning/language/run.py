"""A run from lessons to the last exam, in stages: what is done is not done again, after a kill neither.

OUT/lessons/            what all seeds are shown, and the tiny model's tokenizer
OUT/seed-K/settings.json, start/, warm/, grpo/, exams/, stages/
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from aiops_gym import files, locks
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.language import lessons, rollouts, tiny, warmup
from aiops_gym.learning.language.settings import TINY, Settings
from aiops_gym.learning.side_by_side import Job, Tell, train_all

Shown = Callable[[str], None]
Summaries = list[dict[str, Any]]


class Run:
    """One seed.

    Args:
        out: the folder of all seeds.
        workers: processes that play the lessons; 0 plays them in this one.
        file: lessons that were exported elsewhere; None lets the teacher play.
        shown: told which stage begins.
    """

    def __init__(
        self, settings: Settings, out: Path, workers: int = 0, file: Path | None = None, shown: Shown = lambda _: None
    ) -> None:
        self.settings, self.workers, self.file, self.shown = settings, workers, file, shown
        self.shared, self.folder = out / "lessons", out / f"seed-{settings.seed}"

    def prepare(self) -> None:
        """Have the lessons, which all seeds share, and the model that nobody has trained. Raises as `carry_out`."""
        with self._held():
            self._stage("lessons", self._begin)

    def carry_out(self) -> dict[str, Any]:
        """Do all that is not done yet. Returns the summary, which `summary.json` holds too.

        Raises:
            AiopsGymError: the folder holds another run, or one that is going on.
        """
        with self._held():
            stages = self._stages()
            settings = json.loads((self.folder / "settings.json").read_text(encoding="utf-8"))
            summary = {"settings": settings, **stages, "spans": self._spans()}
            _write(self.folder / "summary.json", summary)
            return summary

    @contextmanager
    def _held(self) -> Iterator[None]:
        """While nobody else is at work in the folder, and no other run is in it."""
        os.environ |= {"TRL_EXPERIMENTAL_SILENCE": "1", "TOKENIZERS_PARALLELISM": "false"}
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            held = locks.take(self.folder / ".lock", wait=False)
        except BlockingIOError:
            raise AiopsGymError(f"another run is at work in {self.folder}") from None
        with held:
            self.settings.adopt(self.folder / "settings.json")
            yield

    def _spans(self) -> list[tuple[float, float]]:
        """When each stage began and ended, by when its file was written."""
        ends = {path: path.stat().st_mtime for path in (self.folder / "stages").glob("*.json")}
        took = {path: float(json.loads(path.read_text(encoding="utf-8"))["seconds"]) for path in ends}
        return sorted((round(ends[path] - took[path], 1), round(ends[path], 1)) for path in ends)

    def _stages(self) -> dict[str, Any]:
        settings, warm, grpo = self.settings, self.folder / "warm", self.folder / "grpo"
        shown = self._stage("lessons", self._begin)
        exams = [{"after": "start", "step": 0, **self._exam("start", self._model())}]
        warmed = self._stage(
            "warm-up", lambda: warmup.warm_up(settings, self._model(), self._lessons(), warm, _last(warm))
        )
        exams.append({"after": "warm-up", "step": 0, **self._exam("warm-up", warm / "model")})
        done: dict[str, Any] = {"log": [], "seconds": 0.0}
        for until in range(settings.part, settings.steps + 1, settings.part):
            seconds = done["seconds"]
            done = self._stage(f"grpo-{until}", lambda until=until: self._learn(until))  # type: ignore[misc]
            done["seconds"] += seconds
            exams.append({"after": "grpo", "step": until, **self._exam(f"grpo-{until}", grpo / f"model-{until}")})
        return {"lessons": shown, "warm": warmed, "grpo": done, "exams": exams}

    def _stage(self, name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a stage gave, and the seconds that it took: of its last attempt, where it was killed."""
        path = self.folder / "stages" / f"{name}.json"
        if not path.exists():
            self.shown(f"seed {self.settings.seed}: {name}")
            began = time.perf_counter()
            given = work()
            _write(path, {**given, "seconds": round(time.perf_counter() - began, 1)})
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _begin(self) -> dict[str, Any]:
        """Lessons, and the model that nobody has trained."""
        self.shared.mkdir(parents=True, exist_ok=True)
        if self.file is not None:
            shutil.copyfile(self.file, self.shared / "lessons.jsonl")
        lessons.play_lessons(self.settings, self.shared, self.workers)
        shown = self._lessons()
        if self.settings.model == TINY:
            tokenizer = tiny.make_tokenizer(shown)
            tiny.make_model(tokenizer, self.settings.seed).save_pretrained(self.folder / "start")
            tokenizer.save_pretrained(self.folder / "start")
        return {"lessons": len(shown)}

    def _model(self) -> Path:
        return self.folder / "start" if self.settings.model == TINY else Path(self.settings.model)

    def _lessons(self) -> list[dict[str, Any]]:
        kinds = rollouts.make_environments(self.settings)
        tools = {task: rollouts.list_tools(kind) for task, kind in kinds.items()}
        return lessons.read_lessons(self.shared / "lessons.jsonl", tools)

    def _learn(self, until: int) -> dict[str, Any]:
        """GRPO up to an exam; the model that sits it is kept, and those before it are not."""
        grpo, start = self.folder / "grpo", self.folder / "warm" / "model"
        found = rollouts.train(self.settings, start, grpo, until, _last(grpo, until))
        kept = grpo / f"model-{until}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(grpo / f"checkpoint-{until}", kept, ignore=shutil.ignore_patterns("*.pt", "*.pth", "*.bin"))
        shutil.rmtree(grpo / f"model-{until - 2 * self.settings.part}", ignore_errors=True)
        return found

    def _exam(self, name: str, model: Path) -> dict[str, Any]:
        sat = self.folder / "exams"
        return self._stage(f"exam-{name}", lambda: {"rows": rollouts.examine(self.settings, model, sat)})


def carry_out_all(
    settings: Sequence[Settings], out: Path, beside: int, workers: int, file: Path | None, shown: Shown
) -> Summaries:
    """The summaries of some seeds, carried out beside each other.

    On a processor, several seeds of a small model take less time beside each other than one after the other.

    Args:
        beside: seeds at the same time, each with its part of the processors; 1 carries out one after the other.
        workers: processes that play the lessons.
        file: lessons that were exported elsewhere; None lets the teacher play.
        shown: told which stage begins.

    Raises:
        AiopsGymError: as `Run.carry_out`.
    """
    for each in settings:
        Run(each, out, workers, file, shown).prepare()
    if beside > 1:
        threads = max(1, (os.cpu_count() or 1) // beside)
        train_all(
            [Job(each, out, partial(_carry_out, threads)) for each in settings], beside, lambda _, now: shown(now)
        )
    return [Run(each, out, workers, file, shown).carry_out() for each in settings]


def _carry_out(threads: int, settings: Settings, out: Path, tell: Tell) -> None:
    import torch  # noqa: PLC0415

    torch.set_num_threads(threads)
    Run(settings, out, shown=tell).carry_out()


def _last(folder: Path, until: int | None = None) -> Path | None:
    """The newest checkpoint that is whole, none beyond a step; half-written ones are removed."""
    found = {}
    for path in folder.glob("checkpoint-*"):
        if (path / "trainer_state.json").exists():
            found[int(path.name.rpartition("-")[2])] = path
        else:
            shutil.rmtree(path)
    fitting = [step for step in found if until is None or step <= until]
    return found[max(fitting)] if fitting else None


def _write(path: Path, data: dict[str, Any]) -> None:
    files.write(path, json.dumps(data, indent=1) + "\n")
