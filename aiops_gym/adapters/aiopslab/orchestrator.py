"""The two orchestrators: an agent and an environment in turns, from the first question to the saved session."""

from __future__ import annotations

import inspect
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from aiops_gym.adapters.aiopslab.openrca import OpenRCAProblemRegistry, Root
from aiops_gym.adapters.aiopslab.registry import ProblemRegistry
from aiops_gym.adapters.aiopslab.responses import ResponseParser, SubmissionStatus
from aiops_gym.adapters.aiopslab.session import RESULTS, Session
from aiops_gym.adapters.aiopslab.tasks import Task
from aiops_gym.agents.kinds import NEXT
from aiops_gym.errors import ArgumentError, BackendError
from aiops_gym.runs import recording

LOG_TRIM = "LOG_TRIM"
"""Environment variable with the block size of the log de-duplication; anything but a positive number is off."""


class BaseOrchestrator:
    """What both orchestrators do.

    Args:
        results_dir: folder of saved sessions; `data/results` without it.
        seed: of the first episode of a problem; where a problem is begun again, its next episode has the next seed.

    Attributes:
        agent: that was registered.
        session: of the episode; complete when it is over.
        problem: that was begun last; the agent's part of it is what `init_problem` returned, and nothing else.
    """

    def __init__(self, results_dir: str | os.PathLike[str] | None = None, seed: int = 0) -> None:
        self.results_dir = RESULTS if results_dir is None else Path(results_dir)
        self.seed, self.parser = seed, ResponseParser()
        self.agent: Any = None
        self.agent_name = "agent"
        self.session: Session | None = None
        self.problem: Task | None = None
        self._starts: Counter[str] = Counter()
        self._began = self._thought = 0.0

    def register_agent(self, agent: Any, name: str = "agent") -> None:
        """Say who will play: an object with `get_action(state)`, plain or async, under a name for the session."""
        self.agent, self.agent_name = agent, name

    def next_seed(self, problem_id: str) -> int:
        """Seed of the next episode of a problem."""
        self._starts[problem_id] += 1
        return self.seed + self._starts[problem_id] - 1

    def begin(self, problem: Task) -> tuple[str, str, dict[str, str]]:
        """Begin an episode: description, instructions and actions for the agent. Ends the one before."""
        self.close()
        self._began, self._thought, self.problem = time.perf_counter(), 0.0, problem
        env = problem.env
        observation, _, _, _, info = env.last
        self.session = Session.of(recording.begin_episode(env, self.agent_name, problem.seed, observation, info))
        return problem.get_task_description(), problem.get_instructions(), problem.get_available_actions()

    def close(self) -> None:
        """Forget the episode."""
        if self.problem is not None:
            self.problem.close()
        self.problem = None

    async def start_problem(self, max_steps: int) -> dict[str, Any]:
        """Ask agent and environment in turns until an answer is accepted or the steps are used up, and grade that.

        Returns:
            `history`, `final_state`, `results` and `framework_overhead`: messages, the status of the submission or else
            the last observation, the verdict, and real seconds that were not the agent's.

        Raises:
            ArgumentError: no agent was registered, or no problem is begun.
            BackendError: the environment broke; there is no verdict then, and nothing is saved.
        """
        if self.agent is None:
            raise ArgumentError("no agent is registered: call register_agent first")
        problem, session = self._current()
        problem.session.steps, state = max_steps, NEXT
        session.agent, session.env_kwargs["max_episode_steps"] = self.agent_name, max_steps
        response: str | SubmissionStatus = ""
        try:
            for _ in range(max_steps):
                response = await self.ask_env(await self.ask_agent(state))
                if isinstance(response, SubmissionStatus):
                    break
                state = f"{response}\n{NEXT}"
            self._finish(problem, session)
        finally:
            self.close()
        session.to_json(self.results_dir)
        overhead = time.perf_counter() - self._began - self._thought
        told = {"history": session.history, "final_state": response, "results": session.results}
        return {**told, "framework_overhead": overhead}

    async def ask_agent(self, state: str) -> Any:
        """The agent's next action."""
        asked = time.perf_counter()
        found = self.agent.get_action(state)
        action = await found if inspect.isawaitable(found) else found
        self._thought += time.perf_counter() - asked
        return action

    async def ask_env(self, action: Any) -> str | SubmissionStatus:
        """What came of an action: the observation, or the status of a submission that ended the episode."""
        problem, session = self._current()
        reply = problem.session.agent.act(action)
        if problem.session.env is None:
            raise BackendError(problem.session.score().reason)
        _, reward, ended, _, info = problem.session.env.last
        if info["infra_error"]:
            raise BackendError(reply.text)
        if reply.over and not ended:  # the last step, which may be worth something as it is
            score = problem.session.score()
            reward, info = score.reward or 0.0, dict(score.info)
        recording.note_turn(session, action, reply.text, reward, info)
        session.terminated, session.truncated = ended, reply.over and not ended
        return SubmissionStatus.VALID_SUBMISSION if ended else reply.text

    def _current(self) -> tuple[Task, Session]:
        if self.problem is None or self.session is None:
            raise ArgumentError("no problem is begun: call init_problem first")
        return self.problem, self.session

    def _finish(self, problem: Task, session: Session) -> None:
        score = problem.session.score()
        if score.masked:
            raise BackendError(score.reason)
        recording.finish(problem.env, session, dict(score.info))
        if not score.info["results"]:
            session.results |= problem.judge()


class Orchestrator(BaseOrchestrator):
    """Poses AIOpsLab's problems to an agent.

    Args:
        results_dir: folder of saved sessions; `data/results` without it.
        seed: of the first episode of a problem; where a problem is begun again, its next episode has the next seed.
        evaluation: `aiopslab` gives the original's verdicts, after the last step too; `strict` those of this package.
        options: further arguments of the environments, such as `noise=False`.

    Attributes:
        probs: the problems.
    """

    def __init__(
        self,
        results_dir: str | os.PathLike[str] | None = None,
        *,
        seed: int = 0,
        evaluation: str = "aiopslab",
        **options: Any,
    ) -> None:
        super().__init__(results_dir, seed)
        self.probs = ProblemRegistry(evaluation=evaluation, **options)

    def init_problem(self, problem_id: str) -> tuple[str, str, dict[str, str]]:
        """Begin an episode.

        Returns:
            What the agent is told: the task, the instructions, and the actions: name -> signature and docstring.

        Raises:
            ValueError: there is no such problem.
        """
        known = self.probs.get_problem(problem_id)
        if known is None:
            raise ValueError(f"Problem ID {problem_id} not found in registry.")
        return self.begin(known(seed=self.next_seed(problem_id), **_read_log_trim()))


class OpenRCAOrchestrator(BaseOrchestrator):
    """Poses the questions of a query.csv to an agent.

    Args:
        root: folder of the data set; without it that of `AIOPS_GYM_OPENRCA`, or else a synthetic one.
        results_dir: as of `Orchestrator`, and so is `seed`.
        seed: likewise.
        options: further arguments of the environments, such as `tools="all"`.

    Attributes:
        candidates: what an answer may name: lists of `components` and `reasons`.
    """

    def __init__(
        self, root: Root = None, results_dir: str | os.PathLike[str] | None = None, *, seed: int = 0, **options: Any
    ) -> None:
        super().__init__(results_dir, seed)
        self.root, self.options = root, options
        self.candidates: dict[str, list[str]] = {}

    def init_problem(self, domain: str, problem_id: int | str) -> tuple[str, str, dict[str, str]]:
        """Begin an episode.

        Args:
            domain: `Bank`, `Telecom`, or a cluster of the market, `Market/cloudbed-1`.
            problem_id: number of the row of its query.csv, or the id, `Bank-task_7-0`.

        Returns:
            As `Orchestrator.init_problem`.

        Raises:
            ValueError: there is no such row, or no such domain.
        """
        registry = OpenRCAProblemRegistry.from_query_csv(domain, self.root)
        rows = (each for each in registry if each == problem_id or each.endswith(f"-{problem_id}"))
        name = next(rows, str(problem_id))
        problem = registry.get_problem_instance(name, seed=self.next_seed(name), **self.options)
        self.candidates = {"components": problem.CANDIDATE_COMPONENTS, "reasons": problem.CANDIDATE_REASONS}
        return self.begin(problem)


def _read_log_trim() -> dict[str, int]:
    """What the variable says; nothing where it is not set, and then the environment's own size holds."""
    found = os.environ.get(LOG_TRIM)
    if found is None:
        return {}
    return {"log_dedup": int(found) if found.strip().isdecimal() else 0}
