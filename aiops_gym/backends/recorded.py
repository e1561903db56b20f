"""Telemetry that was recorded, as a world: nothing in it changes, only the clock of who reads it moves."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import orjson

from aiops_gym.errors import SnapshotError
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.problems import Problem
from aiops_gym.openrca.recording import Recording


class Recorded:
    """One question about one domain's telemetry.

    Attributes:
        recording: what may be read; it holds no labels.
        began: Unix seconds at which the reading begins: the end of the window that is asked about.

    Args:
        problem: what is asked.
        domain: whose telemetry it is.
        folder: of the domain on disk.
        spent: seconds since it began.
    """

    def __init__(self, problem: Problem, domain: Domain, folder: Path, spent: float = 0.0) -> None:
        self.problem, self.domain, self.folder, self.spent = problem, domain, folder, spent
        self.began = problem.end / 1000
        self.recording = Recording(domain, folder)

    def now(self) -> float:
        """Unix seconds on the reader's clock."""
        return self.began + self.spent

    def spend(self, seconds: float) -> None:
        """Let time pass."""
        self.spent += seconds

    def snapshot(self) -> bytes:
        """All that changes: the clock."""
        return orjson.dumps({"problem": self.problem.id, "spent": self.spent})

    @classmethod
    def restored(cls, data: bytes, problems: dict[str, Problem], domain: Domain, folder: Path) -> Self:
        """Continue from a snapshot. Raises SnapshotError for one of a problem that is not here."""
        try:
            state = orjson.loads(data)
            return cls(problems[state["problem"]], domain, folder, float(state["spent"]))
        except (ValueError, TypeError, KeyError) as error:
            raise SnapshotError(f"the snapshot is damaged, or of other data: {error}") from None

    def fork(self) -> Self:
        """A reader with a clock of its own, over the same files."""
        return type(self)(self.problem, self.domain, self.folder, self.spent)
