"""Incidents for verifiers: a taskset, the environment that plays it, and a harness that needs neither uv nor a sandbox.

    eval aiops-gym-verifiers --env.taskset.kind detection --env.taskset.seeds 8 -r 8 --model MODEL

A rollout (`-r`) of the same task is an identical start. The model calls tools, or answers in text blocks where it has
none. What failed on our side is an error of the episode (`ok` is False), which trainers drop, and never a reward of 0.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from typing import Any

import httpx
import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult

from aiops_gym.errors import BackendError
from aiops_gym.ids import STEPS
from aiops_gym.sessions import AgentSession, Session, Sessions

__all__ = ["ChatHarness", "IncidentEnv", "IncidentTaskset"]


class IncidentData(vf.TaskData):
    """What makes an episode, for whoever opens it; a model is sent `tools` and what the environment says."""

    made: dict[str, Any]
    tools: list[dict[str, Any]] = Field(default_factory=list)


class IncidentConfig(vf.TasksetConfig):
    """Which incidents: `problems`, or what is drawn of a kind of task and a split; each with so many seeds, from 0 on.

    `options` are further arguments of the environment.
    """

    problems: list[str] = Field(default_factory=list)
    kind: str | None = None
    split: str | None = None
    seeds: int = 1
    steps: int = STEPS
    options: dict[str, Any] = Field(default_factory=dict)


class IncidentTask(vf.Task[IncidentData]):
    """One incident."""


class IncidentTaskset(vf.Taskset[IncidentTask, IncidentConfig]):
    """The incidents of a configuration."""

    def load(self) -> Iterator[IncidentTask]:
        """One task after another."""
        config = self.config
        common = {"task": config.kind, "split": config.split, "steps": config.steps, **config.options}
        for problem in config.problems or [None]:
            for seed in range(config.seeds):
                made = {**common, "problem": problem, "seed": seed}
                name = f"{problem or config.kind or 'drawn'} {seed}"
                yield IncidentTask(IncidentData(name=name, prompt=None, made=made), config.task)


class IncidentEnvConfig(vf.EnvConfig):
    """One agent, and where its harness runs: here, for the harness below has no program."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class IncidentEnv(vf.Env[IncidentEnvConfig]):
    """Plays an incident with one agent."""

    def __init__(self, config: IncidentEnvConfig) -> None:
        super().__init__(config)
        self.sessions = Sessions(limit=1_000_000, idle=math.inf)  # verifiers says how many, and each is closed

    async def run(self, task: IncidentTask, agents: vf.Agents) -> None:
        """Let the agent act until the episode is over."""
        session = await asyncio.to_thread(lambda: self.sessions.create(**task.data.made))
        try:
            checked(session)
            told = task.with_data(tools=list(session.agent.tools))
            async with agents.player.interaction(told) as talk:
                segment = await talk.turn(session.agent.prompt)
                while not segment.terminated:
                    answers = await asyncio.to_thread(answer, session.agent, segment)
                    if session.over:
                        break
                    segment = await talk.turn(answers)
                score = checked(session)
                talk.trace.record_reward("reward", score.reward)
                talk.trace.record_metric("success", float(score.success))
                talk.trace.record_metric("steps", float(score.steps))
        finally:
            session.close()


def answer(agent: AgentSession, segment: vf.Segment) -> vf.Messages:
    """Carry out what a model said, calls or text."""
    calls = segment.messages[-1].tool_calls if segment.messages else None
    if not calls:
        return [vf.UserMessage(content=agent.act(segment.last_reply).text)]
    return [vf.ToolMessage(tool_call_id=each.id, content=carry_out(agent, each)) for each in calls]


def carry_out(agent: AgentSession, call: vf.ToolCall) -> str:
    """The observation of a call. Arguments that are no JSON object are an action all the same: a text that is none."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    return (agent.call(call.name, **arguments) if isinstance(arguments, dict) else agent.act(call.arguments)).text


def checked(session: Session) -> Any:
    """The score. Where we failed this raises, which is an error of the episode to verifiers."""
    score = session.score()
    if score.masked:
        raise BackendError(score.reason)
    return score


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model once for each turn, in this process."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: vf.TaskData
    ) -> ProgramResult:
        """One answer to the conversation so far, kept in the trace by whoever is asked."""
        system, prompt = self.resolve_prompt(data)
        first = [vf.SystemMessage(content=system)] if system else []
        body = {"model": ctx.model, "messages": [message_to_wire(each) for each in [*first, *(prompt or [])]]}
        async with httpx.AsyncClient(timeout=None, headers={"Authorization": f"Bearer {secret}"}) as client:
            url = endpoint.rstrip("/") + "/chat/completions"
            (await client.post(url, json={**body, "tools": data.tools})).raise_for_status()
        return ProgramResult(exit_code=0, stdout="", stderr="")
