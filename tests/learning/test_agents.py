"""A trained model as an agent among others: the same actions from texts alone as in its own environment."""

from __future__ import annotations

import json
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
import torch
from small_run import SMALL

import aiops_gym
from aiops_gym.agents import base
from aiops_gym.cli import run
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning import policies, worlds
from aiops_gym.learning.agent import MaskedRandom, masked_random, trained
from aiops_gym.learning.policies import Policy, find_algorithm
from aiops_gym.learning.policy import make_policy_kwargs
from aiops_gym.runs import Episode

AGENT = "aiops_gym.learning:trained"
SETTINGS = replace(SMALL, task="mitigation", problems=("scale_pod_zero_social_net-mitigation-1",))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A network that knows nothing, but prefers something."""
    env = worlds.make_world(SETTINGS)
    policy, kwargs = make_policy_kwargs(env)
    learner = find_algorithm("maskable-ppo")(policy, env, policy_kwargs=kwargs, seed=3, device="cpu")
    with torch.no_grad():
        for weights in learner.policy.parameters():
            weights.add_(0.3 * torch.randn_like(weights))
    path = tmp_path_factory.mktemp("mitigation") / "model.zip"
    learner.save(path)
    return str(path)


def played(env, choose, seed):
    """Texts of an episode in the environment of the learner."""
    seen, _ = env.reset(seed=seed)
    said, over = [], False
    while not over:
        seen, _, terminated, truncated, _ = env.step(choose(env, seen))
        said.append(env.get_wrapper_attr("spoken"))
        over = terminated or truncated
    return said


@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("seed", [5, 6])
def test_it_acts_on_texts_as_it_does_on_numbers(model, seed, sampled):
    text = gym.make("aiops_gym/Mitigation-v0", problem=SETTINGS.problems[0])
    agent = trained(text, seed, model, sampled)
    episode = aiops_gym.run_episode(text, agent, seed)
    torch.manual_seed(seed)
    policy = policies.load(model)
    direct = played(worlds.make_world(SETTINGS), lambda env, seen: policy.choose(env, seen, sampled), seed)
    assert [step["action"] for step in episode.steps] == direct
    assert len(set(direct)) > 1 or not sampled


def test_luck_takes_only_what_the_mask_allows():
    text = gym.make("aiops_gym/Mitigation-v0", problem=SETTINGS.problems[0])
    agent = masked_random(text, 7)
    first, again = (aiops_gym.run_episode(text, agent, 7) for _ in range(2))
    assert [step["action"] for step in first.steps] == [step["action"] for step in again.steps]
    assert len({step["action"] for step in first.steps}) > 3
    assert not any(step["error"] for step in first.steps)
    assert isinstance(agent, MaskedRandom)


def test_its_episodes_are_kept_as_all_others(model, tmp_path, capsys):
    named = model.replace("mitigation", "{task}")
    given = ["evaluate", "--agent", f"{AGENT},aiops_gym.learning:masked_random", "--model", named, "--workers", "0"]
    assert run([*given, "--problem", SETTINGS.problems[0], "--out", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["agent"] for row in rows} == {AGENT, "aiops_gym.learning:masked_random"}
    assert all(row["agent_errors"] == row["infra_errors"] == row["missing"] == 0 for row in rows)
    episodes = [Episode.load(path) for path in sorted((tmp_path / "episodes").iterdir())]
    assert sorted(episode.agent for episode in episodes) == ["aiops_gym.learning:masked_random", AGENT]


def test_an_agent_that_is_made_for_something_else_is_refused(model, tmp_path):
    text = gym.make("aiops_gym/Detection-v0")
    with pytest.raises(AiopsGymError, match="trained with another"):
        base.make(AGENT, text, model=model)
    with pytest.raises(AiopsGymError, match="there is no model"):
        base.make(AGENT, text, model=str(tmp_path / "nothing.zip"))
    (tmp_path / "odd.zip").write_bytes(b"no archive")
    with pytest.raises(AiopsGymError, match="holds no model"):
        base.make(AGENT, text, model=str(tmp_path / "odd.zip"))


def test_a_policy_never_takes_a_masked_action(model):
    env = worlds.make_world(SETTINGS)
    policy = Policy(policies.load(model).learner)
    seen, _ = env.reset(seed=1)
    for _ in range(12):
        action = policy.choose(env, seen, sampled=True)
        assert env.get_wrapper_attr("action_masks")()[action]
        seen, _, over, _, _ = env.step(action)
        if over:
            seen, _ = env.reset()
    assert np.isfinite(policy.learner.policy.predict_values(policy.learner.policy.obs_to_tensor(seen)[0]).item())
