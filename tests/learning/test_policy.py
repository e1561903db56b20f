"""The network scores what is alike alike."""

from __future__ import annotations

import gymnasium as gym
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from aiops_gym.learning.policy import make_policy_kwargs
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers.symptoms import COMPONENT

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def env():
    made = wrap(gym.make("aiops_gym/Mitigation-v0"))
    made.reset(seed=3)
    return made


def scores(policy, seen):
    """The score of each action."""
    features = policy.extract_features({name: torch.as_tensor(part)[None] for name, part in seen.items()})
    return policy.action_net(policy.mlp_extractor.forward_actor(features))[0]


def test_what_is_learnt_on_one_component_holds_for_all(env):
    policy_class, kwargs = make_policy_kwargs(env)
    policy = MaskablePPO(policy_class, env, policy_kwargs=kwargs, seed=0, device="cpu").policy
    names = env.get_wrapper_attr("macro_names")
    seen = env.step(names.index("status"))[0]
    rows = seen["components"].reshape(-1, len(COMPONENT)).copy()
    rows[2, COMPONENT.index("crashing")] = 1.0
    with torch.no_grad():
        before = scores(policy, {**seen, "components": rows.ravel()})
        rows[[2, 5]] = rows[[5, 2]]
        after = scores(policy, {**seen, "components": rows.ravel()})
    focus = names.index("focus 0")
    assert before[focus + 2] != before[focus + 5]
    assert torch.allclose(before[[focus + 2, focus + 5]], after[[focus + 5, focus + 2]], atol=1e-6)
    rest = [a for a in range(len(names)) if a not in (focus + 2, focus + 5)]
    assert torch.allclose(before[rest], after[rest], atol=1e-6)


@pytest.mark.parametrize(("masked", "learner"), [(True, MaskablePPO), (False, PPO)])
def test_both_learners_take_it_save_it_and_load_it(env, tmp_path, masked, learner):
    policy_class, kwargs = make_policy_kwargs(env, masked=masked)
    made = learner(
        policy_class, env, policy_kwargs=kwargs, n_steps=8, batch_size=8, n_epochs=1, seed=0, device="cpu"
    ).learn(8)
    made.save(tmp_path / "model")
    again = learner.load(tmp_path / "model", env=env)
    seen, _ = env.reset(seed=1)
    with torch.no_grad():
        assert torch.equal(scores(made.policy, seen), scores(again.policy, seen))


def test_at_first_no_component_is_likelier_than_another_kind_of_look(env):
    policy_class, kwargs = make_policy_kwargs(env)
    policy = MaskablePPO(policy_class, env, policy_kwargs=kwargs, seed=0, device="cpu").policy
    env.reset(seed=3)
    names = env.get_wrapper_attr("macro_names")
    seen = env.step(names.index("status"))[0]
    with torch.no_grad():
        chances = torch.softmax(scores(policy, seen), 0)
    focus = sum(float(chances[a]) for a, name in enumerate(names) if name.startswith("focus ") and "other" not in name)
    assert focus < 4 * float(chances[names.index("events")])
