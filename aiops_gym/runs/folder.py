"""The folder of an evaluation: its plan, a file an episode, a file an error, and the summary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiops_gym import locks
from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.growth import grow_plan
from aiops_gym.runs.plan import Entry, Plan


class Folder:
    """Where an evaluation is kept.

    Args:
        path: made when it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()  # an agent may change the working folder
        self.episodes, self.errors = self.path / "episodes", self.path / "errors"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else plays in it meanwhile; the lock ends with the process, however that ends."""
        self.episodes.mkdir(parents=True, exist_ok=True)
        self.errors.mkdir(exist_ok=True)
        try:
            held = locks.take(self.path / ".lock", wait=False)
        except BlockingIOError:
            raise AiopsGymError(f"another evaluation is at work in {self.path}") from None
        with held:
            yield

    def adopt(self, plan: Plan) -> None:
        """Keep the plan beside what is planned already, and remove what was being written when it stopped.

        The new plan is there as a whole or not at all, and before its first episode; whoever stops in between loses
        nothing.

        Args:
            plan: of one command.

        Raises:
            AiopsGymError: the folder was played with other settings; says which.
        """
        path = self.path / "plan.json"
        if path.exists():
            try:
                plan = grow_plan(Plan.load(path), plan)
            except AiopsGymError as error:
                raise AiopsGymError(f"{self.path} cannot take this: {error}; name another folder") from None
        plan.save(path)
        for folder, halves in ((self.path, ".plan.json.*"), (self.episodes, ".*"), (self.errors, ".*")):
            for half in folder.glob(halves):
                half.unlink()

    def plan(self) -> Plan:
        """The plan that is kept. Raises AiopsGymError."""
        return Plan.load(self.path / "plan.json")

    def episode(self, entry: Entry) -> Path:
        """The file of an episode."""
        return self.episodes / f"{entry.name}.json"

    def finished(self, entry: Entry) -> bool:
        """Whether its episode is there as a whole."""
        return self.load(entry) is not None

    def load(self, entry: Entry) -> Episode | None:
        """Its episode; None where there is none, or what is there is damaged and has to be played again."""
        return _loaded(self.episode(entry))

    def load_unfinished(self, entry: Entry) -> Episode | None:
        """What there is of an episode in which the agent gave up; None where there is nothing readable."""
        return _loaded(self.unfinished(entry))

    def keep(self, entry: Entry, episode: Episode) -> None:
        """Save an episode; an earlier error of it is forgotten."""
        episode.save(self.episode(entry))
        self._forget(entry)

    def files(self, entry: Entry) -> dict[str, bytes]:
        """What it has of an entry, by place within the folder."""
        paths = (self.episode(entry), self._error(entry), self.unfinished(entry))
        return {str(path.relative_to(self.path)): path.read_bytes() for path in paths if path.exists()}

    def take(self, entry: Entry, files: Mapping[str, bytes]) -> None:
        """Save what another folder had of an entry, each file all or nothing."""
        for name, content in files.items():
            write(self.path / name, content)
        if self.finished(entry):
            self._forget(entry)

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
        write(self._error(entry), text.encode("utf-8", errors="replace"))

    def error(self, entry: Entry) -> dict[str, str] | None:
        """Whose fault it is that an episode is not there, and the error; None where nothing readable was noted."""
        try:
            data: dict[str, Any] = json.loads(self._error(entry).read_text(encoding="utf-8"))
            return {"kind": str(data["kind"]), "error": str(data["error"])}
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None

    def _error(self, entry: Entry) -> Path:
        return self.errors / f"{entry.name}.json"

    def _forget(self, entry: Entry) -> None:
        """What went wrong before."""
        self._error(entry).unlink(missing_ok=True)
        self.unfinished(entry).unlink(missing_ok=True)


def _loaded(path: Path) -> Episode | None:
    try:
        return Episode.load(path)
    except (FileNotFoundError, AiopsGymError):
        return None
