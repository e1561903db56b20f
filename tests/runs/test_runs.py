"""What a run keeps, and that its file can be read by AIOpsLab's tools, by us, and whole or not at all."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from gymnasium.wrappers import TimeLimit
from toy_world import START, ToyEnv, block

from aiops_gym.agents.base import Fixed, make
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import Episode, run_episode


@pytest.fixture
def env():
    return ToyEnv("detection", "container_kill-detection")


def test_a_run_keeps_every_turn_and_the_verdict(env):
    actions = [block("exec_shell('echo hi')"), block("submit('Yes')")]
    episode = run_episode(env, Fixed(actions), seed=4)
    assert (episode.success, episode.reward, episode.submitted) == (True, 1.0, '"Yes"')
    assert [turn["role"] for turn in episode.trace] == ["assistant", "env"] * 2
    assert [turn["content"] for turn in episode.trace[:2]] == [actions[0], "hi\n"]
    assert (episode.start_time, episode.end_time) == (START, START + 10)
    assert episode.results["TTD"] == 10.0
    assert "Namespace:" in episode.prompt


def test_a_callable_is_an_agent_and_sees_the_prompt_first(env):
    seen = []

    def policy(observation):
        seen.append(observation)
        return block("submit('No')")

    episode = run_episode(env, policy, seed=1)
    assert (episode.agent, episode.reward, seen) == ("policy", 0.0, [episode.prompt])


def test_an_agent_that_never_submits_has_submitted_nothing(env):
    episode = run_episode(TimeLimit(env, 3), lambda _: "hm", seed=1)
    assert (episode.truncated, episode.success, episode.submitted, len(episode.steps)) == (True, False, "", 3)
    assert episode.results == {"success": False, "submitted": ""}


def test_a_file_is_a_session_of_aiopslab_and_comes_back(env, tmp_path):
    episode = run_episode(env, lambda _: block("submit('Yes ✓')"), seed=1)
    path = episode.save(tmp_path / "deep" / "a.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert list(data)[:7] == ["agent", "session_id", "problem_id", "start_time", "end_time", "trace", "results"]
    assert Episode.load(path) == episode
    assert [file.name for file in path.parent.iterdir()] == ["a.json"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(env, tmp_path):
    episode = run_episode(env, lambda _: block("submit('Yes')"), seed=1)
    path = episode.save(tmp_path / "a.json")
    before = path.read_bytes()
    episode.results["odd"] = object()
    with pytest.raises(TypeError):
        episode.save(path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_a_file_that_is_no_episode_is_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(AiopsGymError, match="no saved episode"):
        Episode.load(path)


def test_the_same_seed_and_agent_are_the_same_episode(env):
    assert run_episode(env, make("random", env, 2), seed=9) == run_episode(env, make("random", env, 2), seed=9)


@pytest.mark.parametrize(
    ("limit", "kept"), [(50, {"max_episode_steps": 50}), (-1, {"max_episode_steps": -1}), (30, {})]
)
def test_the_limit_of_steps_is_kept_where_it_is_not_the_registered_one(limit, kept):
    env = gym.make("aiops_gym/Detection-v0", problem="container_kill-detection", max_episode_steps=limit)
    first = run_episode(env, Fixed([*["hm"] * 34, block("submit('Yes')")]), seed=1)
    assert first.env_kwargs == {"task": "detection", "problem": "container_kill-detection", **kept}
    env = gym.make(first.env, **first.env_kwargs)
    options = {"problem": first.problem_id, "episode_seed": first.episode_seed}
    again = run_episode(env, Fixed([step["action"] for step in first.steps]), options=options)
    assert again.steps == first.steps
    assert (again.reward, len(again.steps)) == ((0.0, 30) if limit == 30 else (1.0, 35))
