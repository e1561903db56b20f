"""All doors play the same: the same problem, seed and calls give the observations and the reward of `gymnasium.make`.

A door is a function here: it opens an episode, carries out calls one after another until it is over, and returns what
an agent read and what a trainer got. A new door is an entry in `DOORS`.
"""

from __future__ import annotations

import asyncio
import tempfile

import gymnasium as gym
import pytest

from aiops_gym.adapters.aiopslab import OpenRCAOrchestrator, Orchestrator
from aiops_gym.agents.kinds import NEXT
from aiops_gym.sessions import Sessions
from aiops_gym.tools import write_call

WATCHED = "get_logs", {"namespace": "test-hotel-reservation", "service": "geo"}
MISTAKES = [("get_logs", {"namespace": "test-hotel-reservation"}), ("get_log", {}), ("exec_shell", {"command": 5})]
SHELL = "exec_shell", {"command": "kubectl get pods -A -o wide; echo `date` $RANDOM 'ä\"\\'", "timeout": 60}

CASES = {
    "detection": (
        ("revoke_auth_mongodb-detection-1", 3),
        [WATCHED, SHELL, *MISTAKES, ("submit", {"has_anomaly": "Yes"})],
    ),
    "mitigation": (("scale_pod_zero_social_net-mitigation-1", 8), [SHELL, ("submit", {})]),
    "never submitted": (("misconfig_app_hotel_res-localization-1", 1), 30 * [SHELL]),
    "recorded": (
        ("Bank-task_5-0", 2),
        [
            ("get_logs", {"start_time": "2021-03-04 14:30", "end_time": "2021-03-04 14:31"}),
            ("submit", {"component": {"1": {"root cause component": "Mysql02"}}}),
        ],
    ),
}
"""Problem and seed, and what is called in it."""


def play_registered(problem, seed, calls):
    """`gymnasium.make`, with action texts; what all others are compared with."""
    name = "OpenRCABank" if problem.startswith("Bank") else problem.split("-")[-2].capitalize()
    with gym.make(f"aiops_gym/{name}-v0", problem=problem) as env:
        texts, total = [env.reset(seed=seed)[0]], 0.0
        for tool, arguments in calls:
            observation, reward, terminated, truncated, _ = env.step(write_call(tool, arguments))
            texts.append(observation)
            total += reward
            if terminated or truncated:
                break
    return texts, total


def play_text(problem, seed, calls):
    return _play_session(problem, seed, calls, lambda agent, tool, given: agent.act(write_call(tool, given)))


def play_call(problem, seed, calls):
    return _play_session(problem, seed, calls, lambda agent, tool, given: agent.call(tool, **given))


def _play_session(problem, seed, calls, act):
    session = Sessions().create(problem, seed=seed)
    texts = [session.agent.prompt]
    for tool, arguments in calls:
        reply = act(session.agent, tool, arguments)
        texts.append(reply.text)
        if reply.over:
            break
    assert session.over
    return texts, session.score().reward


def play_aiopslab(problem, seed, calls):
    """Its orchestrators ask an agent, who is told the prompt in parts and then observations, the last one too late."""
    agent = Scripted([write_call(tool, arguments) for tool, arguments in calls])
    with tempfile.TemporaryDirectory() as folder:
        if problem.startswith("Bank"):
            orchestrator = OpenRCAOrchestrator(results_dir=folder, seed=seed)
            orchestrator.init_problem("Bank", problem)
        else:
            orchestrator = Orchestrator(folder, seed=seed, evaluation="strict")
            orchestrator.init_problem(problem)
        orchestrator.register_agent(agent)
        prompt = orchestrator.problem.env.prompt
        told = asyncio.run(orchestrator.start_problem(max_steps=30))
    assert agent.states[1:] == [f"{item.content}\n{NEXT}" for item in told["history"][1:-1:2]]
    return [prompt, *(item.content for item in told["history"][1::2])], orchestrator.session.reward


class Scripted:
    """An agent of AIOpsLab that knows beforehand what it will do."""

    def __init__(self, actions):
        self.actions, self.states = actions, []

    async def get_action(self, state):
        self.states.append(state)
        return self.actions[len(self.states) - 1]


DOORS = {"text": play_text, "call": play_call, "aiopslab": play_aiopslab}


@pytest.fixture(scope="module")
def registered():
    return {case: play_registered(*posed, calls) for case, (posed, calls) in CASES.items()}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("case", CASES)
def test_a_door_plays_as_the_registered_environment_does(registered, door, case):
    posed, calls = CASES[case]
    assert DOORS[door](*posed, calls) == registered[case]


def test_the_cases_are_worth_something(registered):
    assert registered["detection"][1] == 1.0
    assert len(registered["never submitted"][0]) == 31
    assert len({text for texts, _ in registered.values() for text in texts}) > 10
