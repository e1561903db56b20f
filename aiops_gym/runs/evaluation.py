"""Many episodes: planned, played in parallel, resumed, summarised."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from aiops_gym.agents.base import hide_secrets
from aiops_gym.catalog.model import TASKS
from aiops_gym.runs import workers as processes
from aiops_gym.runs.arguments import Arguments
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.judge import Judge
from aiops_gym.runs.plan import Entry, make_plan, unique
from aiops_gym.runs.player import Player
from aiops_gym.runs.ray_cluster import RayCluster
from aiops_gym.runs.summary import Summary, summarise

ALL = "all"
"""As a task: all tasks of live incidents."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far an evaluation is.

    Attributes:
        total: episodes that were asked for.
        done: episodes that are kept.
        failed: entries that ended without an episode in this run.
    """

    total: int
    done: int
    failed: int


def evaluate(
    agents: str | Sequence[str],
    tasks: str | Sequence[str] = ALL,
    *,
    out: str | os.PathLike[str],
    split: str | Sequence[str] | None = None,
    tier: str | None = None,
    seeds: int = 1,
    sample: float | None = None,
    app: str | None = None,
    problems: Sequence[str] = (),
    env_kwargs: Mapping[str, Any] | None = None,
    agent_options: Mapping[str, Any] | None = None,
    workers: int = 1,
    cluster: RayCluster | None = None,
    limit: float | None = None,
    tokenizer: str = "",
    judge: Judge | None = None,
    signals: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Let agents play problems, keep every episode, and say how well they did.

    Asked again with the same arguments, it plays only what is not there yet; with more agents, seeds, problems or
    another split it adds these to the folder, and plays nothing twice.

    Args:
        agents: names of agents, or `module:function` for a function or class `(env, seed) -> Agent`; here and below,
            one text may hold several with commas between them.
        tasks: `detection`, `localization`, `analysis`, `mitigation`, `openrca_bank` ..., or `all` for the first four.
        out: folder of the results: `plan.json`, `episodes/`, `errors/`, `summary.json` and `summary.csv`.
        split: `train`, `test`, or both; None for the fixed problems.
        tier: `basic`, `standard` or `hard`; None for all but the hard ones.
        seeds: episodes of each problem, with the seeds 0, 1, ...
        sample: of each split at most so many problems of all tasks together, or below 1 a share of them; None for all.
            The hash of their ids chooses evenly: tasks, families and answers come up as in the whole split, rare ones
            perhaps not.
        app: only problems of this app.
        problems: only these, with the seeds as given; no healthy ones are added.
        env_kwargs: arguments of every environment, JSON data.
        agent_options: options of the agents, JSON data; each agent gets those that it takes. Secrets among them, such
            as `api_key`, are not written down.
        workers: processes that play at the same time; 0 plays in this one.
        cluster: machines on which that many actors play instead, to the same bytes.
        limit: real seconds after which an episode is ended as an error of its agent; None for none. Only processes can
            be ended: it needs workers.
        tokenizer: `module:function`, text -> its tokens or their number, with which tokens are counted; without one
            they are estimated.
        judge: judges the reasoning of finished episodes, those that are there already too; never changes a reward.
        signals: whether episodes keep alerts and golden signals, which the viewer shows; they take about 0.2 s each,
            and several times as long on tier hard.
        progress: called at the beginning and after every episode.

    Raises:
        AiopsGymError: a name that does not exist, or a folder that was played with another version, other
            `env_kwargs`, or other options of an agent.
        ValueError: a number that makes no sense.
        OSError: a file cannot be written; what was played until then is kept.
    """
    arguments = Arguments(
        agents=unique(_listed(agents)),
        tasks=unique([each for task in _listed(tasks) for each in (TASKS if task == ALL else (task,))]),
        splits=unique(_listed(split or ())),
        tier=tier or "",
        seeds=seeds,
        sample=sample or 0,
        app=app,
        problems=unique(problems),
        env_kwargs=dict(env_kwargs or {}),
        agent_options=hide_secrets(agent_options or {}),
        tokenizer=tokenizer,
        judge=judge.model if judge else "",
    )
    _check(sample, workers, cluster, limit)
    plan, folder = make_plan(arguments), Folder(Path(out))
    player = Player(folder, arguments.env_kwargs, judge, dict(agent_options or {}), tokenizer, signals)
    with folder.locked():
        folder.adopt(plan)
        entries = plan.to_play()
        left = [entry for entry in entries if not player.done(entry)]
        done, failed = len(entries) - len(left), 0
        if progress:
            progress(Progress(total=len(entries), done=done, failed=0))
        for _, fault in _played(player, left, workers, cluster, limit):
            done, failed = done + (not fault), failed + bool(fault)
            if progress:
                progress(Progress(total=len(entries), done=done, failed=failed))
        summary = summarise(folder)
        summary.save(folder.path)
    return summary


def _check(sample: float | None, workers: int, cluster: RayCluster | None, limit: float | None) -> None:
    """Raises ValueError for numbers that make no sense."""
    if sample is not None and not (0 < sample < 1 or (1 <= sample < inf and sample == int(sample))):
        raise ValueError(f"a sample is a number of problems, 1 or more, or a share of them below 1, not {sample:g}")
    if workers < (1 if cluster else 0):
        raise ValueError(f"workers must be {'1' if cluster else '0'} or more, not {workers}")
    if limit is not None and not 0 < limit < inf:
        raise ValueError(f"a limit is a number of seconds above 0, not {limit:g}")
    if limit is not None and workers == 0:
        raise ValueError("a limit needs workers, 1 or more: only a process of its own can be ended")


def _played(
    player: Player, entries: Sequence[Entry], workers: int, cluster: RayCluster | None, limit: float | None
) -> Iterator[tuple[Entry, str]]:
    if cluster is not None:
        return cluster.play(player, entries, workers, limit)
    if workers == 0:
        return ((entry, player.play(entry)) for entry in entries)
    return processes.play(player, entries, workers, limit)


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else tuple(value)
