"""Which problems an evaluation poses, and with which seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import POSED
from aiops_gym.envs.naming import ENVS
from aiops_gym.errors import ArgumentError
from aiops_gym.openrca.problems import Problem as Question
from aiops_gym.openrca.problems import Questions, system_of
from aiops_gym.runs.arguments import Arguments, make_env

HEALTHY = "healthy"
"""Family of the episodes in which nothing is wrong."""

OTHER_SEEDS = {"test": 1_000_000}
"""First seed of healthy episodes in a split, so that none of them is in both."""


@dataclass(frozen=True, kw_only=True)
class Posed:
    """What an evaluation needs to know of a problem, live or recorded."""

    id: str
    env: str
    task: str
    app: str
    fault: str
    target: str = ""
    split: str = ""
    tier: str = ""


def choose_problems(arguments: Arguments) -> Iterator[tuple[Posed, int, str]]:
    """The problems, each with a seed and the split that it is played for. Raises ArgumentError where there is none."""
    of_split = _named if arguments.problems else _of_split
    found = False
    for split in arguments.splits or ("",):
        for problem, seed in of_split(arguments, split):
            found = True
            yield problem, seed, split
    if not found:
        raise ArgumentError(f"there is nothing to play: no problem of {_wanted(arguments)}")


def digest(text: str) -> float:
    """A number in [0, 1) that follows from a text.

    >>> digest("a") == digest("a"), 0.0 <= digest("b") < 1.0
    (True, True)
    """
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") / 2.0**64


def take_sample(ids: Iterable[str], sample: float) -> list[str]:
    """The ids that a sample holds, sorted; a larger sample holds all of a smaller one.

    >>> take_sample("abcdef", 0), len(take_sample("abcdef", 2))
    (['a', 'b', 'c', 'd', 'e', 'f'], 2)
    >>> set(take_sample("abcdef", 2)) < set(take_sample("abcdef", 4))
    True
    """
    ordered = sorted(ids, key=lambda each: (digest(each), each))
    if 0 < sample < 1:
        return sorted(each for each in ordered if digest(each) < sample)
    return sorted(ordered[: int(sample)] if sample else ordered)


def _named(arguments: Arguments, split: str) -> Iterator[tuple[Posed, int]]:
    """The problems that are named and belong to the split, each with each seed. One that belongs to none is refused."""
    read: dict[str, Questions] = {}
    for id_ in arguments.problems:
        system = system_of(id_)
        task = f"openrca_{system[0].name}" if system else ""
        posed = _question(arguments, id_, task, read) if task else _live(registry.find_problem(id_))
        chosen = not arguments.splits or posed.split in ("", *arguments.splits)
        chosen = chosen and arguments.tier in ("", posed.tier)
        if posed.task not in (arguments.tasks or ENVS) or arguments.app not in (None, posed.app) or not chosen:
            raise ArgumentError(f"the problem {id_!r} is none of {_wanted(arguments)}")
        for seed in range(arguments.seeds if split in ("", posed.split) or not posed.split else 0):
            yield posed, seed


def _wanted(arguments: Arguments) -> str:
    """The choice in words."""
    app = f" of {arguments.app}" if arguments.app else ""
    split = f" in {' or '.join(arguments.splits)}" if arguments.splits else ""
    tier = f" of tier {arguments.tier}" if arguments.tier else ""
    return f"{', '.join(arguments.tasks)}{app}{split}{tier}"


def _of_split(arguments: Arguments, split: str) -> Iterator[tuple[Posed, int]]:
    faulty, calm = _pool(arguments, split)
    room = arguments.sample
    if room >= 1:  # the healthy ones are problems too, but never the most of them
        kept = min(len(calm), int(room) // 2)
        calm = {id_: calm[id_] for id_ in (take_sample(calm, kept) if kept else ())}
        room -= kept
    chosen = [faulty[id_] for id_ in take_sample(faulty, room)]
    for posed in chosen:
        for seed in range(arguments.seeds):
            yield posed, seed
    for task, share in registry.HEALTHY_SHARE.items():
        healthy = [posed for posed in calm.values() if posed.task == task]
        count = round(share / (1 - share) * sum(posed.task == task for posed in chosen) * arguments.seeds)
        for at in range(max(1, count) if healthy else 0):
            yield healthy[at % len(healthy)], OTHER_SEEDS.get(split, 0) + at // len(healthy)


def _pool(arguments: Arguments, split: str) -> tuple[dict[str, Posed], dict[str, Posed]]:
    """All problems of the tasks in which something is wrong, by id, and the healthy ones."""
    faulty: list[Posed] = []
    calm: list[Posed] = []
    for task in arguments.tasks:
        if task in POSED:
            wanted = split or None, arguments.tier or None
            found = registry.problems(task, arguments.app, *wanted)
            faulty += [_live(each) for each in found if each.fault]
            calm += [_live(each) for each in registry.list_healthy(task, *wanted) if arguments.app in (None, each.app)]
        elif arguments.app is None:
            faulty += _recorded(arguments, task, split)
    return {each.id: each for each in faulty}, {each.id: each for each in calm}


def _live(problem: Any) -> Posed:
    task = problem.task
    fault, target, split = problem.fault or HEALTHY, problem.target or "", problem.split if problem.fault else ""
    where = {"app": problem.app, "fault": fault, "target": target, "split": split, "tier": problem.tier}
    return Posed(id=problem.id, env=ENVS[task], task=task, **where)


def _recorded(arguments: Arguments, task: str, split: str) -> list[Posed]:
    """The questions of a data set."""
    with make_env(ENVS[task], arguments.env_kwargs) as env:
        problems = env.get_wrapper_attr("problems").values()
    return [_of_data(each, task) for each in problems if split in ("", each.split)]


def _question(arguments: Arguments, id_: str, task: str, read: dict[str, Questions]) -> Posed:
    """A question by its id. Raises ArgumentError where its task was not asked for, or there is none.

    Args:
        read: the questions of tasks that were needed so far; those of this task are added.
    """
    if task not in arguments.tasks:
        raise ArgumentError(f"the problem {id_!r} of recorded incidents needs its task: {task}")
    if task not in read:
        with make_env(ENVS[task], arguments.env_kwargs) as env:
            read[task] = env.get_wrapper_attr("questions")
    return _of_data(read[task].find(id_), task)


def _of_data(problem: Question, task: str) -> Posed:
    """Its family is what it asks for."""
    asked = "+".join(problem.asked)
    return Posed(id=problem.id, env=ENVS[task], task=task, app=task, fault=asked, split=problem.split)
