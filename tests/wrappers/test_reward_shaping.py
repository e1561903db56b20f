"""Prices are paid, and the potential pays nothing in the end."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_world import PlayedEnv

from aiops_gym.types import Call
from aiops_gym.wrappers import MacroActions, RewardShaping

PROMPT = "Namespace: shop\n"
ILL = "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\npay    0/1     1            0           5h\n"
WORSE = ILL.replace("0/1  ", "0/0  ") + "cart   0/1     1            0           5h\n"
WELL = "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\npay    1/1     1            1           5h\n"


def test_everything_is_off_by_default():
    env = RewardShaping(gym.make("aiops_gym/Mitigation-v0"))
    env.reset(seed=1)
    for action in ("hello", str(Call("exec_shell", ("kubectl get pods -A",))), str(Call("submit"))):
        _, reward, over, _, info = env.step(action)
        assert reward == 0.0
        assert set(info["shaping"].values()) == {0.0}
    assert over


def test_each_price_is_paid_for_what_it_is_for():
    env = RewardShaping(gym.make("aiops_gym/Mitigation-v0"), step=0.01, time=0.6, invalid=0.1)
    env.reset(seed=1)
    assert env.step("hello")[1] == pytest.approx(-0.01 - 0.6 * 5 / 60 - 0.1)
    assert env.step(str(Call("exec_shell", ("sleep 60", 90))))[1] == pytest.approx(-0.01 - 0.6 * 65 / 60)


def test_damage_and_the_suffering_of_users_have_a_price_at_the_verdict():
    env = RewardShaping(gym.make("aiops_gym/Mitigation-v0"), collateral=0.5, error_minutes=0.1)
    _, info = env.reset(seed=1, options={"problem": "scale_pod_zero_social_net-mitigation-1"})
    command = "kubectl scale deployment media-service --replicas=2 -n test-social-network"
    assert env.step(str(Call("exec_shell", (command,))))[1] == 0.0
    _, reward, over, _, info = env.step(str(Call("submit")))
    verdict = info["reward_components"]
    assert over
    assert verdict["left"] >= 1
    assert verdict["error_minutes"] > 0
    harm = verdict["collateral"] + verdict["left"] + verdict["damage"]
    assert reward == pytest.approx(-0.5 * harm - 0.1 * verdict["error_minutes"])


def shaped(texts, gamma, ends):
    env = RewardShaping(PlayedEnv([PROMPT, *texts], ends=ends), progress=2.0, gamma=gamma)
    env.reset()
    steps = [env.step("x") for _ in texts]
    return [step[1] for step in steps], env, steps[-1][2]


@given(
    st.lists(st.sampled_from([ILL, WORSE, WELL, "", "no table"]), min_size=2, max_size=12),
    st.sampled_from([1.0, 0.99, 0.5, 0.0]),
)
@settings(max_examples=60, deadline=None)
def test_the_potential_adds_nothing_to_a_whole_episode(texts, gamma):
    rewards, _, over = shaped(texts, gamma, ends=True)
    ended = rewards[: len(texts) - 1] if over and len(rewards) > len(texts) else rewards
    assert over
    assert sum(reward * gamma**t for t, reward in enumerate(ended)) == pytest.approx(0.0, abs=1e-9)


@given(st.lists(st.sampled_from([ILL, WORSE, WELL, ""]), min_size=1, max_size=8), st.sampled_from([1.0, 0.9]))
@settings(max_examples=40, deadline=None)
def test_what_it_adds_to_an_unfinished_one_is_the_potential_of_where_it_stopped(texts, gamma):
    rewards, env, _ = shaped(texts, gamma, ends=False)
    total = sum(reward * gamma**t for t, reward in enumerate(rewards))
    assert total == pytest.approx(2.0 * gamma ** len(texts) * env.seen.progress(), abs=1e-9)


def test_finding_trouble_and_ending_it_is_progress():
    rewards, _, _ = shaped([ILL, WORSE, WELL + "cart   1/1     1            1           5h\n", ""], 1.0, ends=False)
    assert rewards[0] > 0
    assert rewards[1] > 0
    assert rewards[2] > 0
    assert rewards[3] == 0.0


def test_the_best_way_through_a_small_world_stays_the_best():
    """All plans of four steps over three texts, each ended by a verdict: the order of their returns does not change."""
    gamma = 0.9
    returns = {}
    for plan in np.ndindex(3, 3, 3):
        texts = [[ILL, WORSE, WELL][i] for i in plan]
        rewards, _, _ = shaped([*texts, "", ""], gamma, ends=True)
        verdict = float(plan[-1] == 2) * gamma**3
        returns[plan] = (verdict, verdict + sum(r * gamma**t for t, r in enumerate(rewards)))
    plain = [round(a, 9) for a, _ in returns.values()]
    assert [round(b, 9) for _, b in returns.values()] == plain


def test_it_stands_anywhere_in_a_stack():
    inside = MacroActions(RewardShaping(gym.make("aiops_gym/Detection-v0"), step=0.25, progress=1.0), slots=4)
    outside = RewardShaping(MacroActions(gym.make("aiops_gym/Detection-v0"), slots=4), step=0.25, progress=1.0)
    played = []
    for env in (inside, outside):
        env.reset(seed=3)
        played.append([env.step(action)[1] for action in (0, 1, 5, 2)])
    assert played[0] == played[1]
