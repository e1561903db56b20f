"""Which episodes an evaluation has: a pure function of its arguments and of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, TypeVar

import gymnasium as gym

from aiops_gym import RECORDED
from aiops_gym.agents import base
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import TASKS
from aiops_gym.errors import AiopsGymError, CatalogError
from aiops_gym.version import __version__

T = TypeVar("T")

ENVS = {
    **{task: f"aiops_gym/{task.capitalize()}-v0" for task in TASKS},
    **{f"openrca_{kwargs['domain']}": f"aiops_gym/{name}-v0" for name, kwargs in RECORDED.items()},
}
"""Task as it is asked for -> environment."""

HEALTHY = "healthy"
"""Family of the episodes in which nothing is wrong."""

SPLITS = ("train", "test")

OTHER_SEEDS = {"test": 1_000_000}
"""First seed of healthy episodes in a split, so that none of them is in both."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One episode to play.

    Attributes:
        name: of its file, without the ending; follows from all that the episode depends on.
        agent: as it was asked for.
        env: id of the environment.
        seed: given to `reset`, and to the agent.
        app: id of the app, the domain of a recorded incident.
        fault: id of the fault, which is its family too; "healthy" where nothing is wrong, and what is asked
            for in a recorded incident.
        target: the component that the fault hits; "" where nothing is wrong, and in a recorded incident.
        split: `train`, `test`, or "" where none was asked for.
    """

    name: str
    agent: str
    env: str
    problem: str
    seed: int
    task: str
    app: str
    fault: str
    target: str = ""
    split: str


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What an evaluation was asked for.

    Attributes:
        agents: names, or `module:function`.
        tasks: `detection` ..., `openrca_bank` ...; none where `problems` says which.
        splits: `train`, `test`, or none for the fixed problems.
        seeds: how many episodes of each problem, with the seeds 0, 1, ...
        sample: of each split at most so many problems, or below 1 a share of them; chosen by the hash of their ids.
        problems: ids; without them all of the tasks.
        env_kwargs: for every environment, JSON data.
        agent_options: for every agent that takes them, JSON data without secrets.
        judge: model that judges the reasoning, "" for none.
        version: of the package that plays.
    """

    agents: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    seeds: int = 1
    sample: float = 0
    app: str | None = None
    problems: tuple[str, ...] = ()
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    judge: str = ""
    version: str = __version__


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The arguments, and the episodes that follow from them."""

    arguments: Arguments
    entries: tuple[Entry, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        data: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return data

    def save(self, path: Path) -> None:
        """Write it, all or nothing."""
        half = path.with_name(f".{path.name}.half")
        half.write_text(json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        half.replace(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read it. Raises AiopsGymError for a file that holds none."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            given: Any = {key: _frozen(value) for key, value in data["arguments"].items()}
            return cls(arguments=Arguments(**given), entries=tuple(Entry(**each) for each in data["entries"]))
        except FileNotFoundError:
            raise AiopsGymError(f"{path.parent} holds no evaluation: there is no {path.name}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise AiopsGymError(f"{path} is no plan of an evaluation: {error!r}") from None

    def differences(self, other: Plan) -> list[str]:
        """What is different in another plan, in words; nothing for the same one. A judge may come later."""
        ours, theirs = self.to_json(), other.to_json()
        ours["arguments"]["judge"] = ours["arguments"]["judge"] or theirs["arguments"]["judge"]
        found = [
            f"{name}: {ours['arguments'][name]!r} before, {theirs['arguments'][name]!r} now"
            for name in ours["arguments"]
            if ours["arguments"][name] != theirs["arguments"][name]
        ]
        if not found and ours != theirs:
            before, now = ({each.name for each in plan.entries} for plan in (self, other))
            some = ", ".join(sorted(before ^ now)[:3])
            found = [f"the catalogue: {len(before - now)} episodes fewer, {len(now - before)} more; {some}"]
        return found


def _frozen(value: Any) -> Any:
    """A value of JSON as the arguments hold it."""
    return tuple(value) if isinstance(value, list) else value


def make_plan(arguments: Arguments) -> Plan:
    """The episodes: agents x problems x seeds, and of healthy problems as many more as a drawn episode would have.

    Raises:
        CatalogError: a name that does not exist, or nothing to play.
    """
    _check(arguments)
    posed = [
        (problem, seed, split)
        for split in arguments.splits or ("",)
        for problem, seed in (_named(arguments, split) if arguments.problems else _of_split(arguments, split))
    ]
    if not posed:
        raise CatalogError(f"there is nothing to play: no problem of {_wanted(arguments)}")
    entries = (_entry(arguments, agent, *each) for agent in arguments.agents for each in posed)
    return Plan(arguments=arguments, entries=tuple({each.name: each for each in entries}.values()))


@dataclass(frozen=True, kw_only=True)
class _Posed:
    """What an evaluation needs to know of a problem, live or recorded."""

    id: str
    env: str
    task: str
    app: str
    fault: str
    target: str = ""
    split: str = ""


def digest(text: str) -> float:
    """A number in [0, 1) that follows from a text.

    >>> digest("a") == digest("a"), 0.0 <= digest("b") < 1.0
    (True, True)
    """
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") / 2.0**64


def sampled(ids: Iterable[str], sample: float) -> list[str]:
    """The ids that a sample holds, sorted; a larger sample holds all of a smaller one.

    >>> sampled("abcdef", 0), len(sampled("abcdef", 2)), set(sampled("abcdef", 2)) < set(sampled("abcdef", 4))
    (['a', 'b', 'c', 'd', 'e', 'f'], 2, True)
    """
    ordered = sorted(ids, key=lambda each: (digest(each), each))
    if 0 < sample < 1:
        return sorted(each for each in ordered if digest(each) < sample)
    return sorted(ordered[: int(sample)] if sample else ordered)


def _check(arguments: Arguments) -> None:
    for what, given, known in (("task", arguments.tasks, tuple(ENVS)), ("split", arguments.splits, SPLITS)):
        for each in given:
            if each not in known:
                raise CatalogError(f"there is no {what} {each!r}; there are {', '.join(known)}")
    if not arguments.agents:
        raise CatalogError("no agent is named")
    taken = {option for agent in arguments.agents for option in base.accepted(agent, arguments.agent_options)}
    for option in arguments.agent_options:
        if option not in taken:
            raise CatalogError(f"none of the agents {', '.join(arguments.agents)} takes the option {option!r}")
    for agent in arguments.agents:
        base.fitting(agent, None, 0, **base.accepted(agent, arguments.agent_options))
    for name in ("problem", "split"):
        if name in arguments.env_kwargs:
            raise CatalogError(f"which problems are played is not said by env_kwargs: leave {name!r} to the evaluation")
    for task in arguments.tasks:
        make_env(ENVS[task], arguments.env_kwargs).close()
    if arguments.seeds < 1 or arguments.sample < 0:
        raise ValueError("there must be at least one seed, and a sample is no negative number")


def _named(arguments: Arguments, split: str) -> Iterator[tuple[_Posed, int]]:
    """The problems that are named and belong to the split, each with each seed. One that belongs to none is refused."""
    recorded = [task for task in arguments.tasks if task not in TASKS]
    known = {each.id: each for task in recorded for each in _recorded(arguments, task, "")}
    for id_ in arguments.problems:
        if id_ not in known and "-task_" in id_:
            raise CatalogError(f"no problem {id_!r}: one of recorded incidents needs its task, such as openrca_bank")
        posed = known.get(id_) or _live(registry.problem(id_))
        chosen = not arguments.splits or posed.split in ("", *arguments.splits)
        if posed.task not in (arguments.tasks or ENVS) or arguments.app not in (None, posed.app) or not chosen:
            raise CatalogError(f"the problem {id_!r} is none of {_wanted(arguments)}")
        for seed in range(arguments.seeds if split in ("", posed.split) or not posed.split else 0):
            yield posed, seed


def _wanted(arguments: Arguments) -> str:
    """The choice in words."""
    app = f" of {arguments.app}" if arguments.app else ""
    split = f" in {' or '.join(arguments.splits)}" if arguments.splits else ""
    return f"{', '.join(arguments.tasks)}{app}{split}"


def _of_split(arguments: Arguments, split: str) -> Iterator[tuple[_Posed, int]]:
    faulty, calm = _pool(arguments, split)
    room = arguments.sample
    if room >= 1:  # the healthy ones are problems too, but never the most of them
        kept = min(len(calm), int(room) // 2)
        calm = {id_: calm[id_] for id_ in (sampled(calm, kept) if kept else ())}
        room -= kept
    chosen = [faulty[id_] for id_ in sampled(faulty, room)]
    for posed in chosen:
        for seed in range(arguments.seeds):
            yield posed, seed
    for task, share in registry.HEALTHY_SHARE.items():
        healthy = [posed for posed in calm.values() if posed.task == task]
        count = round(share / (1 - share) * sum(posed.task == task for posed in chosen) * arguments.seeds)
        for at in range(max(1, count) if healthy else 0):
            yield healthy[at % len(healthy)], OTHER_SEEDS.get(split, 0) + at // len(healthy)


def _pool(arguments: Arguments, split: str) -> tuple[dict[str, _Posed], dict[str, _Posed]]:
    """All problems of the tasks in which something is wrong, by id, and the healthy ones."""
    faulty: list[_Posed] = []
    calm: list[_Posed] = []
    for task in arguments.tasks:
        if task in TASKS:
            found = registry.problems(task, arguments.app, split or None)
            faulty += [_live(each) for each in found if each.fault]
            calm += [_live(each) for each in registry.healthy(task) if arguments.app in (None, each.app)]
        elif arguments.app is None:
            faulty += _recorded(arguments, task, split)
    return {each.id: each for each in faulty}, {each.id: each for each in calm}


def _live(problem: Any) -> _Posed:
    task = problem.task
    fault, target, split = problem.fault or HEALTHY, problem.target or "", problem.split if problem.fault else ""
    return _Posed(id=problem.id, env=ENVS[task], task=task, app=problem.app, fault=fault, target=target, split=split)


def _recorded(arguments: Arguments, task: str, split: str) -> list[_Posed]:
    """The questions of a data set; their family is what they ask for."""
    with make_env(ENVS[task], arguments.env_kwargs) as env:
        problems = env.get_wrapper_attr("problems").values()
    return [
        _Posed(id=each.id, env=ENVS[task], task=task, app=task, fault="+".join(each.asked), split=each.split)
        for each in problems
        if split in ("", each.split)
    ]


def make_env(env: str, kwargs: Mapping[str, Any]) -> gym.Env[str, str]:
    """An environment for many episodes. Raises CatalogError for arguments that it does not take."""
    try:
        made: gym.Env[str, str] = gym.make(env, disable_env_checker=True, **kwargs)
    except TypeError as error:
        raise CatalogError(f"{env} cannot be made with {dict(kwargs)}: {error}") from None
    return made


def _entry(arguments: Arguments, agent: str, posed: _Posed, seed: int, split: str) -> Entry:
    given = (dict(arguments.env_kwargs), arguments.version)
    depends = [posed.env, agent, posed.id, seed, *given]
    if options := base.accepted(agent, arguments.agent_options):
        depends.append(options)
    mark = blake2b(json.dumps(depends, sort_keys=True).encode(), digest_size=4).hexdigest()
    return Entry(
        name=f"{posed.id}.{_word(agent)}.{seed}.{mark}",
        agent=agent,
        env=posed.env,
        problem=posed.id,
        seed=seed,
        task=posed.task,
        app=posed.app,
        fault=posed.fault,
        target=posed.target,
        split=split,
    )


def _word(agent: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in agent)


def unique(values: Sequence[T]) -> tuple[T, ...]:
    """Each value once, in the order of its first appearance.

    >>> unique("abcab")
    ('a', 'b', 'c')
    """
    return tuple(dict.fromkeys(values))
