"""Telemetry that was recorded, as a world: nothing in it changes, only the clock of who reads it moves."""

from __future__ import annotations

from typing import Self

import orjson

from aiops_gym.errors import CatalogError, SnapshotError
from aiops_gym.openrca.origin import read_origin
from aiops_gym.openrca.problems import Problem, Questions
from aiops_gym.openrca.recording import Recording


class Recorded:
    """One question about one domain's telemetry.

    Attributes:
        data: `original` or `synthetic`, see `read_origin`.
        recording: what may be read; it holds no labels.
        began: Unix seconds at which the reading begins: the end of the window that is asked about.

    Args:
        problem: what is asked.
        questions: those that it is one of, which know where the telemetry lies.
        spent: seconds since it began.
    """

    def __init__(self, problem: Problem, questions: Questions, spent: float = 0.0) -> None:
        self.problem, self.questions, self.spent = problem, questions, spent
        self.began = problem.end / 1000
        folder = questions.folder(problem.cloudbed)
        self.data = read_origin(folder)
        self.recording = Recording(questions.domain, folder)

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
    def restored(cls, data: bytes, questions: Questions) -> Self:
        """Continue from a snapshot. Raises SnapshotError for one of a problem that is not here."""
        try:
            state = orjson.loads(data)
            return cls(questions.find(state["problem"]), questions, float(state["spent"]))
        except (ValueError, TypeError, KeyError, CatalogError) as error:
            raise SnapshotError(f"the snapshot is damaged, or of other data: {error}") from None

    def fork(self) -> Self:
        """A reader with a clock of its own, over the same files."""
        return type(self)(self.problem, self.questions, self.spent)
