"""Finished episodes become files; unfinished ones do not."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import pytest

from aiops_gym.envs.space import LIMIT
from aiops_gym.runs import Episode, run_episode
from aiops_gym.types import Call
from aiops_gym.wrappers import HashedText, MacroActions, RecordEpisodes

ID, PROBLEM = "aiops_gym/Detection-v0", "container_kill-detection"
LOOK, YES = str(Call("exec_shell", ("kubectl get pods -A",))), str(Call("submit", ("Yes",)))
NO = str(Call("submit", ("No",)))


def play(env, actions, **kwargs):
    env.reset(**kwargs)
    return [env.step(action) for action in actions]


def test_a_file_tells_the_same_as_a_run(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path, name="fixed")
    play(env, [LOOK, YES], seed=3)
    (path,) = env.files
    found = Episode.load(path)
    actions = iter([LOOK, YES])
    run = run_episode(gym.make(ID, problem=PROBLEM), lambda _: next(actions), seed=3)
    for name in (
        "problem_id", "trace", "results", "env", "env_kwargs", "task", "seed", "episode_seed", "prompt", "reward",
        "reward_components", "success", "submitted", "terminated", "truncated", "infra_error", "start_time", "end_time",
    ):  # fmt: skip
        assert getattr(found, name) == getattr(run, name), name
    assert [{k: v for k, v in step.items() if k != "health"} for step in run.steps] == found.steps
    assert found.agent == "fixed"


def test_texts_are_recorded_below_numbers(tmp_path):
    macros = ["status", "submit yes"]
    env = RecordEpisodes(MacroActions(HashedText(gym.make(ID, problem=PROBLEM), 16), macros=macros), tmp_path)
    play(env, [0, 1], seed=3)
    found = Episode.load(env.files[0])
    assert "kubectl get deployments" in found.steps[0]["action"]
    assert found.steps[0]["observation"].startswith("NAME ")
    assert found.prompt.startswith("You are")


def test_of_an_action_that_is_too_long_for_any_environment_the_ends_are_recorded(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path)
    play(env, ["word " * LIMIT, YES], seed=3)
    assert len(Episode.load(env.files[0]).steps[0]["action"]) <= LIMIT


def test_only_finished_episodes_are_kept_and_only_the_newest(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path / "new", keep=2)
    play(env, [LOOK], seed=1)
    assert not (tmp_path / "new").exists()
    for _ in range(4):
        play(env, [YES, YES])
    assert sorted(tmp_path.joinpath("new").iterdir()) == sorted(env.files)
    assert [path.name.split("-")[1] for path in env.files] == ["000003", "000004"]


def test_each_so_many_th_episode_may_be_enough(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path, every=3)
    for _ in range(7):
        play(env, [YES])
    assert [path.name.split("-")[1] for path in env.files] == ["000001", "000004", "000007"]


def test_a_truncated_episode_is_finished(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM, max_episode_steps=2), tmp_path)
    play(env, [LOOK, LOOK], seed=1)
    found = Episode.load(env.files[0])
    assert (found.truncated, found.terminated, found.success, found.submitted) == (True, False, False, "")


def test_branches_write_a_file_each_and_remove_their_own_only(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path, keep=2)
    for seed in range(2):
        play(env, [YES], seed=seed)
    before = [path.read_bytes() for path in env.files]
    play(env, [LOOK], seed=2)
    branches = [*(copy.deepcopy(env) for _ in range(3)), pickle.loads(pickle.dumps(env))]
    for branch in branches:
        branch.step(YES)
        assert [len(Episode.load(path).steps) for path in branch.files] == [2]
    assert [path.read_bytes() for path in env.files] == before
    assert len(list(tmp_path.iterdir())) == 6
    play(branches[0], [YES], seed=3)
    play(branches[0], [YES], seed=4)
    assert len(branches[0].files) == 2
    assert [path.read_bytes() for path in env.files] == before


def test_another_run_with_the_same_seed_and_folder_writes_beside(tmp_path):
    for action in (YES, NO):
        play(RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path), [action], seed=1)
    first, second = sorted(tmp_path.iterdir(), key=lambda path: len(path.name))
    assert second.stem == f"{first.stem}-2"
    assert [Episode.load(path).submitted for path in (first, second)] == ['"Yes"', '"No"']


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    env = RecordEpisodes(gym.make(ID, problem=PROBLEM), tmp_path)
    env.reset(seed=1)
    env._episode.seed = object()
    with pytest.raises(TypeError, match="not JSON"):
        env.step(YES)
    assert not list(tmp_path.iterdir())
