"""RLlib learns to tell a broken application from a healthy one, and never tries what is not allowed.

    pip install "aiops_gym[ray]"
    python examples/09_rllib.py

PPO of the new API stack. The mask of the actions is a part of the observation, and RLlib's own module reads it there.
"""

import os

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "OMP_NUM_THREADS": "1"}

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune import register_env

from aiops_gym.learning import rllib
from aiops_gym.learning.stack import GAMMA

PROBLEMS = ["pod_failure_hotel_res-detection-1", "noop_detection_hotel_reservation-1"]
ITERATIONS = 16


def episode_return(result):
    """Mean over the episodes that ended of late."""
    return result["env_runners"]["episode_return_mean"]


ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=200 * 2**20, logging_level="ERROR")
register_env("incidents", rllib.make)
config = (
    PPOConfig()
    .environment("incidents", env_config={"task": "detection", "problem": PROBLEMS, "noise": False, "gamma": GAMMA})
    .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
    .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=6, lr=1e-3, gamma=GAMMA)
    .rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule,
            model_config={"fcnet_hiddens": [64, 64], "fcnet_activation": "tanh"},
        )
    )
    .debugging(seed=0, log_level="ERROR")
)
learner = config.build_algo()
returns = [episode_return(learner.train()) for _ in range(ITERATIONS)]
print("return of each iteration:", " ".join(f"{each:.2f}" for each in returns))
print(f"{returns[0]:.2f} before, {returns[-1]:.2f} after {ITERATIONS} iterations, better: {returns[-1] > returns[0]}")
learner.stop()
ray.shutdown()
