"""Trainers that walk in by wrappers alone: TorchRL and Tianshou take the infos, and keep to the mask."""

from __future__ import annotations

import gymnasium as gym
import pytest
from door_contract import run_whole_page
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs

import aiops_gym  # noqa: F401  # registers
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import NumericInfo

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("default")]


def test_infos_become_tensors_and_random_actions_keep_to_the_mask():
    stack = wrap(gym.make("aiops_gym/Detection-v0", problem="container_kill-detection"))
    env = GymWrapper(NumericInfo(stack), categorical_action_encoding=True).auto_register_info_dict()
    env = TransformedEnv(env, ActionMask(mask_key="action_mask"))
    check_env_specs(env)
    env.set_seed(0)
    for _ in range(3):
        episode = env.rollout(30)
        assert episode["action_mask"].gather(-1, episode["action"].unsqueeze(-1)).all()
        assert episode["next", "valid_action"].all()


def test_the_page_of_torchrl_runs():
    assert len(run_whole_page("torchrl")["episode"]["action"]) > 0


def test_the_page_of_tianshou_runs():
    names = run_whole_page("tianshou")
    assert len(names["turns"]) == 200
