"""Infos of numbers alone: the same keys, types and shapes in each."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from aiops_gym.wrappers import MacroActions, NumericInfo


def test_every_info_has_the_same_keys_types_and_shapes():
    env = NumericInfo(MacroActions(gym.make("aiops_gym/Detection-v0", problem="container_kill-detection"), slots=4))
    infos = [env.reset(seed=1)[1], *(env.step(action)[4] for action in (0, 1, 7, 2)), env.reset()[1]]
    kinds = [{name: (each.dtype, each.shape) for name, each in info.items()} for info in infos]
    assert all(isinstance(each, np.ndarray) for info in infos for each in info.values())
    assert all(each == kinds[0] for each in kinds)
    assert {"action_mask", "is_success", "valid_action"} <= set(kinds[0])
    assert "problem" not in kinds[0]
