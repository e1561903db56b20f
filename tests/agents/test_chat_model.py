"""A real language model, small but trained here and now, plays what it has learned through the door of large ones."""

from __future__ import annotations

from statistics import mean

import gymnasium as gym
import pytest
from chat_server import ChatServer

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.agents.base import make
from aiops_gym.runs import run_episode
from aiops_gym.runs.export import collect_messages

pytestmark = pytest.mark.filterwarnings("ignore")

PROBLEMS = ("pod_failure_hotel_res", "misconfig_app_hotel_res", "user_unregistered_mongodb")
CASES = [(f"{problem}-localization-1", seed) for seed, problem in enumerate(PROBLEMS)]
SYSTEM = "Operate."
STEPS = 140


def test_a_model_trained_on_reference_episodes_plays_them_better_than_chance():
    from tiny_lm import TinyLM  # noqa: PLC0415  # Takes seconds, which whoever collects tests need not wait.

    env = gym.make("aiops_gym/Localization-v0", disable_env_checker=True)

    def play(agent, case):
        return run_episode(env, agent, case[1], {"problem": case[0]})

    model = TinyLM([collect_messages(play(make("reference", env), case), SYSTEM) for case in CASES])
    assert model.parameters < 600_000
    model.train(STEPS)
    with ChatServer(model.answer) as server:
        agent = make("chat", env, model="tiny", base_url=server.url, system=SYSTEM, timeout=60)
        played = [play(agent, case) for case in CASES]
    chance = [play(make("random", env, seed), case).reward for case in CASES for seed in range(5)]
    assert not any(episode.agent_error for episode in played)
    assert mean(episode.reward for episode in played) >= 0.6 > 2 * mean(chance)
