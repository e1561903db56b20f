"""Stable-Baselines3 takes the stacks as they are; left out where it is not installed."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecNormalize
from wrapper_stacks import FOR_RLLIB, NUMBERS, ROWS, TASKS, WORDS

torch.set_num_threads(1)

STACKS = {**NUMBERS, **FOR_RLLIB}

ID = "aiops_gym:aiops_gym/Detection-v0"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", STACKS)
def test_its_checker_finds_nothing_to_complain_about(name, task):
    check_env(STACKS[name](gym.make(f"aiops_gym/{task}-v0", split="train")), skip_render_check=True)


def test_its_checker_refuses_bare_text_since_it_knows_no_observations_but_arrays():
    with pytest.raises(AssertionError, match=r"The observation returned by `reset\(\)` method must be a numpy array"):
        check_env(gym.make("aiops_gym/Detection-v0"), skip_render_check=True)


@pytest.mark.parametrize("kind", [DummyVecEnv, SubprocVecEnv])
def test_masks_are_found_through_its_vectors(kind):
    env = make_vec_env(ID, 2, seed=0, wrapper_class=NUMBERS[WORDS], vec_env_cls=kind, env_kwargs={"render_mode": None})
    try:
        assert is_masking_supported(env)
        before = get_action_masks(env)
        seen = env.reset()
        assert before.shape == (2, env.action_space.n)
        assert set(seen) == {"features", "used", "budget", "last", "results"}
        *_, infos = env.step(np.array([0, 1]))
        masks = get_action_masks(env)
        assert masks[0].sum() > before[0].sum() or masks[1].sum() > before[1].sum()
        assert np.array_equal(masks[0], infos[0]["action_mask"].astype(bool))
    finally:
        env.close()


def test_a_maskable_learner_learns_saves_and_is_evaluated(tmp_path):
    def made(seed):
        plain = make_vec_env(ID, 2, seed=seed, wrapper_class=NUMBERS[ROWS], env_kwargs={"render_mode": None})
        return VecNormalize(plain, norm_obs_keys=["components"])

    learner = MaskablePPO("MultiInputPolicy", made(0), n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu")
    learner.learn(64)
    learner.save(tmp_path / "policy")
    again = MaskablePPO.load(tmp_path / "policy", env=made(0))
    reward, length = evaluate_policy(again, made(1), 2, return_episode_rewards=True, warn=False)
    assert len(reward) == len(length) == 2
    assert max(length) <= 30
