"""Two minutes of training must pay: what breaks a reward, a mask or a feature breaks this."""

from __future__ import annotations

from math import sqrt

import torch

from aiops_gym.learning import trial, worlds
from aiops_gym.learning.policies import Policy, find_algorithm, load
from aiops_gym.learning.policy import make_policy_kwargs
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.training import train
from aiops_gym.learning.trial import Case, Outcome

FAULTY = ("user_unregistered_mongodb-detection-1", "pod_failure_hotel_res-detection-1")
HEALTHY = "noop_detection_hotel_reservation-1"

SETTINGS = Settings(
    task="detection",
    steps=12_288,
    problems=(*FAULTY, HEALTHY, HEALTHY),
    evaluate=0,
    sample=4,
    recipe={"again": 8, "guided": 0.8},
)
CASES = [Case(problem=problem, seed=seed, group="") for seed in range(15) for problem in SETTINGS.problems]

SURE = 4.0
"""Standard errors between the shares solved before and after: by luck alone once in 30,000 times."""


def played(policy: Policy) -> list[Outcome]:
    torch.manual_seed(0)
    env = worlds.make_world(SETTINGS)
    return [trial.play(env, policy, case, sampled=True) for case in CASES]


def untrained() -> Policy:
    env = worlds.make_world(SETTINGS)
    policy, kwargs = make_policy_kwargs(env)
    return Policy(find_algorithm("maskable-ppo")(policy, env, policy_kwargs=kwargs, seed=0, device="cpu"))


def errors_apart(before: list[Outcome], after: list[Outcome]) -> float:
    """Difference of the shares that were solved, in standard errors.

    The verdicts count and not the rewards: a learner takes a reward with the wrong sign for a better one.
    """
    n = len(before)
    first, second = (sum(each.success for each in outcomes) / n for outcomes in (before, after))
    return (second - first) / sqrt(max(first * (1 - first) + second * (1 - second), 1 / n) / n)


def test_training_pays_beyond_luck(tmp_path):
    before = played(untrained())
    assert sum(each.refused for each in before) == 0, "the mask allowed what the environment refused"
    train(SETTINGS, tmp_path)
    after = played(load(str(tmp_path / "model.zip")))
    assert sum(each.refused for each in after) == 0
    assert errors_apart(before, after) > SURE
    assert sum(each.reward for each in after) > sum(each.reward for each in before)
