"""The study behind `docs/learning.md`: each task learned from several seeds, and played beside the other agents.

Everything lies in one folder, and what is there is not done again: runs of training in `TASK/seed-K`, those that leave
something out in `TASK/without-NAME/seed-K`, networks that were shown the answers in `TASK/imitation/seed-K` and
`TASK/imitation-without-NAME/seed-K`, the episodes of their tests below each, those of the other agents in
`TASK/others`, and what actions can do in `mitigation/actions`. A study may be cut short at any time; with more tasks,
seeds or ablations it goes on.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from aiops_gym.catalog.model import TASKS as ALL
from aiops_gym.errors import ArgumentError
from aiops_gym.learning import trial
from aiops_gym.learning.ablations import ABLATIONS
from aiops_gym.learning.imitation import LESSONS, imitate
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.side_by_side import Job, train_all
from aiops_gym.learning.training import Progress, train
from aiops_gym.learning.trial import FAMILIAR, HEALTHY, NOVEL
from aiops_gym.runs import Episode, evaluate
from aiops_gym.runs.evaluation import Progress as Played
from aiops_gym.runs.folder import Folder
from aiops_gym.tools.registry import SETS

TASKS = ("detection", "localization", "mitigation")

STEPS: Mapping[str, int] = {"detection": 49_152, "localization": 65_536, "mitigation": 73_728}
"""Of a run: what the published page has."""

LEARNT, LEARNT_SAMPLED, IMITATION = "learnt", "learnt, sampled", "shown the answers"
OTHERS: Mapping[str, str] = {
    "random": "random",
    "masked-random": "aiops_gym.learning:masked_random",
    "masked-random, looks first": "aiops_gym.learning:masked_random",
    "noop": "noop",
    "restart": "restart",
    "runbook": "runbook",
    "oncall": "oncall",
    "script": "aiops_gym.learning:scripted",
}
"""Agents beside the learnt ones, by what they are called in tables; `oncall` only where there are all tools."""

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
        actions: until the end, the answer among them.
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
    actions: int = 0


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be learned and played.

    Attributes:
        out: folder of everything.
        seeds: runs of each task.
        ablations: runs of each task with each of `ABLATIONS` left out; 0 for none of them.
        imitations: networks that are shown the answers, with nothing and with each of these left out; likewise.
        steps: of a run; 0 for those of `STEPS`.
        tier: whose problems are learned and played; None for all but the hard ones.
        tools: which there are, `basic` or `all`.
        sample: problems of each group in a test; 0 for all there are.
        lessons: episodes that show the answers; 0 for those of `imitation.LESSONS`.
        workers: processes: runs of training beside each other, then episodes of tests; 0 does it all in this one.
    """

    out: Path
    tasks: tuple[str, ...] = TASKS
    seeds: int = 5
    ablations: int = 1
    imitations: int = 1
    steps: int = 0
    tier: str | None = None
    tools: str = SETS[0]
    sample: int = 0
    lessons: int = 0
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

    def settings(self, task: str, seed: int, without: str = "") -> Settings:
        """One of the runs."""
        steps = self.steps or STEPS[task]
        given: dict[str, Any] = {"tier": self.tier, "tools": self.tools}
        return Settings(task=task, steps=steps, seed=seed, evaluate=max(1, steps // 8), without=without, **given)

    def run(self, task: str, seed: int, kind: str = "") -> Path:
        """The folder of a run: one that leaves something out is of another kind, as `without-drift`."""
        return self.out / task / kind / f"seed-{seed}"


@dataclass(frozen=True, kw_only=True)
class Learnt:
    """A network that is played.

    Attributes:
        name: as tables call it.
        run: its folder.
        seed: of the run.
        options: of the agent, besides the model.
    """

    name: str
    run: Path
    seed: int
    options: Mapping[str, Any]


def carry_out(study: Study, shown: Shown) -> list[Score]:
    """Do what is not done yet, and collect all episodes."""
    _train(study, shown)
    for task in study.tasks:
        for seed in range(study.imitations):
            for without in ("", *ABLATIONS):
                _imitate(study, task, seed, without, shown)
    return [score for task in study.tasks for score in _tests(study, task, shown)]


def _train(study: Study, shown: Shown) -> None:
    """All runs: those of every task first, then those that leave something out."""
    whole = [("", task, seed) for task in study.tasks for seed in range(study.seeds)]
    less = [(name, task, seed) for task in study.tasks for seed in range(study.ablations) for name in ABLATIONS]
    jobs = []
    for without, task, seed in whole + less:
        settings = study.settings(task, seed, without)
        out = study.run(task, seed, f"without-{without}" if without else "")
        if (out / "summary.json").exists():
            train(settings, out, resume=True)  # which refuses other settings
        else:
            shutil.rmtree(out / "test", ignore_errors=True)  # played by a model that is no more
            jobs.append(Job(settings, out))

    def progress(job: Job, now: Progress) -> None:
        asked = job.settings
        less = f" without {asked.without}" if asked.without else ""
        shown(f"{asked.task}{less}, seed {asked.seed}, solved {now.success:.0%}", now.steps, now.total)

    train_all(jobs, study.workers, progress)


def _imitate(study: Study, task: str, seed: int, without: str, shown: Shown) -> None:
    lessons = study.lessons or LESSONS[task]
    imitate(
        study.settings(task, seed, without),
        study.run(task, seed, _name_imitation(without)),
        lessons,
        lambda n: shown(f"{task}, lessons of seed {seed}{f' without {without}' if without else ''}", n, lessons),
        study.run(task, seed, _name_imitation("")),
    )


def _name_imitation(without: str) -> str:
    return f"imitation-without-{without}" if without else "imitation"


def _list_learnt(study: Study, task: str) -> Iterator[Learnt]:
    """All networks of a task, and how each is played."""
    for seed in range(study.seeds):
        yield Learnt(name=LEARNT, run=study.run(task, seed), seed=seed, options={"sampled": False})
        yield Learnt(name=LEARNT_SAMPLED, run=study.run(task, seed), seed=seed, options={"sampled": True})
    for seed, without in product(range(study.imitations), ("", *ABLATIONS)):
        run, options = study.run(task, seed, _name_imitation(without)), {"sampled": False, "without": without}
        yield Learnt(name=name_ablation(without, IMITATION), run=run, seed=seed, options=options)
    for seed, without in product(range(study.ablations), ABLATIONS):
        run, options = study.run(task, seed, f"without-{without}"), {"sampled": False, "without": without}
        yield Learnt(name=name_ablation(without), run=run, seed=seed, options=options)


def name_ablation(without: str, kind: str = LEARNT) -> str:
    """What tables call the networks that something was left out for.

    >>> name_ablation("drift"), name_ablation("shuffled", IMITATION), name_ablation("", IMITATION)
    ('learnt, drift left out', 'shown the answers, shuffled', 'shown the answers')
    """
    return f"{kind}, {without} left out" if without not in ("", "shuffled") else f"{kind}, {without}".removesuffix(", ")


def _tests(study: Study, task: str, shown: Shown) -> Iterator[Score]:
    cases = trial.draw_cases(task, (FAMILIAR, NOVEL), study.sample or 10_000, study.tier)
    for group in (FAMILIAR, HEALTHY, NOVEL):
        chosen = [case for case in cases if case.group == group]
        problems = list(dict.fromkeys(case.problem for case in chosen))
        if not problems:
            continue
        many: dict[str, Any] = {"problems": problems, "seeds": -(-len(chosen) // len(problems))}
        many |= {"workers": study.workers, "env_kwargs": {"tools": study.tools}}
        for name, agent in OTHERS.items():
            if name == "oncall" and study.tools != "all":
                continue
            where = study.out / task / "others" / name.replace(", ", "-").replace(" ", "-") / group
            yield from _played(
                where, task, group, name, 0, shown, agents=agent, agent_options=OPTIONS.get(name), **many
            )
        for each in _list_learnt(study, task):
            where = each.run / "test" / ("sampled" if each.options["sampled"] else "deterministic") / group
            options = {"model": str((each.run / "model.zip").resolve()), **each.options}
            agent = "aiops_gym.learning:trained"
            yield from _played(
                where, task, group, each.name, each.seed, shown, agents=agent, agent_options=options, **many
            )


def _played(
    where: Path, task: str, group: str, name: str, seed: int, shown: Shown, agents: str, **many: Any
) -> Iterator[Score]:
    """The episodes of an agent in one group of problems."""

    def progress(now: Played) -> None:
        shown(f"{task}, {name}: {group}", now.done, now.total)

    evaluate(agents, task, out=where, progress=progress, signals=False, **many)
    folder = Folder(where)
    for entry in folder.plan().entries:
        episode = Episode.load(folder.episode(entry)) if folder.finished(entry) else None
        yield Score(
            task=task,
            agent=name,
            group=group,
            app=entry.app,
            fault=entry.fault,
            problem=entry.problem,
            seed=seed,
            episode=entry.seed,
            success=float(episode is not None and episode.success),
            actions=len(episode.steps) if episode else 0,
        )


def group_by_agent(scores: Sequence[Score]) -> dict[str, list[Score]]:
    """Scores by agent: first those that are not trained, then the learnt."""
    shown = [name_ablation(without, IMITATION) for without in (*ABLATIONS, "")]
    order = [*OTHERS, *shown, *map(name_ablation, ABLATIONS), LEARNT_SAMPLED, LEARNT]
    found = {name: [score for score in scores if score.agent == name] for name in order}
    return {name: rows for name, rows in found.items() if rows}
