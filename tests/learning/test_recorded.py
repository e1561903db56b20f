"""Recorded incidents are learnt like live ones: a run, its model as an agent, and settings that make no sense."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

from aiops_gym.errors import ArgumentError
from aiops_gym.learning.agent import masked_random, trained
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.training import train

SMALL = Settings(
    task="openrca_bank",
    steps=128,
    envs=4,
    every=64,
    evaluate=0,
    sample=2,
    recipe={"horizon": 16, "batch": 32, "epochs": 2},
)


def test_a_run_learns_and_its_model_plays_by_text(tmp_path):
    train(SMALL, tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["steps"] == SMALL.total and len(summary["training"]) == 2
    env = gym.make("aiops_gym/OpenRCABank-v0", tools="all", split="test", disable_env_checker=True)
    for agent in (trained(env, model=str(tmp_path / "model.zip")), masked_random(env)):
        observation, _ = env.reset(seed=1)
        agent.reset(observation)
        done = cut = False
        while not (done or cut):
            observation, _, done, cut, info = env.step(agent.act(observation))
            assert info["valid_action"]


@pytest.mark.parametrize("given", [{"tier": "hard"}, {"without": "shuffled"}])
def test_what_recorded_incidents_have_not_is_refused(given):
    with pytest.raises(ArgumentError, match="has no tiers"):
        Settings(task="openrca_bank", **given)
