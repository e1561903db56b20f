"""Stable-Baselines3's own tools on every stack that is documented; warnings are errors here as everywhere."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy as evaluate_plain
from stable_baselines3.common.monitor import load_results
from stable_baselines3.common.vec_env import SubprocVecEnv, VecNormalize
from wrapper_stacks import NUMBERS

from aiops_gym.errors import AiopsGymError
from aiops_gym.learning import stack
from aiops_gym.learning.again import Again
from aiops_gym.learning.workers import Workers

torch.set_num_threads(1)

ID = "aiops_gym:aiops_gym/Detection-v0"
PLAIN = {"render_mode": None, "problem": "container_kill-detection"}


@pytest.mark.parametrize("name", NUMBERS)
def test_vectors_monitors_normalisers_and_evaluations_take_a_stack(name, tmp_path):
    made = make_vec_env(ID, 2, seed=1, wrapper_class=NUMBERS[name], env_kwargs=PLAIN, monitor_dir=str(tmp_path))
    floats = [key for key, space in made.observation_space.items() if isinstance(space, gym.spaces.Box)]
    envs = VecNormalize(made, norm_obs_keys=floats)
    learner = MaskablePPO("MultiInputPolicy", envs, n_steps=40, batch_size=80, n_epochs=1, seed=0, device="cpu")
    learner.learn(80)
    assert {"r", "l", "t"} <= set(load_results(str(tmp_path)).columns)
    envs.training = envs.norm_reward = False
    rewards, lengths = evaluate_policy(learner, envs, 2, return_episode_rewards=True, warn=False)
    assert len(rewards) == 2
    assert max(lengths) <= 30
    envs.save(str(tmp_path / "statistics"))
    again = VecNormalize.load(str(tmp_path / "statistics"), made)
    assert all(np.array_equal(again.obs_rms[key].mean, envs.obs_rms[key].mean) for key in floats)
    made.close()


@pytest.mark.parametrize("kind", [SubprocVecEnv, Workers])
def test_processes_play_what_one_plays(kind):
    made = {"seed": 3, "wrapper_class": stack.wrap, "env_kwargs": PLAIN}
    here = make_vec_env(ID, 3, **made)
    more = {"vec_env_kwargs": {"processes": 2}} if kind is Workers else {}
    there = make_vec_env(ID, 3, vec_env_cls=kind, **more, **made)
    try:
        assert same(here.reset(), there.reset())
        for choice in (0, 1, 2, -1, 0):
            masks = get_action_masks(here)
            assert np.array_equal(masks, get_action_masks(there))
            actions = np.array([np.flatnonzero(mask)[choice] for mask in masks])
            ours, theirs = here.step(actions), there.step(actions)
            assert same(ours[0], theirs[0])
            assert ours[1] == pytest.approx(theirs[1])
            assert np.array_equal(ours[2], theirs[2])
            assert [info.get("is_success") for info in ours[3]] == [info["is_success"] for info in theirs[3]]
        assert there.get_attr("render_mode", [0, 2]) == [None, None]
        there.set_attr("note", 5, indices=1)
        assert there.get_attr("note", 1) == [5]
        assert there.env_is_wrapped(Again) == [False] * 3
    finally:
        here.close()
        there.close()


def same(left, right) -> bool:
    return list(left) == list(right) and all(np.array_equal(left[key], right[key]) for key in left)


def test_plain_ppo_and_its_evaluation_take_the_stack():
    envs = make_vec_env(ID, 2, seed=1, wrapper_class=stack.wrap, env_kwargs=PLAIN)
    learner = PPO("MultiInputPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu").learn(32)
    assert len(evaluate_plain(learner, envs, 2, return_episode_rewards=True, warn=False)[0]) == 2


class Breaking(gym.Env):
    observation_space, action_space = gym.spaces.Box(0, 1), gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return self.observation_space.low, {}

    def step(self, action):
        raise ZeroDivisionError("seven is no number")


def test_what_an_environment_raises_in_a_process_is_told():
    envs = Workers([Breaking, Breaking], 1)
    try:
        envs.reset()
        with pytest.raises(AiopsGymError, match="seven is no number"):
            envs.step(np.array([0, 1]))
        envs.processes[0].kill()
        envs.processes[0].join()
        with pytest.raises((AiopsGymError, BrokenPipeError)):
            envs.reset()
    finally:
        envs.close()
