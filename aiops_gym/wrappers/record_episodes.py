"""Keeps finished episodes as files that the viewer, a re-grader and AIOpsLab's tools read."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from gymnasium.utils import RecordConstructorArgs

from aiops_gym.envs.branching import Remembering
from aiops_gym.runs import recording
from aiops_gym.runs.episode import Episode
from aiops_gym.wrappers.reading.turns import Env, Turn, hear_observation, needs_text, read_action


class RecordEpisodes(Remembering, RecordConstructorArgs):
    """Writes a JSON file for each finished episode, and keeps the newest of its own only.

    Actions and observations are recorded as texts, wherever in a stack this stands; the reward is the one that the
    environment inside gives. An episode that is left unfinished is forgotten. No file is ever written over: where
    several share a folder, environments, runs or copies, a name that is taken gets a number. A copy goes on with the
    running episode, and none of the files before it are its own.

    Args:
        env: whose texts can be read.
        folder: where the files go; made with the first one.
        keep: files at most; older ones that this wrapper wrote are removed.
        every: only each so many-th episode.
        name: of the agent, with which the names of the files begin.

    >>> import tempfile, gymnasium as gym, aiops_gym
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     env = RecordEpisodes(gym.make("aiops_gym/Detection-v0"), folder)
    ...     _ = env.reset(seed=1, options={"problem": "container_kill-detection"})
    ...     _ = env.step('```\\nsubmit("Yes")\\n```')
    ...     Episode.load(env.files[0]).reward
    1.0
    """

    MEMORY = ("_count", "_episode")
    PLACES = ("folder",)

    def __init__(
        self, env: Env, folder: str | os.PathLike[str], keep: int = 1_000, every: int = 1, name: str = "episode"
    ) -> None:
        RecordConstructorArgs.__init__(self, folder=os.fspath(folder), keep=keep, every=every, name=name)
        Remembering.__init__(self, env)
        needs_text(env, type(self).__name__)
        if keep < 1 or every < 1:
            raise ValueError("keep and every must be 1 or more")
        self.folder, self.keep, self.each, self.agent = Path(folder), keep, every, name
        self.files: list[Path] = []
        self._count = 0
        self._episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, and its record."""
        observation, info = super().reset(seed=seed, options=options)
        prompt, session = hear_observation(self.env, observation), f" {self._count}"
        self._episode = recording.begin_episode(self.env, self.agent, seed, prompt, info, session)
        return observation, info

    def step(self, action: Any) -> Turn:
        """One turn, recorded; the last one is followed by the file."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if (episode := self._episode) is not None:
            recording.note_turn(
                episode, read_action(self.env, action), hear_observation(self.env, observation), float(reward), info
            )
            if terminated or truncated:
                self._episode = None
                self._finish(episode, terminated, truncated, info)
        return observation, float(reward), terminated, truncated, info

    def __getstate__(self) -> dict[str, Any]:
        """All but the files, which only the original removes; for `copy` and `pickle`."""
        return {**self.__dict__, "files": []}

    def recall(self) -> dict[str, Any]:
        """What it remembers: the running episode, and how many there were."""
        return {"_count": self._count, "_episode": None if self._episode is None else asdict(self._episode)}

    def remember(self, memory: dict[str, Any]) -> None:
        """Go on with the episode; none of the files before it are its own."""
        self._count, self.files = memory["_count"], []
        self._episode = None if memory["_episode"] is None else Episode(**memory["_episode"])

    def _finish(self, episode: Episode, terminated: bool, truncated: bool, info: dict[str, Any]) -> None:
        self._count += 1
        if (self._count - 1) % self.each:
            return
        episode.terminated, episode.truncated = bool(terminated), bool(truncated)
        recording.finish(self.env, episode, info)
        recording.note_signals(self.env, episode)
        self.files.append(self._saved(episode, f"{self.agent}-{self._count:06d}-{episode.session_id}"))
        while len(self.files) > self.keep:
            self.files.pop(0).unlink(missing_ok=True)

    def _saved(self, episode: Episode, name: str) -> Path:
        """The file of an episode, under the first name that nobody else has, in this process or another."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            path = self.folder / f"{name}{f'-{number}' if number > 1 else ''}.json"
            with suppress(FileExistsError):
                path.touch(exist_ok=False)
                break
        try:
            return episode.save(path)
        except BaseException:
            path.unlink()  # it is still empty
            raise
