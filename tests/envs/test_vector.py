"""Many worlds in one process: the same as Gymnasium's own vectors, in all modes, and small."""

from __future__ import annotations

import os
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from toy_world import ToyEnv, block

import aiops_gym  # noqa: F401  # registers
from aiops_gym.agents.base import Fixed
from aiops_gym.envs.infos import merge_infos
from aiops_gym.envs.live import LiveEnv
from aiops_gym.envs.vector import WorldsVectorEnv, incidents, recorded, vector
from aiops_gym.runs import Episode, run_episode
from aiops_gym.wrappers import HashedText, History, MacroActions, RecordEpisodes, Symptoms

LOOK, FILES, YES, NO = (
    block(call) for call in ("exec_shell('echo hi')", "exec_shell('ls x')", "submit('Yes')", "submit('No')")
)
MODES = ("NextStep", "SameStep", "Disabled")


def toy():
    return TimeLimit(ToyEnv("detection"), 3)


def numbers():
    return History(Symptoms(HashedText(MacroActions(toy(), slots=3), 16)))


def pair(make, n, mode):
    ours = WorldsVectorEnv([make() for _ in range(n)], mode)
    return ours, SyncVectorEnv([make] * n, autoreset_mode=AutoresetMode(mode))


def both(ours, theirs, actions, mode):
    """One step in each, and in the mode that asks for it a reset of what has ended."""
    turns = [each.step(actions) for each in (ours, theirs)]
    ended = turns[1][2] | turns[1][3]
    if mode == "Disabled" and ended.any():
        resets = [each.reset(options={"reset_mask": ended.copy()}) for each in (ours, theirs)]
        assert data_equivalence(*resets, exact=True)
    return turns


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 4])
def test_texts_rewards_and_infos_are_those_of_gymnasium(mode, n):
    ours, theirs = pair(toy, n, mode)
    assert data_equivalence(ours.reset(seed=5), theirs.reset(seed=5), exact=True)
    script = [(LOOK, "hello", YES, NO), (FILES, YES, LOOK, LOOK), (YES, LOOK, LOOK, "x"), (LOOK,) * 4, (YES,) * 4]
    for actions in [*script, *script]:
        left, right = both(ours, theirs, actions[:n], mode)
        assert data_equivalence(left, right, exact=True)
        assert left[0] in ours.observation_space
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata == theirs.metadata


@pytest.mark.parametrize("mode", MODES)
def test_numbers_and_masks_are_those_of_gymnasium(mode):
    ours, theirs = pair(numbers, 3, mode)
    assert data_equivalence(ours.reset(seed=2), theirs.reset(seed=2), exact=True)
    for step in range(9):
        actions = np.array([step % 5, 15 + step % 2, 3])
        left, right = both(ours, theirs, actions, mode)
        assert data_equivalence(left, right, exact=True)
        assert np.array_equal(np.stack(ours.call("action_masks")), np.stack(theirs.call("action_masks")))
        assert (
            np.array_equal(left[-1]["action_mask"].astype(bool), np.stack(ours.call("action_masks")))
            or mode == "Disabled"
        )


def test_the_last_observation_of_an_episode_is_in_the_infos():
    env = WorldsVectorEnv([toy(), toy()], "SameStep")
    env.reset(seed=1)
    texts, rewards, ended, _, infos = env.step([YES, LOOK])
    assert ended.tolist() == [True, False]
    assert infos["final_obs"][0].startswith("Your submission")
    assert infos["final_obs"][1] is None
    assert infos["final_info"]["is_success"].tolist() == [bool(rewards[0]), False]
    assert infos["_final_info"].tolist() == [True, False]
    assert texts[0].startswith("You are")
    assert infos["step"].tolist() == [0, 1]


def test_the_step_after_the_end_is_a_reset_that_costs_nothing():
    env = WorldsVectorEnv([toy()])
    env.reset(seed=1)
    env.step([YES])
    texts, rewards, ended, cut, infos = env.step([NO])
    assert texts[0].startswith("You are")
    assert (rewards[0], ended[0], cut[0], infos["step"][0]) == (0.0, False, False, 0)


def test_without_autoreset_an_ended_episode_must_be_reset():
    env = WorldsVectorEnv([toy(), toy()], "Disabled")
    env.reset(seed=1)
    env.step([YES, LOOK])
    with pytest.raises(gym.error.ResetNeeded, match="reset_mask"):
        env.step([LOOK, LOOK])
    options = {"reset_mask": np.array([True, False])}
    texts, infos = env.reset(options=options)
    assert infos["_step"].tolist() == [True, False]
    assert "reset_mask" in options
    assert env.step([LOOK, LOOK])[-1]["step"].tolist() == [1, 2]
    assert texts[1] == "hi\n"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda env: env.step(LOOK), "one text for each"),
        (lambda env: env.step([LOOK]), "2 actions"),
        (lambda env: env.reset(seed=[1]), "2 seeds"),
        (lambda env: env.reset(options={"reset_mask": np.zeros(2, bool)}), "reset_mask"),
        (lambda env: env.reset(options={"reset_mask": [1, 0]}), "reset_mask"),
        (lambda env: env.set_attr("task", ["x"]), "2 values"),
        (lambda env: WorldsVectorEnv([]), "at least one"),
        (lambda env: WorldsVectorEnv([toy(), numbers()]), "observation_space"),
        (lambda env: WorldsVectorEnv([toy()], "Sometimes"), "Sometimes"),
    ],
)
def test_what_cannot_be_is_named(call, says):
    env = WorldsVectorEnv([toy(), toy()])
    env.reset(seed=1)
    with pytest.raises(ValueError, match=says):
        call(env)


def test_results_are_new_containers_each_time():
    env = WorldsVectorEnv([numbers(), numbers()])
    first, _ = env.reset(seed=1)
    kept = {name: row.copy() for name, row in first.items()}
    env.step(np.array([1, 2]))
    assert all(np.array_equal(first[name], kept[name]) for name in kept)


def test_attributes_and_pictures_of_each_are_reached():
    env = WorldsVectorEnv([toy(), toy()])
    env.reset(seed=[3, None])
    assert env.get_attr("task") == ("detection", "detection")
    env.set_attr("note", ["a", "b"])
    assert env.call("note") == ("a", "b")
    assert env.render() == (None, None)
    assert len(env.np_random) == 2
    assert env.np_random_seed[0] == 3
    env.close()
    with pytest.raises(gym.error.ResetNeeded):
        env.envs[0].step(LOOK)


def test_infos_that_differ_are_merged_as_gymnasium_does():
    infos = [{"a": 1, "b": {"c": 2.0}}, {"a": 3, "d": "x", "e": np.arange(2)}, {"b": {"f": True}, "a": 4}]
    theirs: dict = {}
    base = SyncVectorEnv([toy] * 3)
    for i, info in enumerate(infos):
        theirs = base._add_info(theirs, info, i)
    assert data_equivalence(merge_infos(infos), theirs, exact=True)


# The registered environments: the real simulator.


def test_the_registered_vectors_play_what_single_environments_play():
    ours = incidents(3, task="detection", max_episode_steps=2)
    theirs = gym.make_vec("aiops_gym/Detection-v0", 3, vectorization_mode="sync", max_episode_steps=2)
    assert data_equivalence(ours.reset(seed=8), theirs.reset(seed=8), exact=True)
    for _ in range(4):
        look = (block("exec_shell('kubectl get pods -A | head -5')"),) * 3
        assert data_equivalence(ours.step(look), theirs.step(look), exact=True)
    ours.close()
    theirs.close()


def test_each_is_specified_as_gymnasium_specifies_a_single_one():
    (ours,) = incidents(1, task="mitigation", noise=False, max_episode_steps=7).envs
    theirs = gym.make("aiops_gym/Mitigation-v0", noise=False, max_episode_steps=7, disable_env_checker=True)
    assert ours.spec.to_json() == theirs.spec.to_json().replace('"order_enforce": true', '"order_enforce": false')
    assert ours.unwrapped.spec == theirs.unwrapped.spec
    (ours,) = recorded(1, domain="telecom", split="test", max_episode_steps=0).envs
    theirs = gym.make("aiops_gym/OpenRCATelecom-v0", split="test", max_episode_steps=-1, disable_env_checker=True)
    assert ours.spec == theirs.unwrapped.spec


def test_a_history_knows_the_limit_of_steps():
    envs = incidents(1, max_episode_steps=4, wrap=lambda env: History(HashedText(MacroActions(env, slots=2), 8)))
    envs.reset(seed=1)
    assert envs.step(np.array([0]))[0]["budget"].tolist() == [[0.75]]


@pytest.mark.parametrize("limit", [2, 0])
def test_a_recorded_episode_can_be_played_again(tmp_path, limit):
    given = {"task": "detection", "split": "test", "noise": False, "max_episode_steps": limit}
    envs = incidents(1, **given, wrap=lambda env: RecordEpisodes(env, tmp_path))
    envs.reset(seed=3)
    for action in (LOOK, LOOK) if limit else (YES,):
        envs.step([action])
    kept = Episode.load(next(tmp_path.iterdir()))
    assert kept.env_kwargs == {**given, "max_episode_steps": limit or -1}
    env = gym.make(kept.env, **kept.env_kwargs)
    options = {"problem": kept.problem_id, "episode_seed": kept.episode_seed}
    again = run_episode(env, Fixed([step["action"] for step in kept.steps]), options=options)
    assert (again.trace, again.truncated) == (kept.trace, kept.truncated)


def test_gymnasium_makes_it_by_the_entry_point(monkeypatch):
    spec = gym.spec("aiops_gym/Mitigation-v0")
    monkeypatch.setattr(spec, "vector_entry_point", "aiops_gym.envs.vector:incidents")
    monkeypatch.setattr(spec, "additional_wrappers", ())  # the entry point puts them on itself
    env = gym.make_vec(
        "aiops_gym/Mitigation-v0",
        3,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        split="train",
        wrap=lambda each: MacroActions(each, slots=4),
    )
    assert isinstance(env, WorldsVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.spec.id == "aiops_gym/Mitigation-v0"
    env.reset(seed=1)
    actions = [mask.argmax() for mask in env.call("action_masks")]
    assert env.step(np.array(actions))[0] in env.observation_space
    assert env.get_attr("_max_episode_steps") == (30, 30, 30)


def test_an_asynchronous_vector_without_shared_memory_agrees():
    ours = vector(LiveEnv, 2, task="detection", wrap=_stack)
    theirs = AsyncVectorEnv([_one, _one], shared_memory=False)
    try:
        assert data_equivalence(ours.reset(seed=4), theirs.reset(seed=4), exact=True)
        for actions in ((0, 1), (5, 2), (12, 13)):
            left, right = ours.step(np.array(actions)), theirs.step(np.array(actions))
            assert data_equivalence(left, right, exact=True)
        assert all(map(np.array_equal, ours.call("action_masks"), theirs.call("action_masks")))
    finally:
        theirs.close()


def _stack(env):
    return History(Symptoms(MacroActions(env, slots=3)))


def _one():
    return _stack(TimeLimit(LiveEnv("detection"), 30))


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def _memory() -> int:
    """Bytes of this process that no file backs."""
    rows = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return 1024 * int(next(row for row in rows if row.startswith("Anonymous")).split()[1])


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_many_worlds_need_no_files_and_some_megabytes_each():
    few = incidents(16, task="mitigation")
    few.reset(seed=0)
    few.step((block("exec_shell('kubectl get pods -A')"),) * 16)
    files, memory = _open_files(), _memory()
    many = incidents(64, task="mitigation")
    many.reset(seed=0)
    many.step((block("exec_shell('kubectl get pods -A')"),) * 64)
    assert _open_files() <= files + 4
    assert (_memory() - memory) / 64 < 10 * 2**20
    many.close()
    few.close()
