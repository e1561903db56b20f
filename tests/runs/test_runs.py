"""What a run keeps, and that its file can be read by AIOpsLab's tools, by us, and whole or not at all."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from gymnasium.wrappers import TimeLimit
from toy_world import START, ToyEnv, block

from aiops_gym.agents.base import AgentError, Fixed, make
from aiops_gym.envs.tokens import count
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
    read, method = sum(count(step["observation"]) for step in episode.steps), "nonblank-characters/3"
    tokens = {"in_tokens": read, "out_tokens": 3, "token_method": method}
    assert episode.results == {"TTD": 15.0, "steps": 3, **tokens, "success": False, "submitted": ""}


def test_the_numbers_of_an_episode_do_not_depend_on_how_it_ends(env):
    def numbers(episode):
        return [episode.results[key] for key in ("TTD", "steps", "in_tokens", "out_tokens", "token_method")]

    script = [block("exec_shell('echo hi')"), "hm", "hm"]
    out_of_steps = run_episode(TimeLimit(env, 3), Fixed(script), seed=1)
    graded = run_episode(TimeLimit(ToyEnv("detection", evaluation="aiopslab"), 3), Fixed(script), seed=1)
    assert numbers(out_of_steps) == numbers(graded)
    assert [type(each) for each in numbers(out_of_steps)] == [float, int, int, int, str]


def test_an_agent_that_gives_up_leaves_its_numbers_and_is_not_graded():
    def gives_up(observation):
        if observation == "hi\n":
            raise AgentError("enough")
        return block("exec_shell('echo hi')")

    episode = run_episode(ToyEnv("detection", evaluation="aiopslab"), gives_up, seed=1)
    assert episode.results.items() >= {"TTD": 5.0, "steps": 1, "in_tokens": 1, "submitted": ""}.items()
    assert "Detection Accuracy" not in episode.results


class Words:
    def __call__(self, text):
        return text.split()


@pytest.mark.parametrize(
    ("tokenizer", "method"),
    [(str.split, "str.split"), (Words(), "test_runs:Words"), (lambda text: len(text.split()), "test_runs:<lambda>")],
)
def test_a_tokenizer_counts_what_was_said_and_heard(env, tokenizer, method):
    actions = [block("exec_shell('echo one two')"), block("submit('Yes')")]
    episode = run_episode(env, Fixed(actions), seed=1, tokenizer=tokenizer)
    assert (episode.results["in_tokens"], episode.results["out_tokens"]) == (2, 5 + 3)
    assert episode.results["token_method"].endswith(method)
    unsubmitted = run_episode(TimeLimit(env, 1), Fixed(actions), seed=1, tokenizer=tokenizer)
    assert (unsubmitted.results["in_tokens"], unsubmitted.results["token_method"]) == (
        2,
        episode.results["token_method"],
    )


def test_what_is_no_tokenizer_is_refused(env):
    with pytest.raises(TypeError, match="list of tokens or their number, not 'Y"):
        run_episode(env, lambda _: block("submit('Yes')"), tokenizer=lambda text: "Yes")


def test_real_seconds_stand_beside_the_worlds_and_make_no_difference(env, tmp_path):
    first, again = (run_episode(env, make("noop", env), seed=1) for _ in range(2))
    assert 0.0 <= first.wall_clock["agent_seconds"] <= first.wall_clock["seconds"]
    again.wall_clock["seconds"] += 1.0
    assert first == again
    data = json.loads(first.save(tmp_path / "a.json").read_text())
    assert data["wall_clock"] == first.wall_clock
    assert list(data)[-1] == "wall_clock"


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


def test_a_file_remembers_what_the_logs_looked_like():
    env = gym.make("aiops_gym/Detection-v0", problem="container_kill-detection", log_dedup=0)
    episode = run_episode(env, Fixed([block("submit('Yes')")]), seed=1)
    assert episode.env_kwargs["log_dedup"] == 0
    assert gym.make(episode.env, **episode.env_kwargs).unwrapped.log_dedup == 0


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
