"""Discrete actions for recorded incidents: masks, answers, branching, and nothing but what was printed."""

from __future__ import annotations

import re

import gymnasium as gym
import numpy as np
import pytest

from aiops_gym.envs.branching import fork, restore, snapshot
from aiops_gym.errors import CatalogError
from aiops_gym.wrappers import RecordedLooks
from aiops_gym.wrappers.recorded_looks import LOOKS, SUSPECT, SUSPECTS


@pytest.fixture(scope="module")
def env():
    return RecordedLooks(gym.make("aiops_gym/OpenRCABank-v0", tools="all", disable_env_checker=True))


def play(env, seed, steps=40, problem=None):
    """Draw among what the mask allows, answers last; what was seen, and the last turn."""
    chance = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed, options={"problem": problem} if problem else None)
    found = [seen]
    for _ in range(steps):
        allowed = np.flatnonzero(env.action_masks())
        early = allowed[allowed < LOOKS + SUSPECTS]
        seen, reward, done, cut, info = env.step(
            int(chance.choice(early if len(early) and len(found) < 20 else allowed))
        )
        found.append(seen)
        silent = str(env._turns[-1][1]).startswith("Error: slowest_spans: no component") if env._turns else False
        assert info["valid_action"] or silent  # who makes no calls is known by asking for them
        if done or cut:
            break
    return found, reward, done, info


def test_what_the_mask_allows_is_refused_only_where_a_suspect_makes_no_calls(env):
    for seed in range(3):
        found, reward, done, info = play(env, seed)
        assert done and info["valid_action"] and 0 <= reward <= 1
        for seen in found:
            assert env.observation_space.contains(seen)


def test_an_episode_repeats_itself_and_branches(env):
    first = play(env, 1)[0]
    again = play(env, 1)[0]
    assert all(np.array_equal(one[name], two[name]) for one, two in zip(first, again, strict=True) for name in one)
    env.reset(seed=1)
    env.step(0)
    data, (other,) = snapshot(env), fork(env)
    here = env.step(1)
    there = other.step(1)
    restore(env, data)
    back = env.step(1)
    for name in here[0]:
        assert np.array_equal(here[0][name], there[0][name]) and np.array_equal(here[0][name], back[0][name])


def test_answers_wait_for_the_looks_where_they_are_told_to():
    env = RecordedLooks(gym.make("aiops_gym/OpenRCABank-v0", tools="all", disable_env_checker=True), looks_first=True)
    env.reset(seed=1)
    while (allowed := np.flatnonzero(env.action_masks()[:LOOKS])).size:
        assert not env.action_masks()[LOOKS + SUSPECTS :].any()
        env.step(int(allowed[0]))
    assert env.action_masks()[LOOKS + SUSPECTS :].any()


def test_two_failures_are_answered_together(env):
    several = [each.id for each in env.unwrapped.problems.values() if each.failures == 2]
    if not several:
        pytest.skip("the synthetic default has no window with two failures")
    env.reset(seed=1, options={"problem": several[0]})
    for look in np.flatnonzero(env.action_masks()[:LOOKS]):
        env.step(int(look))
    _, _, done, _, _ = env.step(LOOKS + SUSPECTS)
    assert not done and len(env.case.picked) == 1
    answer = int(np.flatnonzero(env.action_masks()[LOOKS + SUSPECTS :])[0]) + LOOKS + SUSPECTS
    assert '"2"' in env.meaning(answer) or "'2'" in env.meaning(answer)
    assert env.step(answer)[2]


def test_no_action_and_no_number_comes_from_the_labels(env):
    """Two questions that are asked of the same window alike look alike, whatever their answers are."""
    env.reset(seed=1)
    text = " ".join(filter(None, (env.meaning(number) for number in range(LOOKS))))
    assert not re.search("submit", text)
    assert "problem" not in SUSPECT and not hasattr(env.case, "scoring_points")
    assert not any("scoring" in name for name in vars(env.case))


def test_it_is_for_recorded_incidents_only():
    env = RecordedLooks(gym.make("aiops_gym/Detection-v0", disable_env_checker=True))
    with pytest.raises(CatalogError, match="recorded incidents only"):
        env.reset(seed=1)
