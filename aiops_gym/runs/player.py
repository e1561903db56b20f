"""Playing the entries of a plan, one after the other, in one process."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from aiops_gym.agents import base
from aiops_gym.agents.base import Around
from aiops_gym.catalog.model import TASKS
from aiops_gym.errors import AgentError
from aiops_gym.runs import tokenizer
from aiops_gym.runs.arguments import make_env
from aiops_gym.runs.blame import blame_agent
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.judge import NO_SCORE, Judge
from aiops_gym.runs.plan import Entry
from aiops_gym.runs.runner import play

AGENT, ENVIRONMENT, WORKER = "agent", "environment", "worker"
"""Whose fault it is that there is no episode."""


@dataclass
class Player:
    """Plays entries into a folder, with one environment an id, and another for agents that need it otherwise."""

    folder: Folder
    env_kwargs: Mapping[str, Any]
    judge: Judge | None = None
    agent_options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    tokenizer: str = ""
    signals: bool = True
    envs: dict[tuple[str, tuple[tuple[str, Any], ...]], gym.Env[str, str]] = field(default_factory=dict)

    def done(self, entry: Entry) -> bool:
        """Whether there is its episode, and a grade where there is a judge: one that failed is asked again."""
        episode = self.folder.load(entry)
        return episode is not None and (self.judge is None or episode.results.get("reasoning_score", NO_SCORE) >= 0)

    def play(self, entry: Entry) -> str:
        """Play one entry, and keep the episode or why there is none. Returns "" or whose fault that was."""
        finished = self.folder.load(entry)
        if finished is not None:
            self._keep(entry, finished)
            return ""
        try:
            episode = self._episode(entry)
        except AgentError as error:  # it could not even be made
            self.folder.note(entry, AGENT, str(error), error.frames)
            return AGENT
        except (Exception, SystemExit) as error:  # noqa: BLE001  # Anybody's wrappers, and our own bugs.
            self.envs.pop(_key(entry), None)
            self.folder.note(entry, ENVIRONMENT, f"{type(error).__name__}: {error}", traceback.format_exc())
            return ENVIRONMENT
        if episode.infra_error:
            self.folder.note(entry, ENVIRONMENT, episode.steps[-1]["observation"])
            return ENVIRONMENT
        if episode.agent_error:
            self.envs.pop(_key(entry), None)  # an agent has it in its hands
            self.folder.note(entry, AGENT, episode.agent_error, episode.agent_traceback)
            episode.save(self.folder.unfinished(entry))
            return AGENT
        self._keep(entry, episode)
        return ""

    def _keep(self, entry: Entry, episode: Episode) -> None:
        if self.judge is not None:
            episode.results |= self.judge.results(episode.trace)
        self.folder.keep(entry, episode)

    def _episode(self, entry: Entry) -> Episode:
        """Raises AgentError where the agent cannot be made."""
        env = self._env(entry)
        with blame_agent():
            options = base.pick_accepted(entry.agent, self.agent_options)
            agent = Around(base.make(entry.agent, env, entry.seed, **options))
        agent.name = entry.agent  # what a class calls itself may be anything, and twice the same
        counts = tokenizer.find(self.tokenizer) if self.tokenizer else None
        return play(env, agent, entry.seed, {"problem": entry.problem}, counts, signals=self.signals)

    def _env(self, entry: Entry) -> gym.Env[str, str]:
        key = _key(entry)
        if key not in self.envs:
            self.envs[key] = make_env(entry.env, {**dict(key[1]), **self.env_kwargs})
        return self.envs[key]


def _key(entry: Entry) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """Its environment, and what the agent needs of a live one that others do not."""
    return entry.env, tuple(base.read_needs(entry.agent).items()) if entry.task in TASKS else ()
