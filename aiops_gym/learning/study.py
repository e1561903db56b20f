"""The study behind `docs/learning.md`: each task learned from several seeds, and played beside the other agents.

Everything lies in one folder, and what is there is not done again: runs of training in `TASK/seed-K`, the episodes of
their tests in `TASK/seed-K/test`, and those of the other agents in `TASK/others`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiops_gym.catalog.model import TASKS as ALL
from aiops_gym.errors import ArgumentError
from aiops_gym.learning import trial
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.training import Progress, train
from aiops_gym.learning.trial import FAMILIAR, HEALTHY, NOVEL
from aiops_gym.runs import Episode, evaluate
from aiops_gym.runs.evaluation import Progress as Played
from aiops_gym.runs.folder import Folder

TASKS = ("detection", "localization", "mitigation")

STEPS: Mapping[str, int] = {"detection": 49_152, "localization": 65_536, "mitigation": 73_728}
"""Of a run: what two cores do in less than eight minutes."""

LEARNT, LEARNT_SAMPLED = "learnt", "learnt, sampled"
OTHERS: Mapping[str, str] = {
    "random": "random",
    "masked-random": "aiops_gym.learning:masked_random",
    "masked-random, looks first": "aiops_gym.learning:masked_random",
    "noop": "noop",
    "restart": "restart",
    "runbook": "runbook",
}
"""Agents beside the learnt ones, by what they are called in tables."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {"masked-random, looks first": {"looks_first": True}}
"""Options of some of them."""

Shown = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is, and of how much."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """One episode of a test.

    Attributes:
        agent: as tables call it.
        group: `familiar`, `novel` or `healthy`.
        seed: of the training run, 0 for agents that are not trained.
    """

    task: str
    agent: str
    group: str
    app: str
    fault: str
    problem: str
    seed: int
    episode: int
    success: float


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be learned and played.

    Attributes:
        out: folder of everything.
        seeds: runs of each task.
        steps: of a run; 0 for those of `STEPS`.
        sample: problems of each group in a test; 0 for all there are.
        workers: processes.
    """

    out: Path
    tasks: tuple[str, ...] = TASKS
    seeds: int = 3
    steps: int = 0
    sample: int = 0
    workers: int = 2

    def __post_init__(self) -> None:
        """Raises ArgumentError for tasks that cannot be studied."""
        if not self.tasks:
            raise ArgumentError("no task is named")
        for task in self.tasks:
            if task not in ALL:
                raise ArgumentError(f"there is no task {task!r}; there are {', '.join(ALL)}")
            if not self.steps and task not in STEPS:
                raise ArgumentError(f"how many steps a run of {task} has must be said")

    def settings(self, task: str, seed: int) -> Settings:
        """One of the runs."""
        steps = self.steps or STEPS[task]
        return Settings(task=task, steps=steps, seed=seed, evaluate=max(1, steps // 8))

    def run(self, task: str, seed: int) -> Path:
        """The folder of a run."""
        return self.out / task / f"seed-{seed}"


def carry_out(study: Study, shown: Shown) -> list[Score]:
    """Do what is not done yet, and collect all episodes."""
    for task in study.tasks:
        for seed in range(study.seeds):
            _train(study, task, seed, shown)
    return [score for task in study.tasks for score in _tests(study, task, shown)]


def _train(study: Study, task: str, seed: int, shown: Shown) -> None:
    def progress(now: Progress) -> None:
        shown(f"{task}, seed {seed}, solved {now.success:.0%}", now.steps, now.total)

    out = study.run(task, seed)
    if not (out / "summary.json").exists():
        shutil.rmtree(out / "test", ignore_errors=True)  # played by a model that is no more
    train(study.settings(task, seed), out, resume=True, processes=study.workers, progress=progress)


def _tests(study: Study, task: str, shown: Shown) -> Iterator[Score]:
    cases = trial.draw_cases(task, (FAMILIAR, NOVEL), study.sample or 10_000)
    for group in (FAMILIAR, HEALTHY, NOVEL):
        chosen = [case for case in cases if case.group == group]
        problems = list(dict.fromkeys(case.problem for case in chosen))
        if not problems:
            continue
        many = {"problems": problems, "seeds": -(-len(chosen) // len(problems)), "workers": study.workers}
        for name, agent in OTHERS.items():
            where = study.out / task / "others" / name.replace(", ", "-").replace(" ", "-") / group
            yield from _played(
                where, task, group, name, 0, shown, agents=agent, agent_options=OPTIONS.get(name), **many
            )
        for seed in range(study.seeds):
            run = study.run(task, seed)
            for name, sampled in ((LEARNT, False), (LEARNT_SAMPLED, True)):
                where = run / "test" / ("sampled" if sampled else "deterministic") / group
                options = {"model": str((run / "model.zip").resolve()), "sampled": sampled}
                agent = "aiops_gym.learning:trained"
                yield from _played(where, task, group, name, seed, shown, agents=agent, agent_options=options, **many)


def _played(
    where: Path, task: str, group: str, name: str, seed: int, shown: Shown, agents: str, **many: Any
) -> Iterator[Score]:
    """The episodes of an agent in one group of problems."""

    def progress(now: Played) -> None:
        shown(f"{task}, {name}: {group}", now.done, now.total)

    evaluate(agents, task, out=where, progress=progress, **many)
    folder = Folder(where)
    for entry in folder.plan().entries:
        solved = folder.finished(entry) and Episode.load(folder.episode(entry)).success
        yield Score(
            task=task,
            agent=name,
            group=group,
            app=entry.app,
            fault=entry.fault,
            problem=entry.problem,
            seed=seed,
            episode=entry.seed,
            success=float(solved),
        )


def group_by_agent(scores: Sequence[Score]) -> dict[str, list[Score]]:
    """Scores by agent: first those that are not trained, then the learnt."""
    order = [*OTHERS, LEARNT_SAMPLED, LEARNT]
    found = {name: [score for score in scores if score.agent == name] for name in order}
    return {name: rows for name, rows in found.items() if rows}
