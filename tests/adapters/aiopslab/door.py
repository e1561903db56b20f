"""AIOpsLab's orchestrators, as one of the doors of `tests/adapters/test_doors.py`."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import contextmanager

from aiops_gym.adapters.aiopslab import OpenRCAOrchestrator, Orchestrator
from aiops_gym.agents.kinds import NEXT
from aiops_gym.tools import write_call


@contextmanager
def aiopslab_door():
    """They ask an agent, who is told the prompt in parts and then observations, the last one too late."""
    with tempfile.TemporaryDirectory() as folder:

        def play(problem, seed, calls):
            orchestrator = begin(problem, seed, folder)
            agent, prompt = Scripted(calls), orchestrator.problem.env.prompt
            orchestrator.register_agent(agent)
            told = asyncio.run(orchestrator.start_problem(max_steps=30))
            heard = [item.content for item in told["history"][1::2]]
            assert agent.states == [NEXT, *(f"{text}\n{NEXT}" for text in heard[:-1])]
            return [prompt, *heard], orchestrator.session.reward

        yield play


def begin(problem, seed, folder):
    if problem.startswith("Bank"):
        orchestrator = OpenRCAOrchestrator(results_dir=folder, seed=seed)
        orchestrator.init_problem("Bank", problem)
    else:
        orchestrator = Orchestrator(folder, seed=seed, evaluation="strict")
        orchestrator.init_problem(problem)
    return orchestrator


class Scripted:
    """An agent that knows beforehand what it will do."""

    def __init__(self, calls):
        self.actions, self.states = [write_call(tool, arguments) for tool, arguments in calls], []

    async def get_action(self, state):
        self.states.append(state)
        return self.actions[len(self.states) - 1]
