"""Saved episodes as conversations, one JSON object a line, to fine-tune a chat model on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiops_gym import caches
from aiops_gym.agents.chat.agent import BARE, THINK, TOOLED
from aiops_gym.agents.chat.history import Message, Turn
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import POSED
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.tool_calls import find_tools, read_called
from aiops_gym.tools.schemas import list_schemas

NOT_EPISODES = ("plan.json", "summary.json")
"""Other files of an evaluation's folder."""

LEFT_OUT = "errors"
"""Its folder of what failed."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which episodes are exported. Those that broke, or in which the agent did nothing, never are.

    Attributes:
        min_reward: None for all.
        tasks: none for all.
        split: `train` or `test` to have only problems of that split, so that what is tested is not trained on.
    """

    min_reward: float | None = None
    tasks: Sequence[str] = ()
    split: str | None = None

    def __contains__(self, episode: Episode) -> bool:
        """Whether an episode is one of them."""
        return (
            bool(episode.steps)
            and not episode.infra_error
            and (self.min_reward is None or episode.reward >= self.min_reward)
            and (not self.tasks or episode.task in self.tasks)
            and (self.split is None or self.split in splits(episode.problem_id, episode.task))
        )


ALL = Wanted()


def export(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    wanted: Wanted = ALL,
    system: str | None = None,
    tools: bool = False,
) -> tuple[int, int]:
    """Write the conversations of saved episodes to a file, all of it or nothing.

    Args:
        sources: files, and folders with everything below them; an evaluation's folder may be one.
        out: a JSONL file; each line has `messages`, and beside them what the episode was.
        wanted: all that can be, if not given.
        system: the system message; None for that of the agent `chat`, with thoughts asked for where there are some.
        tools: write actions as `tool_calls`, and the `tools` that there were beside the messages.

    Returns:
        How many were written, and how many were left out.

    Raises:
        AiopsGymError: a file that is no episode, or nothing at all.
    """
    kept, seen = [], 0
    for path in files(sources):
        episode = Episode.load(path)
        seen += 1
        if episode in wanted:
            kept.append(json.dumps(row(episode, system, tools), ensure_ascii=False) + "\n")
    if not seen:
        raise AiopsGymError(f"there is no saved episode in {', '.join(map(str, sources))}")
    write(Path(out), "".join(kept))
    return len(kept), seen - len(kept)


def files(sources: Sequence[str | os.PathLike[str]]) -> Iterator[Path]:
    """The files that hold episodes, sorted within each source. Raises AiopsGymError for one that is not there."""
    for source in map(Path, sources):
        if source.is_file():
            yield source
        elif source.is_dir():
            for path in sorted(source.rglob("*.json")):
                below = path.relative_to(source)
                if path.name not in NOT_EPISODES and LEFT_OUT not in below.parts and not path.name.startswith("."):
                    yield path
        else:
            raise AiopsGymError(f"there is no file or folder {source}")


def row(episode: Episode, system: str | None = None, tools: bool = False) -> dict[str, Any]:
    """One line: the conversation, and what is good to know for choosing among many.

    `reset(options={"problem": ..., "episode_seed": ...})` repeats the episode; `seed` is what its `reset` was given.
    """
    short = episode.env_kwargs.get("budget") is not None
    offered = {"tools": list_schemas(find_tools(episode), short)} if tools else {}
    return {
        "messages": collect_messages(episode, system, tools),
        **offered,
        "reward": episode.reward,
        "success": episode.success,
        "task": episode.task,
        "problem": episode.problem_id,
        "episode_seed": episode.episode_seed,
        "seed": episode.seed,
        "env": episode.env,
        "agent": episode.agent,
        "version": episode.version,
    }


def collect_messages(episode: Episode, system: str | None = None, tools: bool = False) -> list[Message]:
    """The conversation as the agent `chat` has it, up to the last thing that the agent said.

    >>> steps = [{"action": "look", "observation": "smoke"}, {"action": "submit", "observation": "received"}]
    >>> one = Episode(agent="a", session_id="", problem_id="p", start_time=0.0, end_time=0.0, prompt="go", steps=steps)
    >>> [f"{each['role']}: {each['content']}" for each in collect_messages(one, "be brief")]
    ['system: be brief', 'user: go', 'assistant: look', 'user: smoke', 'assistant: submit']
    """
    if system is None:
        thinks = any(not step["action"].startswith("```") for step in episode.steps)
        system = TOOLED if tools else THINK if thinks else BARE
    found: list[Message] = [{"role": "system", "content": system}] if system else []
    found.append({"role": "user", "content": episode.prompt})
    known = find_tools(episode) if tools else {}
    for number, step in enumerate(episode.steps):
        said, called = read_called(step["action"], known, f"call-{number}") if tools else (step["action"], None)
        found += Turn(said, step["observation"], called).messages()
    return found[:-1]


@caches.function(4096, "looking for a problem in the splits")
def splits(problem: str, task: str) -> tuple[str, ...]:
    """The splits that have a problem; a healthy one is in both, a recorded one in none that is known here."""
    if task not in POSED:
        return ()
    posed = ((split, registry.problems(task, None, split, tier)) for split in SPLITS for tier in (None, "hard"))
    return tuple(split for split, every in posed if any(each.id == problem for each in every))
