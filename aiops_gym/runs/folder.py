"""The folder of an evaluation: its plan, a file an episode, a file an error, and the summary."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.plan import Entry, Plan


class Folder:
    """Where an evaluation is kept.

    Args:
        path: made when it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.episodes, self.errors = path / "episodes", path / "errors"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else plays in it meanwhile; the lock ends with the process, however that ends."""
        self.episodes.mkdir(parents=True, exist_ok=True)
        self.errors.mkdir(exist_ok=True)
        with (self.path / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AiopsGymError(f"another evaluation is at work in {self.path}") from None
            yield

    def adopt(self, plan: Plan) -> None:
        """Keep the plan, or compare it with the one that is kept, and remove what was being written when it stopped.

        Raises:
            AiopsGymError: the folder belongs to another plan; says what differs.
        """
        path = self.path / "plan.json"
        if path.exists():
            differences = Plan.load(path).differences(plan)
            if differences:
                raise AiopsGymError(f"{self.path} holds another evaluation: {'; '.join(differences)}")
        plan.save(path)
        for folder in (self.episodes, self.errors):
            for half in folder.glob(".*"):
                half.unlink()

    def plan(self) -> Plan:
        """The plan that is kept. Raises AiopsGymError."""
        return Plan.load(self.path / "plan.json")

    def episode(self, entry: Entry) -> Path:
        """The file of an episode."""
        return self.episodes / f"{entry.name}.json"

    def finished(self, entry: Entry) -> bool:
        """Whether its episode is there as a whole."""
        try:
            with self.episode(entry).open("rb") as file:
                file.seek(-2, 2)
                return file.read() == b"}\n"
        except OSError:
            return False

    def keep(self, entry: Entry, episode: Episode) -> None:
        """Save an episode; an earlier error of it is forgotten."""
        episode.save(self.episode(entry))
        self._error(entry).unlink(missing_ok=True)
        self.unfinished(entry).unlink(missing_ok=True)

    def unfinished(self, entry: Entry) -> Path:
        """The file of an episode in which the agent gave up: what there is of it."""
        return self.errors / f"{entry.name}.unfinished.json"

    def note(self, entry: Entry, kind: str, error: str, traceback: str = "") -> None:
        """Save why there is no episode.

        Args:
            kind: `agent`, `environment` or `worker`: whose fault it was.
        """
        data = {"kind": kind, "error": error, "agent": entry.agent, "problem": entry.problem, "seed": entry.seed}
        text = json.dumps({**data, "traceback": traceback}, indent=2, ensure_ascii=False) + "\n"
        half = self.errors / f".{entry.name}.half"
        half.write_text(text, encoding="utf-8", errors="replace")
        half.replace(self._error(entry))

    def error(self, entry: Entry) -> dict[str, Any] | None:
        """What was noted about an episode that is not there."""
        try:
            data: dict[str, Any] = json.loads(self._error(entry).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return data

    def _error(self, entry: Entry) -> Path:
        return self.errors / f"{entry.name}.json"
