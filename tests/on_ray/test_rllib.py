"""RLlib trains on incidents, and never takes an action that the mask forbids."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune import register_env

from aiops_gym.learning import rllib

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
PROBLEMS = ["pod_failure_hotel_res-detection-1", "noop_detection_hotel_reservation-1"]
STEPS, ITERATIONS = 256, 3


@pytest.fixture(scope="module", autouse=True)
def local():
    """A Ray on this machine, which asks nobody and tells nobody."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        options = {"include_dashboard": False, "object_store_memory": 200 * 2**20}
        ray.init("local", num_cpus=2, log_to_driver=False, logging_level="ERROR", **options)
        yield
        ray.shutdown()


class Witness(gym.Wrapper):
    """Sees what was allowed, and what was done."""

    seen: list[tuple[np.ndarray, int]] = []  # noqa: RUF012  # RLlib makes the environments.

    def reset(self, **more):
        self.observation, info = self.env.reset(**more)
        return self.observation, info

    def step(self, action):
        self.seen.append((self.observation["action_mask"], int(action)))
        self.observation, *rest = self.env.step(action)
        return self.observation, *rest


def learner(make, runners):
    register_env("incidents", make)
    return (
        PPOConfig()
        .environment("incidents", env_config={"task": "detection", "problem": PROBLEMS, "noise": False})
        .env_runners(num_env_runners=runners, num_envs_per_env_runner=2)
        .training(train_batch_size_per_learner=STEPS, minibatch_size=128, num_epochs=4, lr=1e-3)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        .debugging(seed=0, log_level="ERROR")
        .build_algo()
    )


def test_training_never_takes_a_masked_action():
    algorithm = learner(lambda config: Witness(rllib.make(config)), 0)
    results = [algorithm.train() for _ in range(ITERATIONS)]
    algorithm.stop()
    assert results[-1]["env_runners"]["num_env_steps_sampled_lifetime"] >= STEPS * ITERATIONS
    assert len(Witness.seen) >= STEPS * ITERATIONS
    assert all(mask[action] == 1 for mask, action in Witness.seen)
    allowed = np.mean([mask.mean() for mask, _ in Witness.seen])
    assert 0.02 < allowed < 0.9  # it forbids something: chance alone would have met it
    assert len({action for _, action in Witness.seen}) > 3


def test_the_environments_may_live_in_processes_of_ray():
    algorithm = learner(rllib.make, 1)
    result = algorithm.train()["env_runners"]
    algorithm.stop()
    assert result["num_env_steps_sampled_lifetime"] >= STEPS
    assert -1 <= result["episode_return_mean"] <= 1
