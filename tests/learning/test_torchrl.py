"""TorchRL takes the infos, and keeps to the mask."""

from __future__ import annotations

import gymnasium as gym
import pytest
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs

import aiops_gym  # noqa: F401  # registers
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import NumericInfo

pytestmark = pytest.mark.filterwarnings("default")


def made(stack):
    return stack(wrap(gym.make("aiops_gym/Detection-v0", problem="container_kill-detection")))


def test_infos_become_tensors_and_random_actions_keep_to_the_mask():
    env = GymWrapper(made(NumericInfo), categorical_action_encoding=True).auto_register_info_dict()
    env = TransformedEnv(env, ActionMask(mask_key="action_mask"))
    check_env_specs(env)
    env.set_seed(0)
    for _ in range(3):
        episode = env.rollout(30)
        assert episode["action_mask"].gather(-1, episode["action"].unsqueeze(-1)).all()
        assert episode["next", "valid_action"].all()
