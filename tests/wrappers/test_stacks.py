"""What holds for each wrapper alone, and for the stacks that the documentation shows."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from samples import some_rows
from wrapper_stacks import ALL, BOTH, FOR_RLLIB, NUMBERS, TASKS, TEXT, WORDS, WORDS_INSIDE

import aiops_gym  # noqa: F401  # registers
from aiops_gym.wrappers import (
    ClipObservation,
    Curriculum,
    HashedText,
    History,
    MacroActions,
    RecordEpisodes,
    RewardShaping,
    Symptoms,
)

STACKS = {**TEXT, **NUMBERS, **FOR_RLLIB}
PROBLEMS = {
    "Detection": "container_kill-detection",
    "Localization": "pod_kill_hotel_res-localization-1",
    "Analysis": "revoke_auth_mongodb-analysis-1",
    "Mitigation": "revoke_auth_mongodb-mitigation-1",
}
"""One of each task: what is drawn has a past that takes longer to make than what is checked here."""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """What is recorded lies in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def made(task="Detection", stack=None, **kwargs):
    env = gym.make(f"aiops_gym/{task}-v0", **kwargs)
    return stack(env) if stack else env


def seeded(env, seed, steps=5):
    env.action_space.seed(seed)
    turns = [env.reset(seed=seed)]
    for _ in range(steps):
        turns.append(env.step(env.action_space.sample()))
        if turns[-1][2] or turns[-1][3]:
            turns.append(env.reset())
    return turns


def same(left, right):
    return gym.utils.env_checker.data_equivalence(left, right, exact=True)


@pytest.mark.parametrize(
    ("name", "task"),
    [
        *some_rows([(name, "Detection") for name in TEXT], 4),
        *some_rows([(name, task) for name in {**NUMBERS, **FOR_RLLIB} for task in TASKS], 4 * len(TASKS) + 1),
    ],
)
def test_gymnasium_finds_nothing_to_complain_about(name, task):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A stack is checked as an environment: what `check_env` says of wrappers is that one should pass `unwrapped`.
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        check_env(made(task, STACKS[name], problem=PROBLEMS[task]), skip_render_check=True)


@pytest.mark.parametrize("task", TASKS)
def test_the_spaces_of_a_task_do_not_depend_on_the_episode(task):
    env = made(task, NUMBERS[BOTH])
    space = env.observation_space
    for seed in range(3):
        for turn in seeded(env, seed):
            assert turn[0] in space
            assert turn[-1]["action_mask"].shape == (env.action_space.n,)


@pytest.mark.parametrize("name", STACKS)
def test_the_spec_survives_json(name):
    env = made(stack=STACKS[name], split="train")
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert (again.observation_space, again.action_space) == (env.observation_space, env.action_space)
    assert same(seeded(again, 3), seeded(env, 3))


def test_the_spec_of_a_recording_survives_json_too(tmp_path):
    env = RecordEpisodes(made(), tmp_path, keep=3)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert (again.folder, again.keep) == (tmp_path, 3)


@pytest.mark.parametrize("name", ["Symptoms", "RewardShaping", "Curriculum", BOTH, ALL])
def test_copies_and_pickles_go_on_in_the_middle_of_an_episode(name):
    env = made(stack=STACKS[name])
    env.action_space.seed(0)
    env.reset(seed=4)
    env.step(env.action_space.sample())
    branches = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env]
    actions = [env.action_space.sample() for _ in range(3)]
    futures = [[branch.step(action) for action in actions] for branch in branches]
    assert same(futures[0], futures[2])
    assert same(futures[1], futures[2])


def test_the_order_of_words_and_actions_does_not_matter():
    left, right = (made("Mitigation", NUMBERS[name]) for name in (WORDS, WORDS_INSIDE))
    for a, b in zip(seeded(left, 2, 8), seeded(right, 2, 8), strict=True):
        assert same(a[0], b[0])
        assert np.array_equal(a[-1]["action_mask"], b[-1]["action_mask"])


def test_features_are_the_same_in_every_process():
    code = (
        "import gymnasium as gym, aiops_gym, hashlib\n"
        "from aiops_gym.wrappers import *\n"
        "env = History(Symptoms(HashedText(MacroActions(gym.make('aiops_gym/Mitigation-v0')))))\n"
        "digest = hashlib.sha256()\n"
        "env.reset(seed=5)\n"
        "for action in (0, 1, 5, 13, 40):\n"
        "    seen, *_, info = env.step(action)\n"
        "    for name in sorted(seen): digest.update(seen[name].tobytes())\n"
        "    digest.update(info['action_mask'].tobytes())\n"
        "    digest.update(repr(env.get_wrapper_attr('meanings')()).encode())\n"
        "print(digest.hexdigest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, **_paths()},
            capture_output=True,
            check=True,
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout != b""


def _paths():
    kept = ("PATH", "HOME", "PYTHONPATH", "AIOPS_GYM_CACHE")
    return {name: value for name, value in os.environ.items() if name in kept}


@pytest.mark.parametrize(
    ("stack", "says"),
    [
        (lambda env: HashedText(HashedText(env)), "further inside"),
        (lambda env: ClipObservation(HashedText(env)), "further inside"),
        (lambda env: History(HashedText(env)), "further outside"),
        (lambda env: History(MacroActions(env)), "further outside"),
    ],
)
def test_a_stack_that_cannot_work_says_what_to_move(stack, says):
    with pytest.raises(TypeError, match=says):
        stack(made())


@pytest.mark.parametrize(
    "stack",
    [
        lambda env: HashedText(env, 0),
        lambda env: ClipObservation(env, 0),
        lambda env: History(HashedText(MacroActions(env)), last=-1),
        lambda env: MacroActions(env, slots=0),
        lambda env: MacroActions(env, other_slots=0),
        lambda env: MacroActions(env, macros=["kubectl get {colour}"]),
        lambda env: MacroActions(env, macros=["dance"]),
        lambda env: MacroActions(env, macros=[]),
        lambda env: Symptoms(MacroActions(env, slots=5), slots=6),
        lambda env: RewardShaping(env, step=-1.0),
        lambda env: RewardShaping(env, gamma=1.5),
        lambda env: Curriculum(env, window=0),
        lambda env: RecordEpisodes(env, "x", keep=0),
    ],
)
def test_a_wrong_argument_is_named_at_once(stack):
    with pytest.raises(ValueError, match=r"must be|no macro|no name"):
        stack(made())


def test_parts_of_a_wrapper_are_json():
    env = NUMBERS[ALL](made(split="test"))
    assert json.loads(env.spec.to_json())["kwargs"] == {"task": "detection", "split": "test"}
