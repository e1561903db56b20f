"""Which episodes an evaluation has: a pure function of its arguments and of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, TypeVar

from aiops_gym.agents import base
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.arguments import Arguments, check
from aiops_gym.runs.choice import Posed, posed

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
        ArgumentError: a name that does not exist, or nothing to play.
    """
    check(arguments)
    found = list(posed(arguments))
    entries = (_entry(arguments, agent, *each) for agent in arguments.agents for each in found)
    return Plan(arguments=arguments, entries=tuple({each.name: each for each in entries}.values()))


def _entry(arguments: Arguments, agent: str, posed: Posed, seed: int, split: str) -> Entry:
    given = (dict(arguments.env_kwargs), arguments.version)
    depends = [posed.env, agent, posed.id, seed, *given]
    if options := base.accepted(agent, arguments.agent_options):
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
    )


def _word(agent: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in agent)


def unique(values: Sequence[T]) -> tuple[T, ...]:
    """Each value once, in the order of its first appearance.

    >>> unique("abcab")
    ('a', 'b', 'c')
    """
    return tuple(dict.fromkeys(values))
