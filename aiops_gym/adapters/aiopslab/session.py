"""What is kept of an episode, as the original's session and more."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, Self

from aiops_gym.runs.episode import Episode

RESULTS = Path("data", "results")
"""Folder of saved sessions, below the one that a program runs in."""

KEYS = ("agent", "session_id", "problem_id", "start_time", "end_time", "trace", "results")
"""What the original keeps of a session; ours has more after these."""


class SessionItem(NamedTuple):
    """One message.

    Attributes:
        role: `assistant` for the agent, `env` for what was printed.
    """

    role: str
    content: str


class Session(Episode):
    """An `Episode` under the names of AIOpsLab; its file is one of both."""

    @classmethod
    def of(cls, episode: Episode) -> Self:
        """The same episode."""
        return cls(**vars(episode))

    @property
    def pid(self) -> str:
        """Id of the problem."""
        return self.problem_id

    @property
    def solution(self) -> Any:
        """What was submitted, None for nothing."""
        return json.loads(self.submitted) if self.submitted else None

    @property
    def history(self) -> list[SessionItem]:
        """All messages, without the prompt."""
        return [SessionItem(**each) for each in self.trace]

    def to_dict(self) -> dict[str, Any]:
        """As in a file: the keys of the original first."""
        return asdict(self)

    def to_json(self, folder: Path = RESULTS) -> Path:
        """Write it to a folder, as `<session_id>_<start_time>.json`."""
        return self.save(folder / f"{self.session_id}_{self.start_time}.json")
