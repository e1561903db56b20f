"""A problem as a person meets it: a cluster that lives now, and an answer that is judged once."""

from __future__ import annotations

from gymnasium.utils.seeding import np_random

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import INCIDENT, TASKS, Problem
from aiops_gym.envs import render
from aiops_gym.errors import ArgumentError, ToolError
from aiops_gym.serve.clock import wall_ms
from aiops_gym.tasks.base import Case, find, find_truth
from aiops_gym.types import Json, Verdict


class Incident:
    """One incident, from its first moment to the verdict.

    Args:
        problem: what is wrong.
        episode_seed: of the episode.
        noise: whether harmless things happen as well.

    Attributes:
        backend: whose world is served.
        verdict: None until an answer was accepted.
        signals: what telemetry said until then.
    """

    def __init__(self, problem: Problem, episode_seed: int, *, noise: bool = True) -> None:
        if problem.task == INCIDENT:
            raise ArgumentError("an incident from the page to the report has no door yet: play aiops_gym/Incident-v0")
        self.problem, self.episode_seed = problem, episode_seed
        self.task = find(problem.task)
        sketch = Simulated(problem, episode_seed, noise=noise)
        self.backend = Simulated(problem, episode_seed, noise=noise, shift=wall_ms() - sketch.world.now)
        self.verdict: Verdict | None = None
        self.signals: dict[str, Json] = {}

    @property
    def brief(self) -> str:
        """What the person is told; nothing in it depends on what is wrong."""
        return self.task.brief(self.problem, self.backend.app)

    @property
    def seconds(self) -> float:
        """Of the world's clock, since the beginning."""
        return round(self.backend.now() - self.backend.began, 3)

    def status(self) -> dict[str, Json]:
        """Where things stand; which problem it is only after the verdict."""
        found = {
            "task": self.problem.task,
            "namespace": self.backend.app.namespace,
            "seconds": self.seconds,
            "submitted": self.verdict is not None,
        }
        return {**found, **self.told()} if self.verdict else found

    def submit(self, answer: Json) -> Verdict:
        """Judge an answer that the task takes. Raises ToolError where there was one already."""
        if self.verdict is not None:
            raise ToolError(f"an answer was submitted already: {self.words}", "submission")
        backend, fault = self.backend, self.backend.fault
        case = Case(self.problem, fault, find_truth(self.problem, fault, backend.app), backend)
        verdict = self.task.judge(answer, case)
        self.signals, self.verdict = backend.signals(), verdict
        return verdict

    @property
    def words(self) -> str:
        """The verdict for a person, "" while there is none."""
        if self.verdict is None:
            return ""
        info = {"infra_error": False, "results": self.verdict.results, "is_success": self.verdict.success}
        words = render.strip_colours(render.render_verdict(self.verdict.reward, info))
        reasons = self.verdict.results.get("reasons")
        return f"{words}: {reasons}" if reasons else words

    def told(self) -> dict[str, Json]:
        """The verdict, and what the problem was; nothing while there is none."""
        verdict = self.verdict
        if verdict is None:
            return {}
        return {
            "verdict": self.words,
            "success": verdict.success,
            "reward": verdict.reward,
            "problem": self.problem.id,
            "results": dict(verdict.results),
            "components": dict(verdict.components),
        }


def choose_problem(
    seed: int,
    problem: str | None = None,
    task: str | None = None,
    split: str | None = None,
    app: str | None = None,
    tier: str | None = None,
) -> tuple[Problem, int]:
    """A problem and the seed of its episode: those of an environment's `reset(seed=seed)`.

    Args:
        seed: draws the rest.
        problem: an id, which leaves nothing to be drawn but the episode.
        task: to draw a problem of; detection without it.
        split: likewise; None for the problems of AIOpsLab.
        app: likewise; None for any.
        tier: likewise; None for all but the hard ones.

    Raises:
        ArgumentError: what there is not, or two that do not fit.
    """
    episode_seed = int(np_random(seed)[0].integers(2**63))
    task = task.lower() if task else None
    if problem is None:
        return registry.draw(find(task or TASKS[0]).name, episode_seed, split, app, tier), episode_seed
    found = registry.find_problem(problem)
    drawn = (("task", task, found.task), ("split", split, None), ("app", app, found.app), ("tier", tier, found.tier))
    for name, wanted, there in drawn:
        if wanted is not None and wanted != there:
            raise ArgumentError(f"--problem names one problem: leave --{name} out, which draws one")
    return found, episode_seed
