"""Incidents as tasks of Inspect AI: a sample is a problem with a seed, and its epochs are identical starts.

    inspect eval aiops_gym/adapters/inspect.py@incidents -T task=detection -T seeds=8 --model openai/gpt-5

The model calls tools, or answers in text blocks where it has none. What failed on our side is an error of the sample,
which Inspect leaves out of its figures and can try again (`--retry-on-error`); it is never a score of 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import anyio
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageTool, ChatMessageUser, execute_tools
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams

from aiops_gym.errors import BackendError
from aiops_gym.ids import STEPS
from aiops_gym.sessions import Reply, Session, Sessions

INPUT = "An incident. What the agent is told is the first message."


@task
def incidents(
    problem: str | Sequence[str] | None = None,
    task: str | None = None,
    split: str | None = None,
    seeds: int = 1,
    steps: int = STEPS,
    options: Mapping[str, Any] | None = None,
) -> Task:
    """Each problem, or what is drawn of a task (`detection`, ...) and a split (`train`, `test`), with so many seeds.

    `options` are further arguments of the environment.
    """
    problems = [problem] if problem is None or isinstance(problem, str) else problem
    made = {"task": task, "split": split, "steps": steps, **(options or {})}
    samples = [
        Sample(input=INPUT, id=f"{each or task or 'drawn'} {seed}", metadata={"problem": each, "seed": seed})
        for each in problems
        for seed in range(seeds)
    ]
    rooms = _Rooms(made)
    how = {"setup": begin(rooms), "solver": play(rooms), "scorer": worth(rooms), "cleanup": rooms.close}
    # A sample of which we lost the world says nothing of the others: `fail_on_error`.
    return Task(MemoryDataset(samples), name="incidents", fail_on_error=False, turn_limit=2 * steps, **how)


class _Rooms:
    """The sessions of the samples that are being played."""

    def __init__(self, made: Mapping[str, Any]) -> None:
        self.made = made
        self.sessions = Sessions(limit=1_000_000, idle=math.inf)  # Inspect says how many, and closes each
        self.open: dict[str, Session] = {}

    async def close(self, state: TaskState) -> None:
        if session := self.open.pop(state.uuid, None):
            session.close()


async def _tell(session: Session, act: Callable[[], Reply]) -> str:
    """What an agent is told. Where we failed this raises, which is an error of the sample to Inspect."""
    reply = await anyio.to_thread.run_sync(act)
    if reply.over:
        _worth(session)
    return reply.text


def _worth(session: Session) -> Any:
    score = session.score()
    if score.masked:
        raise BackendError(score.reason)
    return score


def _make_tools(session: Session) -> list[Tool]:
    def tool(about: Mapping[str, Any]) -> Tool:
        async def execute(**kwargs: Any) -> str:
            return await _tell(session, partial(session.agent.call, about["name"], **kwargs))

        parameters = ToolParams.model_validate(about["parameters"])
        return ToolDef(execute, about["name"], about["description"], parameters, max_output=0).as_tool()

    return [tool(each["function"]) for each in session.agent.tools]


@solver
def begin(rooms: _Rooms) -> Solver:
    """Open the world of a sample: its task is the first message, and its tools are the state's, for any solver."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = await anyio.to_thread.run_sync(lambda: rooms.sessions.create(**rooms.made, **state.metadata))
        _worth(session)
        rooms.open[state.uuid] = session
        state.messages = [ChatMessageUser(content=session.agent.prompt)]
        state.tools = _make_tools(session)
        return state

    return solve


@solver
def play(rooms: _Rooms) -> Solver:
    """Let the model act until the episode is over, by tool calls or by text."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = rooms.open[state.uuid]
        while not session.over:
            state = await generate(state, tool_calls="none")
            state.messages += await answer(session, state)
        return state

    async def answer(session: Session, state: TaskState) -> list[ChatMessage]:
        calls = state.output.message.tool_calls
        if not calls:
            return [ChatMessageUser(content=await _tell(session, partial(session.agent.act, state.output.completion)))]
        messages: list[ChatMessage] = (await execute_tools(state.messages, state.tools)).messages
        by_id = {each.id: each for each in calls if not each.parse_error}
        for message in messages:
            # Inspect refuses what does not fit a schema. It is an action all the same, and ours to refuse.
            refused = isinstance(message, ChatMessageTool) and message.error and message.error.type == "parsing"
            if refused and (call := by_id.get(message.tool_call_id)):
                again = partial(session.agent.call, call.function, **call.arguments)
                message.content, message.error = await _tell(session, again), None
        return messages

    return solve


@scorer(metrics={"reward": [mean(), stderr()], "success": [mean(), stderr()]})
def worth(rooms: _Rooms) -> Scorer:
    """The evaluator's reward and verdict."""

    async def score(state: TaskState, target: Target) -> Score:
        found = _worth(rooms.open[state.uuid])
        value = {"reward": found.reward, "success": float(found.success)}
        return Score(value=value, metadata={"steps": found.steps, "info": found.info})

    return score
