"""A problem as a person meets it: a cluster that lives now, and an answer that is judged once."""

from __future__ import annotations

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.errors import ToolError
from aiops_gym.serve.clock import wall_ms
from aiops_gym.tasks.base import Case, find, truth
from aiops_gym.types import Json, Verdict


class Incident:
    """One incident, from its first moment to the verdict.

    Args:
        problem: id of the problem. Raises CatalogError.
        seed: of the episode.
        noise: whether harmless things happen as well.

    Attributes:
        backend: whose world is served.
        verdict: None until an answer was accepted.
    """

    def __init__(self, problem: str, seed: int, *, noise: bool = True) -> None:
        self.problem = registry.problem(problem)
        self.task = find(self.problem.task)
        sketch = Simulated(self.problem, seed, noise=noise)
        self.backend = Simulated(self.problem, seed, noise=noise, shift=wall_ms() - sketch.world.now)
        self.verdict: Verdict | None = None

    @property
    def brief(self) -> str:
        """What the person is told."""
        return self.task.brief(self.problem, self.backend.app)

    def status(self) -> dict[str, Json]:
        """Where things stand."""
        found = {
            "problem": self.problem.id,
            "task": self.problem.task,
            "namespace": self.backend.app.namespace,
            "seconds": round(self.backend.now() - self.backend.began, 3),
            "submitted": self.verdict is not None,
        }
        return {**found, **_verdict(self.verdict)} if self.verdict else found

    def submit(self, answer: Json = None) -> dict[str, Json]:
        """Judge an answer. Raises ToolError where it is none, or there was one already."""
        if self.verdict is not None:
            raise ToolError("an answer was submitted already", "submission")
        accepted = self.task.accept(answer)
        backend, fault = self.backend, self.backend.fault
        self.verdict = self.task.judge(
            accepted, Case(self.problem, fault, truth(self.problem, fault, backend.app), backend)
        )
        return _verdict(self.verdict)


def _verdict(verdict: Verdict) -> dict[str, Json]:
    return {
        "success": verdict.success,
        "reward": verdict.reward,
        "results": dict(verdict.results),
        "components": dict(verdict.components),
    }
