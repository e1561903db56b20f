"""Problems come by how well the last ones went, the same way for the same seed."""

from __future__ import annotations

import copy
import json
import pickle

import gymnasium as gym
import pytest
from toy_world import ToyEnv

from aiops_gym.catalog import registry
from aiops_gym.errors import CatalogError
from aiops_gym.learning.again import Again
from aiops_gym.types import Call
from aiops_gym.wrappers import Curriculum

YES = str(Call("submit", ("Yes",)))


def made(**kwargs):
    return Curriculum(ToyEnv("detection", **kwargs))


def drawn(env, n, seed=None, win=lambda family: True):
    found = []
    for i in range(n):
        _, info = env.reset(seed=seed if i == 0 else None)
        family = registry.find_problem(info["problem"]).fault or ""
        found.append(info["problem"])
        env.step(YES if win(family) == bool(family) else str(Call("submit", ("No",))))
    return found


def test_the_same_seed_and_outcomes_are_the_same_problems():
    first, second = drawn(made(split="train"), 12, 5), drawn(made(split="train"), 12, 5)
    assert first == second
    assert first != drawn(made(split="train"), 12, 6)


def test_a_seed_begins_anew():
    env = made(split="train")
    first = drawn(env, 10, 5)
    assert drawn(env, 10, 5) == first


def test_problems_are_those_of_the_split():
    allowed = {p.id for p in registry.problems("detection", split="train")} | {
        p.id for p in registry.list_healthy("detection")
    }
    found = drawn(made(split="train"), 40, 1)
    assert set(found) <= allowed
    assert 8 <= sum(not registry.find_problem(each).fault for each in found) <= 26


def test_families_that_are_sometimes_solved_come_more_often():
    ids = ["container_kill-detection", "wrong_bin_usage-detection-1", "pod_kill_hotel_res-detection-1"]
    env = made(problem=ids)
    env.reset(seed=1)
    state = env.curriculum()
    state["outcomes"] = {"container_kill": [True] * 20, "pod_kill": [False] * 20, "wrong_bin_usage": [True, False] * 10}
    env.resume(state)
    assert env.weights() == pytest.approx({"container_kill": 0.2, "pod_kill": 0.2, "wrong_bin_usage": 1.2})
    found = [env.reset()[1]["problem"] for _ in range(60)]
    assert found.count(ids[1]) > 35
    assert set(found) == set(ids)


def test_an_outcome_counts_once_and_only_the_last_ones_count():
    env = Curriculum(ToyEnv("detection", "container_kill-detection"), window=2)
    env.reset(seed=1)
    env.step(YES)
    env.step(YES)
    assert env.curriculum()["outcomes"] == {"container_kill": [True]}
    for answer in ("No", "No"):
        env.reset()
        env.step(str(Call("submit", (answer,))))
    assert env.curriculum()["outcomes"] == {"container_kill": [False, False]}


def test_a_start_that_is_played_again_is_drawn_once():
    env = Curriculum(Again(ToyEnv("detection", split="train"), 3))
    begun = [env.reset(seed=1)[1]]
    for _ in range(8):
        env.step(YES)
        begun.append(env.reset()[1])
    starts = [(info["problem"], info["episode_seed"]) for info in begun]
    assert [starts[at] == starts[at + 1] for at in range(8)] == [True, True, False, True, True, False, True, True]
    assert sum(map(len, env.curriculum()["outcomes"].values())) == 8


def test_a_problem_that_is_asked_for_is_played():
    env = made()
    _, info = env.reset(seed=1, options={"problem": "wrong_bin_usage-detection-1"})
    assert info["problem"] == "wrong_bin_usage-detection-1"
    text = env.reset(options={"episode_seed": 5})
    assert env.reset(options={"episode_seed": 5}) == text


def test_it_can_be_kept_as_json_copied_and_pickled():
    env = made(split="train")
    drawn(env, 8, 5)
    kept = json.loads(json.dumps(env.curriculum()))
    other = made(split="train")
    other.resume(kept)
    branches = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    assert [env.reset()[1]["problem"] for _ in range(5)] == [other.reset()[1]["problem"] for _ in range(5)]
    expected = drawn(copy.deepcopy(branches[0]), 5)
    assert drawn(branches[1], 5) == expected


def test_what_was_resumed_outlives_the_first_seed():
    env, other = made(split="train"), made(split="train")
    drawn(env, 6, 5)
    other.resume(env.curriculum())
    other.reset(seed=9)
    assert other.curriculum()["outcomes"] == env.curriculum()["outcomes"]
    other.reset(seed=9)
    assert other.curriculum()["outcomes"] == {}


def test_recorded_incidents_have_no_curriculum():
    class Other(gym.Env):
        observation_space = action_space = gym.spaces.Discrete(2)

    with pytest.raises(CatalogError, match="live incidents"):
        Curriculum(Other())
