"""Which episodes an evaluation has: a pure function of its arguments and of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, TypeVar

from aiops_gym.agents import base
from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write
from aiops_gym.runs.arguments import Arguments, check
from aiops_gym.runs.choice import Posed, choose_problems

T = TypeVar("T")


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
        tier: `basic`, `standard` or `hard`, "" of a recorded incident; tells apart no entries.
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
    tier: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What was asked for, and the episodes that follow from it.

    Attributes:
        asked: the arguments of each command, the earliest first; one that a later one repeats or holds is left out.
        options: of each agent, those that it takes.
        entries: all episodes; one that is played for two splits is there twice, with one name.
    """

    asked: tuple[Arguments, ...]
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    entries: tuple[Entry, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents, in the order in which they were asked for."""
        return unique([agent for arguments in self.asked for agent in arguments.agents])

    def to_play(self) -> tuple[Entry, ...]:
        """An entry for each episode: who played it for one split has played it for all."""
        return tuple({entry.name: entry for entry in reversed(self.entries)}.values())[::-1]

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        data: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """From what `to_json` gave."""
        asked = tuple(Arguments(**{name: _frozen(value) for name, value in each.items()}) for each in data["asked"])
        if not asked:
            raise ValueError("nothing was asked for")
        options = {agent: dict(data["options"][agent]) for each in asked for agent in each.agents}
        return cls(asked=asked, options=options, entries=tuple(Entry(**each) for each in data["entries"]))

    def save(self, path: Path) -> None:
        """Write it, all or nothing."""
        write(path, json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read it. Raises AiopsGymError for a file that holds none."""
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise AiopsGymError(f"{path.parent} holds no evaluation: there is no {path.name}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise AiopsGymError(f"{path} is no plan of an evaluation: {error!r}") from None


def _frozen(value: Any) -> Any:
    """A value of JSON as the arguments hold it."""
    return tuple(value) if isinstance(value, list) else value


def make_plan(arguments: Arguments) -> Plan:
    """The episodes: agents x problems x seeds, and of healthy problems as many more as a drawn episode would have.

    Raises:
        ArgumentError: a name that does not exist, or nothing to play.
    """
    check(arguments)
    found = list(choose_problems(arguments))
    entries = (_entry(arguments, agent, *each) for agent in arguments.agents for each in found)
    options = {agent: base.pick_accepted(agent, arguments.agent_options) for agent in arguments.agents}
    return Plan(asked=(arguments,), options=options, entries=unique(list(entries)))


def _entry(arguments: Arguments, agent: str, posed: Posed, seed: int, split: str) -> Entry:
    given = (dict(arguments.env_kwargs), arguments.version)
    depends = [posed.env, agent, posed.id, seed, *given]
    if options := base.pick_accepted(agent, arguments.agent_options):
        depends.append(options)
    if arguments.tokenizer:
        depends.append(arguments.tokenizer)
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
        tier=arguments.tier or posed.tier,
    )


def _word(agent: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in agent)


def unique(values: Sequence[T]) -> tuple[T, ...]:
    """Each value once, in the order of its first appearance.

    >>> unique("abcab")
    ('a', 'b', 'c')
    """
    return tuple(dict.fromkeys(values))
