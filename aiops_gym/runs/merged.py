"""The episodes of several folders as one evaluation: each counts once, and what differs in settings stays apart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.arguments import Arguments
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.growth import GROW, list_names_but
from aiops_gym.runs.plan import Entry, Plan, unique

Settings = Mapping[str, str]
"""What an agent played with, as it is shown: `model=small`, `env.noise=false`, `version=0.1.0`."""

_PLAIN = re.compile(r"[\w.:/@+-]+")


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What several folders hold together.

    Attributes:
        asked: by the commands that filled them.
        agents: names, with their settings where one agent has played with several.
        places: of each episode, once for each split, the folder that holds it. Its agent is one of `agents`.
    """

    asked: tuple[Arguments, ...]
    agents: tuple[str, ...]
    places: tuple[tuple[Folder, Entry], ...]

    def missing(self) -> list[tuple[Folder, Entry]]:
        """What has no episode."""
        found = {entry.name: (folder, entry) for folder, entry in self.places if not folder.episode(entry).exists()}
        return list(found.values())

    def faults(self) -> Counter[str]:
        """Why episodes are not there, and how often: the agent, whose fault, and the error."""
        found = ((entry, folder.error(entry)) for folder, entry in self.missing())
        return Counter(f"{entry.agent} ({noted['kind']}): {noted['error']}" for entry, noted in found if noted)


def merge(folders: Sequence[Folder]) -> Merged:
    """Put the episodes of folders together.

    Raises:
        AiopsGymError: a folder that holds no evaluation, or an episode that ended differently in two of them.
    """
    plans = [folder.plan() for folder in folders]
    names = _names(plans)
    found: dict[tuple[str, str], tuple[Folder, Entry]] = {}
    for at, (folder, plan) in enumerate(zip(folders, plans, strict=True)):
        for entry in plan.entries:
            key, here = (entry.name, entry.split), (folder, replace(entry, agent=names[at, entry.agent]))
            found[key] = _either(found[key], here) if key in found else here
    asked = [arguments for plan in plans for arguments in plan.asked]
    return Merged(
        asked=tuple(each for at, each in enumerate(asked) if each not in asked[:at]),
        agents=unique([names[at, agent] for at, plan in enumerate(plans) for agent in plan.agents]),
        places=tuple(found.values()),
    )


def _either(one: tuple[Folder, Entry], other: tuple[Folder, Entry]) -> tuple[Folder, Entry]:
    """Where an episode that two folders have planned is read: where it is finished, and in the first one of two."""
    (folder, entry), (second, _) = one, other
    ours, theirs = folder.load(entry), second.load(entry)
    if ours is None:
        return other if theirs is not None or second.error(entry) else one
    if theirs is not None and (ours.reward, ours.success) != (theirs.reward, theirs.success):
        raise AiopsGymError(
            f"{entry.name} is worth {ours.reward:g} in {folder.path} and {theirs.reward:g} in {second.path}: "
            "one episode cannot count as both; give only one of these folders"
        )
    return one


def _names(plans: Sequence[Plan]) -> dict[tuple[int, str], str]:
    """What the agents of each plan are called: as they were asked for, and with what tells their settings apart."""
    played = [(at, agent, _settings(plan, agent)) for at, plan in enumerate(plans) for agent in plan.agents]
    names = {}
    for at, agent, settings in played:
        others = [each for _, name, each in played if name == agent]
        told = ", ".join(f"{name}={value}" for name, value in settings.items() if _differs(name, others))
        names[at, agent] = f"{agent} ({told})" if told else agent
    return names


def _differs(name: str, settings: Iterable[Settings]) -> bool:
    return len({each.get(name) for each in settings}) > 1


def _settings(plan: Plan, agent: str) -> Settings:
    asked = plan.asked[0]
    env_kwargs = {f"env.{name}": value for name, value in sorted(asked.env_kwargs.items())}
    others = {name: getattr(asked, name) for name in list_names_but({*GROW, "env_kwargs"})}
    settings = {**dict(sorted(plan.options[agent].items())), **env_kwargs, **others}
    return {name: _shown(value) for name, value in settings.items() if value != ""}


def _shown(value: Any) -> str:
    """A setting as a person writes it, where that is plain; else as JSON, in which no two values look alike."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and not _is_json(value):
        return value
    return json.dumps(value).replace("|", "\\u007c")  # would end a cell of a table


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
