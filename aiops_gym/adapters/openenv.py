"""Incidents for OpenEnv: an environment with its tasks, a server of many sessions, and a typed client.

    uvicorn --factory aiops_gym.adapters.openenv:make_app            the server
    with IncidentClient(base_url="http://127.0.0.1:8000").sync() as client:
        client.reset(split="train", index=12, seed=7)                or problem=ID, or task="detection"
        client.step(IncidentAction(tool="exec_shell", arguments={"command": "kubectl get pods -A"}))

The address is the trainer's; an agent is shown the observation, and says what the trainer sends on as an action. What
failed on our side ends the episode with the reward None, and the state says why; it is never a reward of 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import FastAPI
from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import TASKS
from aiops_gym.ids import STEPS
from aiops_gym.sessions import Session, Sessions

SPLITS = ("train", "test")


class IncidentAction(Action):
    """What an agent does: a call of a tool, or a text with one."""

    tool: str = Field("", description="Name of a tool; empty if `text` is given.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments by name.")
    text: str = Field("", description="An action as text, with the call in a fenced block.")


class IncidentObservation(Observation):
    """What an agent is told, and at the beginning what it may call, as JSON schemas."""

    text: str = ""
    tools: list[dict[str, Any]] = Field(default_factory=list)


class IncidentEnvironment(Environment[IncidentAction, IncidentObservation, State]):
    """One session at a time; a server makes one of these for each of its clients."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, sessions: Sessions, task: str | None = None, steps: int = STEPS, **options: Any) -> None:
        super().__init__()
        self._sessions, self._task = sessions, task
        self._made = {"steps": steps, **options}
        self._session: Session | None = None
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **posed: Any) -> IncidentObservation:
        """Begin the episode of a task (`split` and `index`), of a `problem`, or one drawn of a `task` and a `split`."""
        self.close()
        if "index" in posed:
            posed = {"problem": self.get_task(posed.pop("split", SPLITS[0]), posed.pop("index"))["problem"], **posed}
        elif self._task and "problem" not in posed:
            posed.setdefault("task", self._task)
        self._session = self._sessions.create(seed=seed or 0, **self._made, **posed)
        self._state = State(episode_id=episode_id)
        agent = self._session.agent
        return self._observe(agent.prompt, [dict(each) for each in agent.tools])

    def step(self, action: IncidentAction, timeout_s: float | None = None, **_: Any) -> IncidentObservation:
        """Carry out one action; it has a time limit of its own, in the world's time."""
        if self._session is None:
            raise RuntimeError("reset begins an episode, and there is none yet")
        agent = self._session.agent
        reply = agent.call(action.tool, **action.arguments) if action.tool else agent.act(action.text)
        self._state.step_count += 1
        return self._observe(reply.text)

    def _observe(self, text: str, tools: list[dict[str, Any]] | None = None) -> IncidentObservation:
        assert self._session is not None
        if not self._session.over:
            return IncidentObservation(text=text, tools=tools or [], reward=0.0)
        score = self._session.score()
        ended = {"success": score.success, "masked": score.masked, "reason": score.reason}
        self._state = State(**{**self._state.model_dump(), **ended})
        return IncidentObservation(text=text, tools=tools or [], done=True, reward=score.reward)

    @property
    def state(self) -> State:
        """How many steps were taken and, after the end, how it went; for the trainer only."""
        return self._state

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()

    def list_splits(self) -> list[str]:
        """The splits that have tasks."""
        return list(SPLITS)

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The problems of a split, each of which any seed makes an episode of; for the trainer only."""
        if split not in SPLITS:
            raise IndexError(f"there is no split {split!r}")
        found = [
            each for task in ([self._task] if self._task else TASKS) for each in registry.problems(task, split=split)
        ]
        return [{"index": at, "problem": each.id, "task": each.task, "app": each.app} for at, each in enumerate(found)]

    def num_tasks(self, split: str) -> int:
        """How many problems there are in a split."""
        return len(self.list_tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One problem of a split."""
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(f"{split} has no task {index}")
        return self.list_tasks(split)[index]

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Problems of a split, as a slice."""
        return self.list_tasks(split)[start:stop]


class IncidentClient(EnvClient[IncidentAction, IncidentObservation, State]):
    """A session on a server; `.sync()` for code that does not wait by itself."""

    def _step_payload(self, action: IncidentAction) -> dict[str, Any]:
        return dict(action.model_dump())

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[IncidentObservation]:
        ended = {"reward": payload["reward"], "done": payload["done"]}
        return StepResult(observation=IncidentObservation(**ended, **payload["observation"]), **ended)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


def make_app(task: str | None = None, limit: int = 64, **options: Any) -> FastAPI:
    """The server, for uvicorn: so many sessions at once, of a task if given; `options` are those of the environment."""
    make: Callable[[], IncidentEnvironment]
    make = partial(IncidentEnvironment, Sessions(limit=limit, idle=math.inf), task, **options)
    return create_app(make, IncidentAction, IncidentObservation, env_name="aiops_gym", max_concurrent_envs=limit)
