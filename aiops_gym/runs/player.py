"""Playing the entries of a plan, one after the other, in one process."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from aiops_gym.agents import base
from aiops_gym.agents.base import Around
from aiops_gym.runs import tokenizer
from aiops_gym.runs.arguments import make_env
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.judge import NO_SCORE, Judge
from aiops_gym.runs.plan import Entry
from aiops_gym.runs.runner import run_episode

AGENT, ENVIRONMENT, WORKER = "agent", "environment", "worker"
"""Whose fault it is that there is no episode."""


@dataclass
class Player:
    """Plays entries into a folder, with one environment an id."""

    folder: Folder
    env_kwargs: Mapping[str, Any]
    judge: Judge | None = None
    agent_options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    tokenizer: str = ""
    envs: dict[str, gym.Env[str, str]] = field(default_factory=dict)

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
        watched = Watched(entry.agent)
        try:
            episode = self._episode(entry, watched)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # Anybody's agent runs here: a result like any other.
            self.envs.pop(entry.env, None)
            kind = AGENT if watched.acting else ENVIRONMENT
            self.folder.note(entry, kind, f"{type(error).__name__}: {error}", traceback.format_exc())
            return kind
        if episode.infra_error:
            self.folder.note(entry, ENVIRONMENT, episode.steps[-1]["observation"])
            return ENVIRONMENT
        if episode.agent_error:
            self.folder.note(entry, AGENT, episode.agent_error)
            episode.save(self.folder.unfinished(entry))
            return AGENT
        self._keep(entry, episode)
        return ""

    def _keep(self, entry: Entry, episode: Episode) -> None:
        if self.judge is not None:
            episode.results |= self.judge.results(episode.trace)
        self.folder.keep(entry, episode)

    def _episode(self, entry: Entry, watched: Watched) -> Episode:
        env = self._env(entry.env)
        watched.made_by(entry, env, self.agent_options)
        try:
            counts = tokenizer.find(self.tokenizer) if self.tokenizer else None
            return run_episode(env, watched, entry.seed, {"problem": entry.problem}, counts)
        finally:
            watched.close()

    def _env(self, name: str) -> gym.Env[str, str]:
        if name not in self.envs:
            self.envs[name] = make_env(name, self.env_kwargs)
        return self.envs[name]


class Watched(Around):
    """An agent of which it is known whether it is its turn.

    Its name is the one that it was asked for by: what a class calls itself may be anything, and twice the same.
    """

    def __init__(self, name: str) -> None:
        super().__init__(base.Fixed([]))
        self.acting = False
        self.name = name

    def made_by(self, entry: Entry, env: gym.Env[str, str], options: Mapping[str, Any]) -> None:
        """Make the agent of an entry."""
        self.acting = True
        self.agent = base.make(entry.agent, env, entry.seed, **base.accepted(entry.agent, options))
        self.acting = False

    def reset(self, prompt: str) -> None:
        """Hand it on."""
        self.acting = True
        super().reset(prompt)
        self.acting = False

    def act(self, observation: str) -> str:
        """Hand it on."""
        self.acting = True
        action = super().act(observation)
        self.acting = False
        return action

    def report(self) -> dict[str, Any]:
        """What the agent says of itself, if it does; it must be JSON data, as the episode is."""
        self.acting = True
        found = dict(super().report())
        json.dumps(found, allow_nan=False)
        self.acting = False
        return found

    def close(self) -> None:
        """Hand it on."""
        before, self.acting = self.acting, True
        super().close()
        self.acting = before
