"""Playing the entries of a plan, one after the other, in one process."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from aiops_gym.agents import base
from aiops_gym.agents.base import Agent
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.judge import Judge
from aiops_gym.runs.plan import Entry, make_env
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
    envs: dict[str, gym.Env[str, str]] = field(default_factory=dict)

    def play(self, entry: Entry) -> str:
        """Play one entry, and keep the episode or why there is none. Returns "" or whose fault that was."""
        watched = Watched()
        try:
            env = self._env(entry.env)
            watched.made_by(entry, env, self.agent_options)
            episode = run_episode(env, watched, entry.seed, {"problem": entry.problem})
        except Exception as error:  # noqa: BLE001  # Anybody's agent runs here; what it raises is a result.
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
        if self.judge is not None:
            episode.results |= self.judge.results(episode.trace)
        self.folder.keep(entry, episode)
        return ""

    def _env(self, name: str) -> gym.Env[str, str]:
        if name not in self.envs:
            self.envs[name] = make_env(name, self.env_kwargs)
        return self.envs[name]


class Watched:
    """An agent of which it is known whether it is its turn."""

    def __init__(self) -> None:
        self.acting = False
        self.name = ""
        self.agent: Agent = base.Fixed([])

    def made_by(self, entry: Entry, env: gym.Env[str, str], options: Mapping[str, Any]) -> None:
        """Make the agent of an entry."""
        self.acting = True
        self.agent = base.make(entry.agent, env, entry.seed, **base.accepted(entry.agent, options))
        self.name = str(getattr(self.agent, "name", entry.agent))
        self.acting = False

    def reset(self, prompt: str) -> None:
        """Hand it on."""
        self.acting = True
        self.agent.reset(prompt)
        self.acting = False

    def act(self, observation: str) -> str:
        """Hand it on."""
        self.acting = True
        action = self.agent.act(observation)
        self.acting = False
        return action

    def report(self) -> dict[str, Any]:
        """What the agent says of itself, if it does."""
        told = getattr(self.agent, "report", None)
        return dict(told()) if callable(told) else {}
