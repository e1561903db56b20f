"""Training by hand: the stack of wrappers, the network, and MaskablePPO of Stable-Baselines3. Takes a minute or two.

    pip install "aiops_gym[sb3]"
    python examples/08_train.py

`aiops-gym train` does the same with a progress bar, checkpoints, evaluations and a learning curve: docs/training.md.
"""

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env

from aiops_gym.learning.policy import make_policy_kwargs
from aiops_gym.learning.stack import GAMMA, wrap

torch.set_num_threads(1)  # with more on a busy machine such small networks are many times slower

FAULTY = ["user_unregistered_mongodb-detection-1", "pod_failure_hotel_res-detection-1"]
HEALTHY = ["noop_detection_hotel_reservation-1"]
PROBLEMS = {"problem": FAULTY + 2 * HEALTHY, "render_mode": None}


def worlds(n, seed):
    """Environments that show rows of numbers, and whose actions are numbered commands."""
    return make_vec_env("aiops_gym/Detection-v0", n, seed=seed, wrapper_class=wrap, env_kwargs=PROBLEMS)


def tried(learner):
    """Mean return over episodes that training never shows, each action drawn as in training."""
    return evaluate_policy(learner, worlds(1, seed=10_000), 40, deterministic=False)[0]


envs = worlds(16, seed=0)
policy, kwargs = make_policy_kwargs(wrap(envs.envs[0].unwrapped))
learner = MaskablePPO(
    policy,
    envs,
    policy_kwargs=kwargs,
    n_steps=32,
    batch_size=128,
    n_epochs=10,
    learning_rate=2e-3,
    ent_coef=0.02,
    gamma=GAMMA,
    seed=0,
    device="cpu",
)
before = tried(learner)
learner.learn(6_000)
after = tried(learner)
print(f"mean return {before:.2f} before, {after:.2f} after {learner.num_timesteps:,} steps, better: {after > before}")
learner.save("model.zip")  # aiops-gym evaluate --agent aiops_gym.learning:trained --model model.zip ...
